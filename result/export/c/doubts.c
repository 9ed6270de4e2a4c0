/* Doubts of a fallback: the length of (p, q), without overflow. */
static double rths_doubts_hypot(double p, double q)
{
	double swap;

	p = fabs(p);
	q = fabs(q);
	if (p == INFINITY || q == INFINITY)
		return INFINITY;
	if (p != p || q != q)
		return NAN;
	if (p < q) {
		swap = p;
		p = q;
		q = swap;
	}
	if (p == 0)
		return 0;
	q = q / p;
	return p * sqrt(1 + q * q);
}

/* The residual of all parts: the roots of the sums of squares. */
static double rths_doubts_residual(const struct rths_doubts *d, double *noise)
{
	double left = 0, e, n;
	int i;

	*noise = 0;
	for (i = 0; i < d->watched_len; i++) {
		e = d->watched[i].residual(d->watched[i].self, &n);
		left = rths_doubts_hypot(left, e);
		*noise = rths_doubts_hypot(*noise, n);
	}
	return left;
}

/* A running mean over residual_s. */
static void rths_doubts_approach(const struct rths_doubts *d, double *mean, double v)
{
	double next = *mean + d->part * (v - *mean);

	if (rths_finite(next))
		*mean = next;
}

/* Whether the method learns nothing for want of readings. */
static bool rths_doubts_blind(const struct rths_doubts *d, const struct rths_reading *read)
{
	int i;

	if (read->age > 0)
		return true;
	for (i = 0; i < d->settler_len; i++)
		if (d->settler[i].settles(d->settler[i].self))
			return true;
	return false;
}

/* Takes what left in this tick, and the residual, if there was something new to learn. */
static void rths_doubts_weigh(struct rths_doubts *d, const double *command, int n, const struct rths_reading *read)
{
	double sum = 0, e, noise, more;
	int i;

	if (!d->watches)
		return;
	for (i = 0; i < n; i++)
		sum += command[i] * command[i];
	rths_doubts_approach(d, &d->command, sum);
	if (rths_doubts_blind(d, read))
		return;
	e = rths_doubts_residual(d, &noise);
	rths_doubts_approach(d, &d->left, e * e);
	rths_doubts_approach(d, &d->explained, noise * noise);
	more = rths_max(d->left - 4 * d->explained, 0);
	d->unfit = more > d->command * d->share ? d->unfit + 1 : 0;
	d->pct = 0;
	if (more > 0 && d->command > 0)
		d->pct = 100 * sqrt(more / d->command);
}

static bool rths_doubts_pinned(const struct rths_doubts *d)
{
	int i;

	for (i = 0; i < d->pinned_len; i++)
		if (d->pinned[i].pinned(d->pinned[i].self))
			return true;
	return false;
}

/* Looks at the method as the last tick left it, and at the age of the reading: 0 trusted, 1 at a bound, 2 unexplained,
   3 stale. */
static int rths_doubts_look(struct rths_doubts *d, const struct rths_reading *read)
{
	d->age = (double)read->age / d->rateHz;
	if (d->pinned_len > 0 && !rths_doubts_blind(d, read))
		d->bound = rths_doubts_pinned(d) ? d->bound + 1 : 0;
	if (d->old > 0 && d->age > d->old)
		return 3;
	if (d->pinned_len > 0 && d->bound >= d->long_)
		return 1;
	if (d->watches && d->unfit >= d->last)
		return 2;
	return 0;
}

/* Gives the method another chance. */
static void rths_doubts_again(struct rths_doubts *d)
{
	d->bound = 0;
	d->unfit = 0;
	d->left = 0;
	d->explained = 0;
	d->command = 0;
}
