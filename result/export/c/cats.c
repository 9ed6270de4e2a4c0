/* Conditional adaptive time series (Palacio-Betancur and Gutierrez Soto 2019). */
static void rths_cats_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_cats *c = self;
	double u, missed;

	command[0] = rths_series_command(&c->series, target->x[0]);
	u = rths_series_pair(&c->series, read, c->x);
	missed = rths_filter_step(c->xt, rths_line_at(c->series.target, c->series.lead)) - c->x[0];
	if (!rths_settling_learns(&c->series.settling, read) || c->series.frozen || rths_unaimed_pass(&c->series.unaimed) || fabs(c->x[0]) < c->quiet || fabs(missed) < c->good)
		return;
	rths_rls_update(c->rls, c->x, u);
	rths_rls_clamp(c->series.a, c->rls->theta, c->rls->theta_len, c->lower, c->lower_len, c->upper, c->upper_len);
}

static void rths_cats_freeze(void *self, bool on)
{
	((struct rths_cats *)self)->series.frozen = on;
}

static bool rths_cats_settles(void *self)
{
	return ((struct rths_cats *)self)->series.settling.wait > 0;
}

static double rths_cats_residual(void *self, double *noise)
{
	return rths_series_residual(&((struct rths_cats *)self)->series, noise);
}

static bool rths_cats_pinned(void *self)
{
	struct rths_cats *c = self;

	return rths_differ(c->series.a, c->rls->theta, c->series.n);
}
