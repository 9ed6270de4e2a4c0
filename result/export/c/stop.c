/* A spring beyond a free travel. */
static double rths_stop_force(void *self, double x, double v, const double *z)
{
	struct rths_stop *l = self;
	double into = 0;

	(void)v;
	(void)z;
	if (l->Gap && x > l->Travel)
		into = x - l->Travel;
	else if (l->Hook && x < -l->Travel)
		into = x + l->Travel;
	return l->K * into;
}
