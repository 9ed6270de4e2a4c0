/* Filter: b(1/z)/a(1/z) in transposed direct form II. */
static double rths_filter_step(struct rths_filter *f, double x)
{
	const double *b = f->b, *a = f->a;
	double *z = f->z;
	double y = b[0] * x + z[0];
	int i;

	for (i = 0; i < 4 || (i < f->order && i < 12); i++)
		z[i] = b[i + 1] * x - a[i + 1] * y + z[i + 1];
	return y;
}
