/* e^x in the order of sums that rths has on every processor (Shibata 2010). */
static double rths_exp(double x)
{
	double k, r, p, s;

	if (x != x)
		return x;
	if (x > 7.09782712893384e+02)
		return INFINITY;
	k = rint(x * 1.4426950408889634073599246810018920);
	if (k < -1023 - 52)
		return 0;
	r = fma(-k, 0.28235290563031577122588448175013436025525412068e-12, fma(-k, 0.69314718055966295651160180568695068359375, x)) * 0.0625;
	p = fma(2.4801587301587301587e-5, r, 1.9841269841269841270e-4);
	p = fma(p, r, 1.3888888888888888889e-3);
	p = fma(p, r, 8.3333333333333333333e-3);
	p = fma(p, r, 4.1666666666666666667e-2);
	p = fma(p, r, 1.6666666666666666667e-1);
	p = fma(p, r, 0.5);
	p = fma(p, r, 1);
	s = r * p;
	s *= s + 2;
	s *= s + 2;
	s *= s + 2;
	return ldexp(fma(s + 2, s, 1), (int)k);
}

/* The natural logarithm of a finite x above 0, as Go and FreeBSD have it. */
static double rths_log(double x)
{
	double f, s, s2, s4, t1, t2, half, k;
	int n;

	f = frexp(x, &n);
	if (f < 7.07106781186547524401e-01) {
		f *= 2;
		n--;
	}
	f -= 1;
	k = n;
	s = f / (2 + f);
	s2 = s * s;
	s4 = s2 * s2;
	t1 = s2 * (6.666666666666735130e-01 + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
	t2 = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
	half = 0.5 * f * f;
	return k * 6.93147180369123816490e-01 - ((half - (s * (half + (t1 + t2)) + k * 1.90821492927058770002e-10)) - f);
}

/* x^y for x of 0 or more, as Go has it. */
static double rths_pow(double x, double y)
{
	double whole, part, product = 1, square;
	int exponent = 0, twos;
	long long i;

	if (y == 0 || x == 1)
		return 1;
	if (y == 1)
		return x;
	part = modf(fabs(y), &whole);
	if (!(x > 0) || !rths_finite(x) || !(whole < 9e18))
		return pow(x, y); /* no rounding in these */
	if (y == 0.5)
		return sqrt(x);
	if (y == -0.5)
		return 1 / sqrt(x);
	if (part > 0.5) {
		part -= 1;
		whole += 1;
	}
	if (part != 0)
		product = rths_exp(part * rths_log(x));
	square = frexp(x, &twos);
	for (i = (long long)whole; i != 0; i >>= 1) {
		if (twos < -4096 || twos > 4096) { /* beyond all numbers */
			exponent += twos;
			break;
		}
		if (i & 1) {
			product *= square;
			exponent += twos;
		}
		square *= square;
		twos *= 2;
		if (square < 0.5) {
			square += square;
			twos--;
		}
	}
	if (y < 0) {
		product = 1 / product;
		exponent = -exponent;
	}
	return ldexp(product, exponent);
}
