/* Noise: the standard deviation behind n taps, sd^2 sum_ij theta_i theta_j r[|i - j|]. */
static double rths_noise_through(const struct rths_noise *s, const double *theta, int n)
{
	double sum = 0;
	int i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			sum += theta[i] * theta[j] * s->r[i > j ? i - j : j - i];
	return s->sd * sqrt(rths_max(sum, 0));
}
