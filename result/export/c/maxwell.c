/* A spring in series with a dashpot of a power law: df/dt = k (v - v_d), v_d = (|f|/c)^(1/alpha) sgn f. */
static double rths_maxwell_force(void *self, double x, double v, const double *z)
{
	(void)self;
	(void)x;
	(void)v;
	return z[0];
}

static void rths_maxwell_rate(void *self, double *dz, const double *z, double v)
{
	struct rths_maxwell *l = self;

	dz[0] = l->K * (v - copysign(rths_pow(fabs(z[0]) / l->C, 1 / l->Alpha), z[0]));
}
