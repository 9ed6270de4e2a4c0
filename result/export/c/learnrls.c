/* Least squares with forgetting (Ljung 1999, section 11.2): K = P phi/(lambda R + phi' P phi), theta += K (y - f),
   P = (P - K phi' P)/lambda. */
static void rths_learnrls_step(void *self, double x, double v, double force, bool old)
{
	struct rths_learnrls *r = self;
	struct rths_learnfollower *f = &r->follower;
	double y, s, e, less, *g = r->gain, *p = r->cov;
	int n = f->p_len, i, j;

	if (!rths_learnfollower_goes(f, x, v, force, old))
		return;
	y = rths_learnfollower_force(f, x, v, NULL);
	for (j = 0; j < n; j++) {
		for (i = 0; i < n; i++)
			g[i] = i == j ? 1e-6 : 0;
		r->phi[j] = (rths_learnfollower_force(f, x, v, g) - y) / 1e-6;
	}
	s = r->keep * (f->s.Noise * f->s.Noise);
	for (i = 0; i < n; i++) {
		g[i] = 0;
		for (j = 0; j < n; j++)
			g[i] += p[i * n + j] * r->phi[j];
		s += r->phi[i] * g[i];
	}
	e = force - y;
	if (!rths_finite(e / s) || !(s > 0))
		return;
	rths_learnfollower_judge(f, e, sqrt(s));
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			p[i * n + j] = (p[i * n + j] - g[i] * g[j] / s) / r->keep;
	for (i = 0; i < n; i++) {
		if (!(p[i * n + i] > 0.01))
			continue;
		less = sqrt(0.01 / p[i * n + i]);
		for (j = 0; j < n; j++) {
			p[i * n + j] *= less;
			p[j * n + i] *= less;
		}
	}
	for (j = 0; j < n; j++)
		rths_learnfollower_move(f, j, g[j] / s * e);
	rths_learnfollower_set(f);
}

static double rths_learnrls_value(void *self, int j, double *sd)
{
	struct rths_learnrls *r = self;

	return rths_learnfollower_value(&r->follower, r->cov, j, sd);
}

static bool rths_learnrls_white(void *self)
{
	return rths_learnfollower_white(&((struct rths_learnrls *)self)->follower);
}
