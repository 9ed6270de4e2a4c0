/* The Cholesky factor of P, whose pivots are lifted where rounding has taken them. */
static void rths_learnukf_factor(struct rths_learnukf *u)
{
	double *p = u->cov, *l = u->root, sum;
	int n = u->follower.p_len, i, j, k;

	for (j = 0; j < n; j++)
		for (i = j; i < n; i++) {
			sum = p[i * n + j];
			for (k = 0; k < j; k++)
				sum -= l[i * n + k] * l[j * n + k];
			if (i > j) {
				l[i * n + j] = sum / l[j * n + j];
				continue;
			}
			if (sum < 1e-12) {
				p[j * n + j] += 1e-12 - sum;
				sum = 1e-12;
			}
			l[j * n + j] = sqrt(sum);
		}
}

/* Sets the sigma points, and gives the alpha with which they keep the bounds. */
static double rths_learnukf_spread(struct rths_learnukf *u)
{
	struct rths_learnfollower *f = &u->follower;
	double fits = 1, alpha = 1, room, size, d;
	int n = f->p_len, i, j;

	rths_learnukf_factor(u);
	for (j = 0; j < n; j++) {
		room = rths_min(f->high[j] - f->theta[j], f->theta[j] - f->low[j]);
		for (i = 0; i < n; i++) {
			d = sqrt((double)n) * fabs(u->root[j * n + i]);
			if (d * fits > room)
				fits = room / d;
		}
	}
	while (alpha > fits && alpha > 0.15)
		alpha -= 0.1;
	alpha = rths_min(alpha, fits);
	size = alpha * sqrt((double)n);
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			d = size * u->root[j * n + i];
			u->points[2 * i * n + j] = d;
			u->points[(2 * i + 1) * n + j] = -d;
		}
	return alpha;
}

/* P += Q; y_i = f(x, v, z + S (theta_i - theta); theta_i); K = Pxy/Pyy; theta += K (y - mean); P -= K Pyy K'. */
static void rths_learnukf_learn(struct rths_learnukf *u, double x, double v, double force)
{
	struct rths_learnfollower *f = &u->follower;
	double y0, a2, w0, w, mean, pyy, d, e, *p = u->cov, *g = u->gain;
	int n = f->p_len, i, j;

	for (i = 0; i < n; i++)
		p[i * n + i] += 9.216e-7 * f->h; /* (3e-5)^2 in each tick at 1024 Hz */
	a2 = rths_learnukf_spread(u);
	a2 *= a2;
	y0 = rths_learnfollower_force(f, x, v, NULL);
	w0 = 1 - 1 / a2;
	w = 1 / (2 * (double)n * a2);
	mean = w0 * y0;
	for (i = 0; i < 2 * n; i++) {
		u->y[i] = rths_learnfollower_force(f, x, v, u->points + i * n);
		mean += w * u->y[i];
	}
	pyy = f->s.Noise * f->s.Noise + (w0 + 1 - a2 + 2) * (y0 - mean) * (y0 - mean);
	for (j = 0; j < n; j++)
		g[j] = 0;
	for (i = 0; i < 2 * n; i++) {
		d = u->y[i] - mean;
		pyy += w * d * d;
		for (j = 0; j < n; j++)
			g[j] += w * u->points[i * n + j] * d;
	}
	e = force - mean;
	if (!rths_finite(e / pyy) || !(pyy > 0))
		return;
	rths_learnfollower_judge(f, e, sqrt(pyy));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			p[i * n + j] -= g[i] * g[j] / pyy;
	for (j = 0; j < n; j++)
		rths_learnfollower_move(f, j, g[j] / pyy * e);
}

/* Remembers sound parameters, and goes back to them from a bound. */
static void rths_learnukf_guard(struct rths_learnukf *u)
{
	struct rths_learnfollower *f = &u->follower;
	int n = f->p_len, i, j;
	bool bound = false;
	double room;

	for (j = 0; j < n; j++) {
		room = 1.001e-3 * (f->high[j] - f->low[j]);
		bound = bound || f->theta[j] <= f->low[j] + room || f->theta[j] >= f->high[j] - room;
	}
	if (!bound) {
		u->pinned = 0;
		u->soundFor += f->h;
		if (u->soundFor >= 1) {
			rths_copy(u->sound, f->theta, n);
			u->soundFor = 0;
		}
		return;
	}
	u->soundFor = 0;
	u->pinned += f->h;
	if (u->pinned < f->s.PinnedS || u->pinned - f->h >= f->s.PinnedS)
		return;
	for (j = 0; j < n; j++) {
		rths_learnfollower_move(f, j, u->sound[j] - f->theta[j]);
		for (i = 0; i < n; i++)
			u->cov[j * n + i] = i == j ? 0.01 : 0;
	}
	u->fellBack += 1;
}

/* A reading for the unscented Kalman filter of parameters. */
static void rths_learnukf_step(void *self, double x, double v, double force, bool old)
{
	struct rths_learnukf *u = self;

	if (!rths_learnfollower_goes(&u->follower, x, v, force, old))
		return;
	rths_learnukf_learn(u, x, v, force);
	rths_learnukf_guard(u);
	rths_learnfollower_set(&u->follower);
}

static double rths_learnukf_value(void *self, int j, double *sd)
{
	struct rths_learnukf *u = self;

	return rths_learnfollower_value(&u->follower, u->cov, j, sd);
}

static bool rths_learnukf_white(void *self)
{
	return rths_learnfollower_white(&((struct rths_learnukf *)self)->follower);
}
