/* Adaptive inverse of order 4 by a Kalman filter (docs/reference/kalman-inverse.md). The noise R of a reading is a mean over 1 s of
   the third difference, whose variance is 20 R. */
static void rths_kalmaninverse_hear(struct rths_kalmaninverse *c, double x)
{
	double third;

	if (c->k < 3 || c->torn > 0)
		return;
	third = x - 3 * (c->past[0] - c->past[1]) - c->past[2];
	c->noise = rths_max(c->noise + c->h * (third * third / 20 - c->noise), c->floor);
}

/* Remembers a fresh reading. */
static void rths_kalmaninverse_keep(struct rths_kalmaninverse *c, double x)
{
	c->k += 1;
	c->torn = rths_max(c->torn - 1, 0);
	c->past[2] = c->past[1];
	c->past[1] = c->past[0];
	c->past[0] = x;
}

/* The gate, 0 to 1: shut while noise explains the residual. */
static double rths_kalmaninverse_opening(const struct rths_kalmaninverse *c)
{
	return rths_min(rths_max(c->nu / c->opens - 1, 0), 1);
}

/* The value n samples before the newest, on the line between two samples. */
static double rths_kalmaninverse_between(const struct rths_line *l, double n)
{
	int k = (int)n;
	double newer = rths_line_at(l, k);

	return newer + (n - (double)k) * (rths_line_at(l, k + 1) - newer);
}

/* (7), with W = 2 pi 10 */
static void rths_kalmaninverse_regressor(const struct rths_kalmaninverse *c, double phi[5])
{
	const double *d = c->d.w, *a = c->a;
	int i;

	for (i = 0; i < 4; i++)
		phi[i] = (d[i] + c->prior.c[i] * d[4]) / c->unit[i];
	phi[4] = (a[0] * d[1] + a[1] * d[2] + a[2] * d[3] + a[3] * d[4] + a[4] * c->d.top) / 62.83185307179586477;
}

/* (6) with the coefficients in use */
static double rths_kalmaninverse_left(const struct rths_kalmaninverse *c)
{
	const double *x = c->x.w, *a = c->a;

	return rths_kalmaninverse_between(c->waiting, c->ahead.n) - a[0] * x[0] - a[1] * x[1] - a[2] * x[2] - a[3] * x[3] - a[4] * x[4] - c->bend.b * c->gv.w[0] - c->bend.e * c->qv.w[0];
}

/* The bounded forgetting: the covariance of a0 to a3 comes nearer to P0 by a share. */
static void rths_kalmaninverse_widen(struct rths_kalmaninverse *c, double share)
{
	int i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < 4; j++)
			c->p[i][j] += share * (c->prior.p0[i][j] - c->p[i][j]);
		c->p[i][4] -= share * c->p[i][4];
		c->p[4][i] = c->p[i][4];
	}
}

/* Takes from the delay, down to the pure delay, what would leave the load of the specimen a negative damping. */
static void rths_kalmaninverse_restrain(struct rths_kalmaninverse *c)
{
	double *t = c->theta, q = c->prior.undamped;
	double damping = t[2] - q * t[1], beyond = t[4] - c->prior.pure, along[5], step;
	int j;

	if (damping >= 0 || !(beyond > 0) || q == 0)
		return;
	for (j = 0; j < 5; j++)
		along[j] = c->p[j][2] - q * c->p[j][1];
	if (!(along[4] < 0))
		return;
	step = rths_min(-damping / (along[2] - q * along[1]), -beyond / along[4]);
	for (j = 0; j < 5; j++)
		t[j] += step * along[j];
}

/* Brings the estimates within their bounds: one beyond goes to its bound, and takes the others along. */
static void rths_kalmaninverse_project(struct rths_kalmaninverse *c)
{
	double *t = c->theta, off;
	const double *lo = c->prior.lo, *hi = c->prior.hi;
	int i, j;

	for (i = 4; i >= 0; i--) {
		off = rths_min(rths_max(t[i], lo[i]), hi[i]) - t[i];
		if (off == 0 || !(c->p[i][i] > 0))
			continue;
		off /= c->p[i][i];
		for (j = 0; j < 5; j++)
			t[j] += c->p[j][i] * off;
	}
	rths_kalmaninverse_restrain(c);
	for (i = 0; i < 5; i++)
		t[i] = rths_min(rths_max(t[i], lo[i]), hi[i]);
}

