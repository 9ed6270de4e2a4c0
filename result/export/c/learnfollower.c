/* Has the law use theta. */
static void rths_learnfollower_set(struct rths_learnfollower *f)
{
	int j;

	for (j = 0; j < f->p_len; j++)
		*f->p[j].V = f->theta[j] * f->unit[j];
}

/* Moves the state z and its slopes dz/dtheta along the line to the deformation x. */
static void rths_learnfollower_follow(struct rths_learnfollower *f, double x)
{
	int n = f->state_len, i, j;

	rths_copy(f->next, f->state, n);
	rths_path_advance(f->path, f->next, f->at, x);
	for (j = 0; j < f->p_len; j++) {
		double *slope = f->slope[j];

		for (i = 0; i < n; i++)
			f->moved[i] = f->state[i] + 1e-6 * slope[i];
		*f->p[j].V = (f->theta[j] + 1e-6) * f->unit[j];
		rths_path_advance(f->path, f->moved, f->at, x);
		*f->p[j].V = f->theta[j] * f->unit[j];
		for (i = 0; i < n; i++)
			slope[i] = (f->moved[i] - f->next[i]) / 1e-6;
	}
	rths_copy(f->state, f->next, n);
}

/* Whether something can be learned at the deformation x, to which the law goes. */
static bool rths_learnfollower_goes(struct rths_learnfollower *f, double x, double v, double force, bool old)
{
	if (!rths_finite(x) || !rths_finite(v))
		return false;
	if (!f->begun) {
		f->begun = true;
		f->at = x - v * f->h;
	}
	rths_learnfollower_follow(f, x);
	f->at = x;
	rths_learnfollower_set(f);
	return !old && fabs(v) >= f->s.StillBelow && rths_finite(force);
}

/* The force of the law at theta + d; d NULL: at theta. */
static double rths_learnfollower_force(struct rths_learnfollower *f, double x, double v, const double *d)
{
	double force;
	int i, j;

	rths_copy(f->trial, f->state, f->state_len);
	for (j = 0; d && j < f->p_len; j++) {
		*f->p[j].V = (f->theta[j] + d[j]) * f->unit[j];
		for (i = 0; i < f->state_len; i++)
			f->trial[i] += f->slope[j][i] * d[j];
	}
	force = f->law.force(f->law.self, x, v, f->trial);
	rths_learnfollower_set(f);
	return force;
}

/* Changes a parameter within its bounds, and the states with it. */
static void rths_learnfollower_move(struct rths_learnfollower *f, int j, double by)
{
	double room = 1e-3 * (f->high[j] - f->low[j]);
	double to = rths_min(rths_max(f->theta[j] + by, f->low[j] + room), f->high[j] - room);
	int i;

	for (i = 0; i < f->state_len; i++)
		f->state[i] += f->slope[j][i] * (to - f->theta[j]);
	f->theta[j] = to;
}

/* Remembers a residual and the standard deviation that it should have. */
static void rths_learnfollower_judge(struct rths_learnfollower *f, double e, double sd)
{
	struct rths_learnwhiteness *w = &f->white;
	double keep = 1 - f->h / 3;

	f->residual = e;
	f->predicted = sd;
	e = rths_min(rths_max(e / sd, -4), 4);
	w->n = keep * w->n + 1;
	w->square = keep * w->square + e * e;
	w->lagged = keep * w->lagged + e * w->last;
	w->last = e;
}

/* Whether the residuals look like white noise of the predicted size. */
static bool rths_learnfollower_white(const struct rths_learnfollower *f)
{
	const struct rths_learnwhiteness *w = &f->white;

	return w->n < f->s.RateHz || (fabs(w->lagged) / sqrt(w->n) < 3.9 && (w->square / w->n - 1) * sqrt(w->n / 2) < 3.9);
}

/* Parameter j and its standard deviation. */
static double rths_learnfollower_value(const struct rths_learnfollower *f, const double *cov, int j, double *sd)
{
	*sd = sqrt(rths_max(cov[j * f->p_len + j], 0)) * f->unit[j];
	return f->theta[j] * f->unit[j];
}
