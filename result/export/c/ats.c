/* Adaptive time series (Chae et al. 2013): moves a towards the fit, within bounds and rates. */
static void rths_ats_approach(struct rths_ats *c, const double fit[4])
{
	double want, most;
	int i;

	for (i = 0; i < c->most_len; i++) {
		most = c->most[i];
		want = rths_min(rths_max(fit[i], c->lower[i]), c->upper[i]);
		c->series.a[i] += rths_min(rths_max(want - c->series.a[i], -most), most);
	}
}

static void rths_ats_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_ats *c = self;
	double x[4], fit[4] = {0}, u;

	command[0] = rths_series_command(&c->series, target->x[0]);
	u = rths_series_pair(&c->series, read, x);
	if (!rths_settling_learns(&c->series.settling, read) || c->series.frozen || rths_unaimed_pass(&c->series.unaimed) || fabs(x[0]) < c->quiet)
		return;
	rths_window_add(c->window, x, u);
	if (!(rths_window_mean_square(c->window) >= c->quietRMS * c->quietRMS))
		return;
	if (rths_window_fit(c->window, fit))
		rths_ats_approach(c, fit);
}

static void rths_ats_freeze(void *self, bool on)
{
	((struct rths_ats *)self)->series.frozen = on;
}

static bool rths_ats_settles(void *self)
{
	return ((struct rths_ats *)self)->series.settling.wait > 0;
}

static double rths_ats_residual(void *self, double *noise)
{
	return rths_series_residual(&((struct rths_ats *)self)->series, noise);
}

static bool rths_ats_pinned(void *self)
{
	struct rths_ats *c = self;

	return rths_held(c->series.a, c->series.n, c->lower, c->lower_len, c->upper, c->upper_len);
}
