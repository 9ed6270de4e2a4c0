/* Whether all roots of p[0] z^n + ... + p[n] are inside the unit circle (Schur and Cohn). Overwrites p. */
static bool rths_watch_inside(double *p, int n)
{
	double k, front, back;
	int i, j;

	for (; n > 0; n--) {
		if (!(fabs(p[n]) < fabs(p[0])))
			return false;
		k = p[n] / p[0];
		for (i = 0, j = n; i <= j; i++, j--) {
			front = p[i] - k * p[j];
			back = p[j] - k * p[i];
			p[i] = front;
			p[j] = back;
		}
	}
	return p[0] != 0;
}

/* Finds out where the poles and zeros of the model theta are, and counts. */
static void rths_watch_look(struct rths_watch *w, const double *theta)
{
	int j;

	w->outside = 0;
	rths_copy(w->work, theta + w->p, w->q);
	if (!rths_watch_inside(w->work, w->q - 1))
		w->outside = 1;
	w->work[0] = 1;
	for (j = 0; j < w->p; j++)
		w->work[j + 1] = -theta[j];
	if (!rths_watch_inside(w->work, w->p))
		w->outside += 2;
	if (w->outside > 0)
		w->steps += 1;
}

/* Sets the delay of the model. A model without static gain leaves it as it was. */
static void rths_watch_lag(struct rths_watch *w, const double *theta, int n)
{
	double num = 1, late = 0, den = 0, early = 0, d;
	int i;

	for (i = 0; i < w->p; i++) {
		num -= theta[i];
		late -= (double)(i + 1) * theta[i];
	}
	for (i = w->p; i < n; i++) {
		den += theta[i];
		early += (double)(i - w->p) * theta[i];
	}
	d = w->spacing * (late / num - early / den);
	if (rths_finite(d))
		w->delay = d;
}
