/* Bouc-Wen with degradation (Sivaselvan and Reinhorn 2000): f = a k_e x + z + k_h x^3. */
static double rths_boucwen_force(void *self, double x, double v, const double *z)
{
	struct rths_boucwen *l = self;

	(void)v;
	return (l->A * l->Ke + l->Kh * x * x) * x + z[0];
}

/* The rates of z and of the hysteretic energy h. */
static double rths_boucwen_rates(const struct rths_boucwen *l, double z, double h, double v, double *dh)
{
	double k = (1 - l->A) * l->Ke, fy = l->Fy, q = l->Eta2, r;

	if (l->Alpha > 0 || l->Beta > 0) {
		r = l->Alpha > 0 ? rths_exp(-l->Alpha * h) : 1;
		k = rths_max(r - l->A, 0) * l->Ke;
		fy = l->Fy / (1 + l->Beta * h);
	}
	q += z * v > 0 ? l->Eta1 : -l->Eta1;
	r = fabs(z / fy);
	r = l->N == 2 ? r * r : rths_pow(r, l->N);
	q *= rths_min(r, 2 / (l->Eta1 + l->Eta2));
	*dh = z * q * v;
	return k * (1 - q) * v;
}

/* Runge-Kutta of order 4. */
static void rths_boucwen_flow(void *self, double *state, double v, double t, int parts)
{
	struct rths_boucwen *l = self;
	double z = state[0], h = state[1], z1, z2, z3, z4, h1, h2, h3, h4;
	int i;

	t /= (double)parts;
	for (i = 0; i < parts; i++) {
		z1 = rths_boucwen_rates(l, z, h, v, &h1);
		z2 = rths_boucwen_rates(l, z + t / 2 * z1, h + t / 2 * h1, v, &h2);
		z3 = rths_boucwen_rates(l, z + t / 2 * z2, h + t / 2 * h2, v, &h3);
		z4 = rths_boucwen_rates(l, z + t * z3, h + t * h3, v, &h4);
		z += t * (z1 + 2 * z2 + 2 * z3 + z4) / 6;
		h += t * (h1 + 2 * h2 + 2 * h3 + h4) / 6;
	}
	state[0] = z;
	state[1] = h;
}
