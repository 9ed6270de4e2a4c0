/* Kalman-filter compensation (Ning et al. 2020): brings the estimate within its bounds. */
static void rths_kf_bound(struct rths_kf *c)
{
	int i;

	rths_copy(c->used, c->x, 4);
	for (i = 0; i < c->lower_len; i++)
		c->used[i] = rths_max(c->used[i], c->lower[i]);
	for (i = 0; i < c->upper_len; i++)
		c->used[i] = rths_min(c->used[i], c->upper[i]);
}

/* The covariance of (10). */
static void rths_kf_less(struct rths_covariance *p, double g1, double g2, double g3, double g4, double a1, double a2, double a3, double a4)
{
	p->p11 -= g1 * a1;
	p->p12 -= g1 * a2;
	p->p13 -= g1 * a3;
	p->p14 -= g1 * a4;
	p->p22 -= g2 * a2;
	p->p23 -= g2 * a3;
	p->p24 -= g2 * a4;
	p->p33 -= g3 * a3;
	p->p34 -= g3 * a4;
	p->p44 -= g4 * a4;
}

/* (8) to (10), written out for four taps: H = (h1 ... h4), P H' = (a1 ... a4), e the innovation. */
static void rths_kf_update(struct rths_kf *c, double y, double h1)
{
	double h2 = rths_line_at(c->measured, c->s);
	double h3 = rths_line_at(c->measured, 2 * c->s);
	double h4 = rths_line_at(c->measured, 3 * c->s);
	struct rths_covariance *p = &c->p;
	double *x = c->x;
	double a1 = p->p11 * h1 + p->p12 * h2 + p->p13 * h3 + p->p14 * h4;
	double a2 = p->p12 * h1 + p->p22 * h2 + p->p23 * h3 + p->p24 * h4;
	double a3 = p->p13 * h1 + p->p23 * h2 + p->p33 * h3 + p->p34 * h4;
	double a4 = p->p14 * h1 + p->p24 * h2 + p->p34 * h3 + p->p44 * h4;
	double inv = 1 / (h1 * a1 + h2 * a2 + h3 * a3 + h4 * a4 + c->r);
	double e = y - (h1 * x[0] + h2 * x[1] + h3 * x[2] + h4 * x[3]);
	double g1 = a1 * inv, g2 = a2 * inv, g3 = a3 * inv, g4 = a4 * inv; /* (9) */

	if (!rths_finite(e * inv))
		return;
	x[0] += g1 * e;
	x[1] += g2 * e;
	x[2] += g3 * e;
	x[3] += g4 * e;
	rths_kf_less(p, g1, g2, g3, g4, a1, a2, a3, a4);
	rths_kf_bound(c);
}

/* (15) and (16) */
static double rths_kf_command(struct rths_kf *c, double d1)
{
	const double *x = c->used;

	rths_line_push(c->desired, d1);
	return rths_sane_of(&c->out, x[0] * d1 + x[1] * rths_line_at(c->desired, c->s) + x[2] * rths_line_at(c->desired, 2 * c->s) + x[3] * rths_line_at(c->desired, 3 * c->s));
}

static void rths_kf_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_kf *c = self;
	double u = rths_kf_command(c, target->x[0]), y = u, h1;
	int late = c->late->n - 1;

	if (late > 0) {
		rths_line_push(c->late, u);
		u = rths_line_at(c->late, c->extra);
		y = rths_line_at(c->late, late);
	}
	command[0] = u;
	y = rths_filter_step(c->yf, rths_beside_add(&c->beside, y));
	c->y = y;
	h1 = rths_zero_of(&c->zero, rths_sane_of(&c->reading, read->x[0]), rths_line_at(c->desired, c->lead), read);
	h1 = rths_filter_step(c->mf, h1);
	rths_line_push(c->measured, h1);
	if (rths_settling_learns(&c->settling, read) && !c->frozen && !rths_unaimed_pass(&c->unaimed) && fabs(h1) >= c->quiet)
		rths_kf_update(c, y, h1);
}

static void rths_kf_freeze(void *self, bool on)
{
	((struct rths_kf *)self)->frozen = on;
}

static bool rths_kf_settles(void *self)
{
	return ((struct rths_kf *)self)->settling.wait > 0;
}

static bool rths_kf_pinned(void *self)
{
	struct rths_kf *c = self;

	return rths_differ(c->x, c->used, 4);
}

/* What the parameters leave of (4), and the noise in it. */
static double rths_kf_residual(void *self, double *noise)
{
	struct rths_kf *c = self;
	double left = c->y;
	int i;

	for (i = 0; i < c->n; i++)
		left -= c->used[i] * rths_line_at(c->measured, i * c->s);
	*noise = rths_noise_through(c->noise, c->used, c->n);
	return left;
}
