/* A spring, a dashpot and Maxwell branches: f = k x + c v + sum z_i, dz_i/dt = k_i v - z_i/tau_i. */
static double rths_viscoelastic_force(void *self, double x, double v, const double *z)
{
	struct rths_viscoelastic *l = self;
	double f = l->K * x + l->C * v;
	int i;

	for (i = 0; i < l->Branches_len; i++)
		f += z[i];
	return f;
}

static void rths_viscoelastic_rate(void *self, double *dz, const double *z, double v)
{
	struct rths_viscoelastic *l = self;
	int i;

	for (i = 0; i < l->Branches_len; i++)
		dz[i] = l->Branches[i].K * v - l->Branches[i].Rate * z[i];
}
