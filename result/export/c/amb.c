/* Adaptive model-based compensation (Galmez 2021, chapter 6). */
static void rths_amb_bound(struct rths_amb *c)
{
	int i;

	for (i = 0; i < c->series.n; i++) {
		c->series.a[i] = rths_max(c->sum[i], c->lower[i]);
		if (c->upper)
			c->series.a[i] = rths_min(c->series.a[i], c->upper[i]);
	}
}

/* One Euler step of the gradient law (6.5) to (6.8). */
static void rths_amb_adapt(struct rths_amb *c, const double x[4], double xcf)
{
	double est = 0, norm = c->n0, e, next;
	int i;

	for (i = 0; i < 4; i++) {
		est += c->series.a[i] * x[i];
		norm += c->w[i] * (x[i] * x[i]);
	}
	e = (xcf - est) / norm;
	for (i = 0; i < 4; i++) {
		next = c->sum[i] + c->gain[i] * e * x[i];
		if (rths_finite(next))
			c->sum[i] = next;
	}
	rths_amb_bound(c);
}

static void rths_amb_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_amb *c = self;
	double x[4], xcf;

	command[0] = rths_series_command(&c->series, target->x[0]);
	xcf = rths_series_pair(&c->series, read, x);
	if (rths_settling_learns(&c->series.settling, read) && !c->series.frozen && !rths_unaimed_pass(&c->series.unaimed) && fabs(x[0]) >= c->quiet)
		rths_amb_adapt(c, x, xcf);
}

static void rths_amb_freeze(void *self, bool on)
{
	((struct rths_amb *)self)->series.frozen = on;
}

static bool rths_amb_settles(void *self)
{
	return ((struct rths_amb *)self)->series.settling.wait > 0;
}

static double rths_amb_residual(void *self, double *noise)
{
	return rths_series_residual(&((struct rths_amb *)self)->series, noise);
}

static bool rths_amb_pinned(void *self)
{
	struct rths_amb *c = self;

	return rths_differ(c->series.a, c->sum, 4);
}
