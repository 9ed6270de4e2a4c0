/* Series: x_c = a0 x + a1 x' + a2 x'' + a3 x''' with backward differences (Galmez 2021, eqs 6.3 and 6.4). */
static void rths_series_derivatives(const struct rths_series *s, const struct rths_line *l, double x[4])
{
	double v[4] = {0, 0, 0, 0};
	int i, j;

	for (j = 0; j < s->n; j++)
		v[j] = rths_line_at(l, j);
	for (i = 0; i < 4; i++) {
		const double *d = s->diff[i];

		x[i] = d[0] * v[0] + d[1] * v[1] + d[2] * v[2] + d[3] * v[3];
	}
}

/* (6.4) */
static double rths_series_command(struct rths_series *s, double target)
{
	const double *a = s->a;
	double x[4], u;

	rths_line_push(s->target, target);
	rths_series_derivatives(s, s->target, x);
	u = rths_sane_of(&s->out, a[0] * x[0] + a[1] * x[1] + a[2] * x[2] + a[3] * x[3]);
	rths_line_push(s->issued, s->sent ? rths_sent_of(&s->sent[0], u) : u);
	return u;
}

/* The filtered measurement with its derivatives, and the filtered command that was aimed at the same instant. */
static double rths_series_pair(struct rths_series *s, const struct rths_reading *read, double x[4])
{
	double xc = rths_filter_step(s->xc, rths_line_at(s->issued, s->lead)), xm;

	s->xcf = xc;
	xm = rths_zero_of(&s->zero, rths_sane_of(&s->reading, read->x[0]), rths_line_at(s->target, s->lead), read);
	rths_line_push(s->measured, rths_filter_step(s->xm, xm));
	rths_series_derivatives(s, s->measured, x);
	return xc;
}

/* What the parameters leave of (6.3), and the noise in it. */
static double rths_series_residual(const struct rths_series *s, double *noise)
{
	double x[4], taps[4] = {0, 0, 0, 0}, left = s->xcf;
	int i, j;

	rths_series_derivatives(s, s->measured, x);
	for (i = 0; i < s->n; i++) {
		left -= s->a[i] * x[i];
		for (j = 0; j < s->n; j++)
			taps[j] += s->a[i] * s->diff[i][j];
	}
	*noise = rths_noise_through(s->noise, taps, s->n);
	return left;
}
