/* Conditional adaptive time series (Palacio-Betancur and Gutierrez Soto 2019). */
static void rths_cats_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_cats *c = self;
	double u, missed;

	command[0] = rths_series_command(&c->series, target->x[0]);
	u = rths_series_pair(&c->series, read->x[0], c->x);
	missed = rths_filter_step(c->xt, rths_line_at(c->series.target, c->series.lead)) - c->x[0];
	if (!rths_settling_learns(&c->series.settling, read) || c->series.frozen || rths_unaimed_pass(&c->series.unaimed) || fabs(c->x[0]) < c->quiet || fabs(missed) < c->good)
		return;
	rths_rls_update(c->rls, c->x, u);
	rths_rls_clamp(c->series.a, c->rls->theta, c->rls->theta_len, c->lower, c->lower_len, c->upper, c->upper_len);
}
