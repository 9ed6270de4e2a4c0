/* LuGre friction (Canudas de Wit et al. 1995): f = sigma0 z + sigma1 dz/dt + sigma2 v. */
static double rths_lugre_steady(const struct rths_lugre *l, double v)
{
	return l->Fc + (l->Fs - l->Fc) * rths_exp(-fabs(v) / l->Vs);
}

static double rths_lugre_force(void *self, double x, double v, const double *z)
{
	struct rths_lugre *l = self;
	double bend = v - l->Sigma0 * fabs(v) / rths_lugre_steady(l, v) * z[0];

	(void)x;
	return l->Sigma0 * z[0] + l->Sigma1 * bend + l->Sigma2 * v;
}

/* At a steady rate z tends to g/sigma0. */
static void rths_lugre_flow(void *self, double *z, double v, double h, int parts)
{
	struct rths_lugre *l = self;
	double g = rths_lugre_steady(l, v), slid = copysign(g / l->Sigma0, v);

	(void)parts;
	z[0] = slid + (z[0] - slid) * rths_exp(-l->Sigma0 * fabs(v) * h / g);
}
