/* Map: y = M x, in blocks of four rows. */
static void rths_map_apply(const struct rths_map *p, double *y, const double *x)
{
	int block, i, j;

	for (block = 0; block < p->padded / 4; block++) {
		double sum[4] = {0, 0, 0, 0};

		for (j = 0; j < p->cols; j++)
			for (i = 0; i < 4; i++)
				sum[i] += p->fours[block * p->cols + j][i] * x[j];
		rths_copy(y + 4 * block, sum, 4);
	}
}