/* Sets the coefficients and the gate from the estimates and nu. */
static void rths_kalmaninverse_use(struct rths_kalmaninverse *c)
{
	double snap = 0;
	int i;

	for (i = 0; i < 4; i++) {
		c->a[i] = c->theta[i] / c->unit[i];
		snap += c->prior.c[i] * c->a[i];
	}
	snap = rths_min(rths_max(snap, 0), c->prior.top);
	c->gate = rths_kalmaninverse_opening(c);
	c->a[4] = snap + c->gate * (c->prior.mean - snap);
	c->delta = c->theta[4] / 62.83185307179586477;
	rths_extrapolation_set(&c->ahead, c->delta / c->h);
}

/* g = P phi, and the variance of the residual. */
static double rths_kalmaninverse_spread(const struct rths_kalmaninverse *c, const double phi[5], double noise, double g[5])
{
	double s = noise;
	int i;

	for (i = 0; i < 5; i++) {
		const double *p = c->p[i];

		g[i] = p[0] * phi[0] + p[1] * phi[1] + p[2] * phi[2] + p[3] * phi[3] + p[4] * phi[4];
		s += phi[i] * g[i];
	}
	return s;
}

/* theta += K r, P -= K phi' P with K = P phi/S. */
static void rths_kalmaninverse_update(struct rths_kalmaninverse *c, const double g[5], double s, double r)
{
	double k;
	int i, j;

	for (i = 0; i < 5; i++) {
		k = g[i] / s;
		c->theta[i] += k * r;
		for (j = i; j < 5; j++) {
			c->p[i][j] -= k * g[j];
			c->p[j][i] = c->p[i][j];
		}
	}
}

/* The residual (6): nu, then the estimates and their covariance, then forgetting, then the bounds. */
static void rths_kalmaninverse_learn(struct rths_kalmaninverse *c)
{
	double r = rths_kalmaninverse_left(c), noise = c->noise + c->left * (c->d.w[0] * c->d.w[0]);
	double phi[5], g[5], s, ratio, gate;

	rths_kalmaninverse_regressor(c, phi);
	s = rths_kalmaninverse_spread(c, phi, noise, g);
	ratio = r * r / s;
	if (!rths_finite(ratio))
		return;
	c->nu += c->watch * (ratio - c->nu);
	gate = rths_kalmaninverse_opening(c);
	rths_kalmaninverse_update(c, g, s, r);
	rths_bend_learn(&c->bend, r, noise, c->gv.w[0], c->qv.w[0], c->forget * gate);
	if (gate > 0)
		rths_kalmaninverse_widen(c, c->forget * gate);
	rths_kalmaninverse_project(c);
	rths_kalmaninverse_use(c);
}

/* Corrects the mean of the reading by a Kalman filter on reading less target. */
static void rths_kalmaninverse_zero(struct rths_kalmaninverse *c, double x, double target, double velocity)
{
	double moved = 0.5 * (target - c->d.mean), lagged = 0.3 * c->a[1] * velocity;
	double late = c->p[4][4] / (62.83185307179586477 * 62.83185307179586477) * (velocity * velocity);
	double noise = c->noise + moved * moved + lagged * lagged + late;
	double part;

	if (!rths_finite(noise))
		return;
	part = c->zeroVariance / (c->zeroVariance + noise);
	c->zeroVariance = part * noise;
	c->x.mean += part * (x - target - c->x.mean + c->d.mean);
}

/* The time by which the target's acceleration is ahead of its displacement, by least squares. */
static void rths_early_learn(struct rths_early *e, const double a[5], const double d[5])
{
	double product = e->product + (a[0] - d[2]) * d[3], square = e->square + d[3] * d[3];
	double by = product / square;

	if (!rths_finite(by))
		return;
	e->product = product;
	e->square = square;
	e->by = rths_min(rths_max(by, -e->most), e->most);
}

/* (1) without the extrapolation and the last two terms: each term expanded tau ahead, and what a is early and j late
   taken back. */
static double rths_kalmaninverse_inverse(struct rths_kalmaninverse *c, double d, double v, double a)
{
	double s, j = rths_jerk_of(&c->jerk, a, c->alpha, c->h, &s);
	double late = -c->early.by;
	double t = c->tau, *k = c->a;

	return k[0] * (d + t * (v + t / 2 * a)) + k[1] * (v + t * (a + t / 2 * j)) + k[2] * (a + (t + late) * j) + k[3] * (j + (late + c->jerkLag) * s) + k[4] * s;
}

