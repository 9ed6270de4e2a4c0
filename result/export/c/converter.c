/* Converter: the nearest multiple of q, halves away from zero. */
static double rths_converter_quantize(double x, double q)
{
	double n;

	if (q == 0)
		return x;
	n = x / q;
	if (!(fabs(n) < 2251799813685248.0)) /* 2^51: too coarse a number to have a fraction, or not finite */
		return x;
	return q * (double)(long long)(n + copysign(0.5, n));
}

/* Within +-limit; a limit of 0 means none. */
static double rths_converter_saturate(double x, double limit)
{
	if (limit == 0)
		return x;
	if (x > limit)
		return limit;
	if (x < -limit)
		return -limit;
	return x;
}

static double rths_converter_da(const struct rths_converter *c, double x)
{
	return rths_converter_saturate(rths_converter_quantize(x, c->Quantum), c->Range);
}

static double rths_converter_ad(const struct rths_converter *c, double x)
{
	return rths_converter_quantize(rths_converter_saturate(x, c->Range), c->Quantum);
}
