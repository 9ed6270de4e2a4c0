/* Extrapolation: makes it n samples ahead. */
static void rths_extrapolation_set(struct rths_extrapolation *e, double n)
{
	double t = e->tau;
	double e1 = n, e2 = n * (1 + 2 * t) / 2, e3 = n * (1 + 3 * t + 3 * t * t) / 3;

	e->n = n;
	e->k[0] = e1;
	e->k[1] = e2 + e1 * e1 / 2;
	e->k[2] = e3 + e1 * e2 + e1 * e1 * e1 / 6;
}

/* E u */
static double rths_extrapolation_of(struct rths_extrapolation *e, double u)
{
	double over = 1 / (1 + e->tau), *d = e->d;
	double first = (e->tau * d[0] + u - e->u) * over;
	double second = (e->tau * d[1] + first - d[0]) * over;

	d[2] = (e->tau * d[2] + second - d[1]) * over;
	e->u = u;
	d[0] = first;
	d[1] = second;
	return u + e->k[0] * first + e->k[1] * second + e->k[2] * d[2];
}
