/* Adaptive forward prediction (Wallace et al. 2005): P(t + tau), by Horner's rule. */
static double rths_forward_predict(const struct rths_forward *c)
{
	double s = c->tau / (c->h * c->length), x = 0, coefficient;
	int j, k;

	for (j = c->p.Order; j >= 0; j--) {
		const double *w = rths_dense_row(c->fit, j);

		coefficient = 0;
		for (k = 0; k < c->fit->mat.Cols; k++)
			coefficient += w[k] * rths_line_at(c->target, k);
		x = x * s + coefficient;
	}
	return x;
}

/* Compares the measurement with the target of its instant. */
static void rths_forward_adapt(struct rths_forward *c, double measured, bool fresh)
{
	double x = rths_line_at(c->target, c->lead), before = rths_line_at(c->target, c->lead + 1), older = rths_line_at(c->target, c->lead + 2);
	bool crossed = (x > 0) != (before > 0), turned = (x - before) * (before - older) < 0, counts;
	double least = rths_max(c->p.SuspendBelow, c->before / 2), missed = x - measured, v;

	c->most = rths_max(c->most, fabs(x));
	counts = c->most >= least;
	if (crossed) {
		c->before = c->most;
		c->most = fabs(x);
	}
	if (c->frozen || !fresh || !counts)
		return;
	v = (x - before) / c->h;
	if (crossed && v != 0)
		c->tau = rths_min(rths_max(c->tau + c->p.TauRate * missed / v, 0), c->p.MaxTauMs / 1e3);
	if (turned && fabs(x) >= least && x != 0)
		c->gain = rths_min(rths_max(c->gain + c->p.GainRate * missed / x, 0.5), 2);
}

static void rths_forward_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_forward *c = self;

	rths_line_push(c->target, target->x[0]);
	command[0] = rths_sane_of(&c->out, c->gain * rths_forward_predict(c));
	rths_forward_adapt(c, rths_sane_of(&c->reading, read->x[0]), read->age == 0 && !read->late && rths_finite(read->x[0]));
}

static void rths_forward_freeze(void *self, bool on)
{
	((struct rths_forward *)self)->frozen = on;
}

static bool rths_forward_pinned(void *self)
{
	struct rths_forward *c = self;

	return c->tau <= 0 || c->tau >= c->p.MaxTauMs / 1e3 || c->gain <= 0.5 || c->gain >= 2;
}