/* What aimed at the instant of the reading. */
static void rths_kalmaninverse_pass(struct rths_kalmaninverse *c, double aimed[5])
{
	int i;

	for (i = 0; i < c->late_len; i++) {
		rths_line_push(c->late[i], aimed[i]);
		aimed[i] = rths_line_at(c->late[i], c->late[i]->n - 1);
	}
}

/* The filters, of the reading x or of the target in its place. */
static void rths_kalmaninverse_filter(struct rths_kalmaninverse *c, const double aimed[5], double x, double v, bool fresh)
{
	double memory = 1 / c->longest, sent = rths_beside_add(&c->beside, aimed[0]);

	if (c->k <= 1) { /* the means of a target at rest */
		c->x.mean = x;
		c->d.mean = aimed[1];
		c->u.mean = sent - aimed[0] + c->a[0] * aimed[1];
	}
	rths_prefilter_step(&c->prefilter, &c->d, aimed[1], memory);
	if (fresh)
		rths_kalmaninverse_zero(c, x, aimed[1], v);
	rths_prefilter_step(&c->prefilter, &c->x, x, memory);
	rths_prefilter_step(&c->prefilter, &c->u, sent, memory);
	rths_prefilter_step(&c->prefilter, &c->gv, aimed[2], memory);
	rths_prefilter_step(&c->prefilter, &c->qv, aimed[3], memory);
	rths_prefilter_step(&c->prefilter, &c->acceleration, aimed[4], memory);
	rths_early_learn(&c->early, c->acceleration.w, c->d.w);
	rths_line_push(c->waiting, c->u.w[0]);
}

static void rths_kalmaninverse_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_kalmaninverse *c = self;
	double d = target->x[0], v = target->v[0], x = read->x[0], aimed[5];
	bool fresh = read->age == 0 && !read->late && fabs(x) <= 1e3;
	bool learns = rths_settling_takes(&c->settling, read, fresh) && !c->frozen;
	double gv = rths_bend_yielding(&c->bend, read, v, learns) * v, qv = rths_bend_hardening(&c->bend, d, learns) * v;

	command[0] = rths_sane_of(&c->out, rths_extrapolation_of(&c->ahead, rths_kalmaninverse_inverse(c, d, v, target->a[0]) + c->bend.b * gv + c->bend.e * qv));
	aimed[0] = command[0];
	aimed[1] = d;
	aimed[2] = gv;
	aimed[3] = qv;
	aimed[4] = target->a[0];
	rths_kalmaninverse_pass(c, aimed);
	if (learns)
		rths_kalmaninverse_hear(c, x);
	if (fresh) {
		rths_kalmaninverse_keep(c, x);
	} else {
		x = aimed[1] - c->d.mean + c->x.mean;
		c->torn = 3;
	}
	rths_kalmaninverse_filter(c, aimed, x, v, fresh);
	if (fresh)
		c->off = x - c->x.mean - (aimed[1] - c->d.mean);
	if (learns && !rths_unaimed_pass(&c->unaimed))
		rths_kalmaninverse_learn(c);
}

static void rths_kalmaninverse_freeze(void *self, bool on)
{
	((struct rths_kalmaninverse *)self)->frozen = on;
}

static bool rths_kalmaninverse_settles(void *self)
{
	return ((struct rths_kalmaninverse *)self)->settling.wait > 0;
}

/* Whether a bound holds an estimate. A bound of 0, or one that is the start, holds nothing. */
static bool rths_kalmaninverse_pinned(void *self)
{
	struct rths_kalmaninverse *c = self;
	double v, lo, hi;
	int i;

	for (i = 0; i < 5; i++) {
		v = c->theta[i];
		lo = c->prior.lo[i];
		hi = c->prior.hi[i];
		if (lo < hi && ((v <= lo && lo > 0) || v >= hi))
			return true;
	}
	return false;
}

/* The reading less the target, and the standard deviation of the reading's noise. */
static double rths_kalmaninverse_residual(void *self, double *noise)
{
	struct rths_kalmaninverse *c = self;

	*noise = sqrt(c->noise);
	return c->off;
}
