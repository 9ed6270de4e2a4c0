/* Bend: g is |f|/max|f| while the specimen is loaded further, else 0. */
static double rths_bend_yielding(struct rths_bend *y, const struct rths_reading *read, double v, bool learns)
{
	double f, size;

	if (read->f_len == 0)
		return 0;
	f = read->f[0];
	size = fabs(f);
	if (!(size <= 1.7976931348623157e308))
		return 0;
	if (learns) {
		y->force = rths_max(y->force, rths_min(size, y->last));
		y->last = size;
	}
	if (!(f * v > 0) || y->force == 0)
		return 0;
	return rths_min(size / y->force, 1);
}

/* q is (d/max|d|)^2. */
static double rths_bend_hardening(struct rths_bend *y, double d, bool learns)
{
	double size = fabs(d), q;

	if (learns && size > y->far && size <= 1e3)
		y->far = size;
	if (y->far == 0)
		return 0;
	q = rths_min(size / y->far, 1);
	return q * q;
}

/* A tick of the filter, with the residual r, its noise, the prefiltered terms w0 and w1, and the share by which the
   covariance goes back to its start. */
static void rths_bend_learn(struct rths_bend *y, double r, double noise, double w0, double w1, double share)
{
	double *p = y->p, g0, g1, s, b, e;

	if (p[0] == 0 && p[2] == 0 && share == 0)
		return;
	g0 = p[0] * w0 + p[1] * w1;
	g1 = p[1] * w0 + p[2] * w1;
	s = noise + w0 * g0 + w1 * g1;
	b = y->b + g0 / s * r;
	e = y->e + g1 / s * r;
	if (rths_finite(b) && rths_finite(e)) {
		y->b = rths_min(rths_max(b, -y->limit), y->limit);
		y->e = rths_min(rths_max(e, 0), y->limit);
		p[0] -= g0 * g0 / s;
		p[1] -= g0 * g1 / s;
		p[2] -= g1 * g1 / s;
	}
	p[0] += share * (y->start[0] - p[0]);
	p[1] -= share * p[1];
	p[2] += share * (y->start[1] - p[2]);
}
