static const double *rths_stages_ahead(struct rths_stages *s, const double *z, double h, const double *k)
{
	int i;

	for (i = 0; i < s->trial_len; i++)
		s->trial[i] = z[i] + h * k[i];
	return s->trial;
}

/* Runge-Kutta of order 4, for a time h at the rate v. */
static void rths_stages_step(struct rths_stages *s, double *z, double v, double h)
{
	double **k = s->k;
	int i;

	if (!s->law.rate)
		return;
	s->law.rate(s->law.self, k[0], z, v);
	s->law.rate(s->law.self, k[1], rths_stages_ahead(s, z, h / 2, k[0]), v);
	s->law.rate(s->law.self, k[2], rths_stages_ahead(s, z, h / 2, k[1]), v);
	s->law.rate(s->law.self, k[3], rths_stages_ahead(s, z, h, k[2]), v);
	for (i = 0; i < s->trial_len; i++)
		z[i] += h * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) / 6;
}
