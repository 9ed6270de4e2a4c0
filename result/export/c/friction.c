/* Coulomb friction, reached over a stiffness in stick: f = k (x - s), |f| <= mu N. */
static double rths_friction_force(void *self, double x, double v, const double *z)
{
	struct rths_friction *l = self;
	double most = l->Mu * l->N;

	(void)v;
	return rths_min(rths_max(l->K * (x - z[0]), -most), most);
}

static void rths_friction_commit(void *self, double *z, double x)
{
	struct rths_friction *l = self;
	double most = l->Mu * l->N, f = l->K * (x - z[0]);

	if (fabs(f) > most)
		z[0] = x - copysign(most, f) / l->K;
}
