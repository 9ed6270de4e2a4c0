/* A fluid damper with a spring beside it: f = c v (v^2 + v0^2)^((alpha - 1)/2) + k x. */
static double rths_viscous_force(void *self, double x, double v, const double *z)
{
	struct rths_viscous *l = self;

	(void)z;
	return l->C * v * rths_pow(v * v + l->V0 * l->V0, (l->Alpha - 1) / 2) + l->K * x;
}
