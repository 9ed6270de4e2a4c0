/* Window: adds the products of one row, column by column of the triangle. */
static void rths_window_products(const struct rths_window *w, double *to, const double *row, double sign)
{
	int i, j, k = 0;

	for (j = 0; j < w->n + 1; j++)
		for (i = 0; i < j + 1 && i < w->n; i++)
			to[k++] += sign * row[i] * row[j];
}

/* After a full window the sums begin anew, so that rounding does not accumulate. */
static void rths_window_turn(struct rths_window *w)
{
	int i;

	w->at = 0;
	w->full = true;
	rths_copy(w->sum, w->fresh, 14);
	for (i = 0; i < 14; i++)
		w->fresh[i] = 0;
}

/* Takes a row, unless its products are beyond what numbers can sum. */
static void rths_window_add(struct rths_window *w, const double *x, double u)
{
	double *row = w->rows + w->at * (w->n + 1);
	int i;

	for (i = 0; i < w->n; i++)
		if (!(fabs(x[i]) < 1e100) || !(fabs(u) < 1e100))
			return;
	if (w->full)
		rths_window_products(w, w->sum, row, -1);
	rths_copy(row, x, w->n);
	row[w->n] = u;
	rths_window_products(w, w->sum, row, 1);
	rths_window_products(w, w->fresh, row, 1);
	w->at++;
	if (w->at == w->size)
		rths_window_turn(w);
}

/* The mean square of the first column of X, over the whole window. */
static double rths_window_mean_square(const struct rths_window *w)
{
	return w->sum[0] / (double)w->size;
}

/* The factor L of X'X, and in its last row L^-1 X'U. It has none where columns of X are the same to rounding. */
static bool rths_window_factor(const struct rths_window *w, double l[5][4])
{
	int i, j, m, k = 0;

	for (j = 0; j < w->n + 1; j++)
		for (i = 0; i < j + 1 && i < w->n; i++, k++) {
			double v = w->sum[k];

			for (m = 0; m < i; m++)
				v -= l[i][m] * l[j][m];
			if (i < j)
				l[j][i] = v / l[i][i];
			else if (!(v > 1e-12 * w->sum[k]))
				return false;
			else
				l[j][j] = sqrt(v);
		}
	return true;
}

/* Solves X'X a = X'U by Cholesky's method. */
static bool rths_window_fit(const struct rths_window *w, double a[4])
{
	double l[5][4] = {{0}}, v;
	int i, m;

	if (!rths_window_factor(w, l))
		return false;
	for (i = w->n - 1; i >= 0; i--) {
		v = l[w->n][i];
		for (m = i + 1; m < w->n; m++)
			v -= l[m][i] * a[m];
		a[i] = v / l[i][i];
		if (!rths_finite(a[i]))
			return false;
	}
	return true;
}
