/* Recursive least squares with a forgetting factor: lambda, or 1 while P is wound up. */
static double rths_rls_forget(const struct rths_rls *r)
{
	int n = r->theta_len, i;

	for (i = 0; i < n; i++)
		if (r->p[i * n + i] > r->limit[i])
			return 1;
	return r->lambda;
}

/* Whether all of a step is finite. */
static bool rths_rls_possible(const struct rths_rls *r, double d, double e)
{
	double sum = d + e, k;
	int n = r->theta_len, i, j;

	for (i = 0; i < n; i++) {
		k = r->a[i] / d;
		sum += r->theta[i] + k * e;
		for (j = 0; j < n; j++)
			sum += k * r->a[j] / r->lambda;
	}
	return rths_finite(sum);
}

static void rths_rls_symmetrise(double *p, int n)
{
	double mean;
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++) {
			mean = (p[i * n + j] + p[j * n + i]) / 2;
			p[i * n + j] = mean;
			p[j * n + i] = mean;
		}
}

/* One pair of regressor phi and y: K = P phi/(lambda + phi' P phi), theta += K (y - phi' theta),
   P = (P - K phi' P)/lambda (Wang et al. 2020, eq. 3). */
static void rths_rls_update(struct rths_rls *r, const double *phi, double y)
{
	double lambda = rths_rls_forget(r), d = lambda, e = y;
	int n = r->theta_len, i, j;

	for (i = 0; i < n; i++) {
		r->a[i] = 0;
		for (j = 0; j < n; j++)
			r->a[i] += r->p[i * n + j] * phi[j];
		d += phi[i] * r->a[i];
		e -= phi[i] * r->theta[i];
	}
	if (!(d > 0) || !rths_rls_possible(r, d, e))
		return;
	for (i = 0; i < n; i++) {
		r->theta[i] += r->a[i] / d * e;
		for (j = 0; j < n; j++)
			r->p[i * n + j] = (r->p[i * n + j] - r->a[i] / d * r->a[j]) / lambda;
	}
	rths_rls_symmetrise(r->p, n);
}

/* Copies n numbers within bounds. Fewer bounds than numbers: the others have none. */
static void rths_rls_clamp(double *to, const double *from, int n, const double *lower, int lowers, const double *upper, int uppers)
{
	int i;

	rths_copy(to, from, n);
	for (i = 0; i < lowers; i++)
		to[i] = rths_max(to[i], lower[i]);
	for (i = 0; i < uppers; i++)
		to[i] = rths_min(to[i], upper[i]);
}
