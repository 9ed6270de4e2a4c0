/* Linear kinematic hardening: f = k2 x + (k0 - k2)(x - u_p), |x - u_p| <= d_y (Simo and Hughes 1998, section 1.4). */
static double rths_bilinear_elastic(const struct rths_bilinear *l, double x, double up)
{
	return rths_min(rths_max(x - up, -l->Dy), l->Dy);
}

static double rths_bilinear_force(void *self, double x, double v, const double *z)
{
	struct rths_bilinear *l = self;

	(void)v;
	return l->K2 * x + (l->K0 - l->K2) * rths_bilinear_elastic(l, x, z[0]);
}

static void rths_bilinear_commit(void *self, double *z, double x)
{
	z[0] = x - rths_bilinear_elastic(self, x, z[0]);
}
