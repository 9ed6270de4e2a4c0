/* Feedforward: u = a0 x + a1 x' + a2 x'' + a3 x''' by backward differences. */
static double rths_feedforward_differences(const struct rths_feedforward *f)
{
	double u = 0, d;
	int i, j;

	for (i = 0; i < 4; i++) {
		d = 0;
		for (j = 0; j < 4; j++)
			d += f->diff[i][j] * rths_line_at(f->past, j);
		u += f->a[i] * d;
	}
	return u;
}

/* The same on the target's own velocity and acceleration (Phillips and Spencer 2012). */
static double rths_feedforward_of(struct rths_feedforward *f, const struct rths_motion *target)
{
	double x = target->x[0], acc, jerk;

	if (f->backward) {
		rths_line_push(f->past, x);
		return rths_feedforward_differences(f);
	}
	acc = target->a[0];
	jerk = (acc - f->last) / f->h;
	f->last = acc;
	return f->a[0] * x + f->a[1] * target->v[0] + f->a[2] * acc + f->a[3] * jerk;
}
