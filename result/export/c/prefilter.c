/* Prefilter: one sample of a signal. A value that is no displacement leaves all as it is. */
static void rths_prefilter_step(const struct rths_prefilter *f, struct rths_derived *s, double y, double memory)
{
	double *w = s->w, q = f->half, w0, w1, w2, w3, w4, top;
	const double *d = f->d, *g = f->power;

	if (!(fabs(y) <= 1e3))
		return;
	s->mean += (y - s->mean) * memory;
	y -= s->mean;
	w4 = w[4] + q * s->top;
	w3 = w[3] + q * (w[4] + w4);
	w2 = w[2] + q * (w[3] + w3);
	w1 = w[1] + q * (w[2] + w2);
	w0 = w[0] + q * (w[1] + w1);
	top = (y - d[0] * w0 - d[1] * w1 - d[2] * w2 - d[3] * w3 - d[4] * w4) * f->over;
	s->top = top;
	w[0] = w0 + g[0] * top;
	w[1] = w1 + g[1] * top;
	w[2] = w2 + g[2] * top;
	w[3] = w3 + g[3] * top;
	w[4] = w4 + g[4] * top;
}
