#if defined(__FAST_MATH__) || (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2)
#error "compile without -ffast-math, and with the arithmetic of doubles (x86: -msse2 -mfpmath=sse): numbers have other bits otherwise, and readings that are no numbers are not noticed"
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* What the compensator sees of the target: displacement, velocity and acceleration of n actuators. */
struct rths_motion {
	const double *x, *v, *a;
	int n;
};

/* What was measured: displacements of the actuators and forces, samples since then, whether the tick is late, and the accelerations of the
   actuators, or NULL. */
struct rths_reading {
	const double *x, *f;
	int f_len;
	int age;
	bool late;
	const double *a;
};

static bool rths_finite(double x)
{
	return x - x == 0;
}

/* The larger of two numbers; not a number where one is not; 0 is larger than -0. */
static double rths_max(double a, double b)
{
	if (a != a || b != b || (a == 0 && b == 0))
		return a + b;
	return a > b ? a : b;
}

/* The smaller of two numbers, alike. */
static double rths_min(double a, double b)
{
	if (a != a || b != b || (a == 0 && b == 0))
		return -(-a + -b);
	return a < b ? a : b;
}

/* Copies n numbers. */
static void rths_copy(double *to, const double *from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		to[i] = from[i];
}

/* Whether a bound holds one of n parameters. */
static bool rths_held(const double *x, int n, const double *lower, int lowers, const double *upper, int uppers)
{
	int i;

	for (i = 0; i < n; i++)
		if ((i < lowers && x[i] <= lower[i]) || (i < uppers && x[i] >= upper[i]))
			return true;
	return false;
}

/* Whether n numbers are not all the same. */
static bool rths_differ(const double *a, const double *b, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return true;
	return false;
}
