/* Derivatives: the terms of the inverse D of one motion: displacement, velocity, mean acceleration, its difference quotients, and the
   payload's mode. */
static void rths_derivatives_of(struct rths_derivatives *d, double x, double v, double a)
{
	double next = a, now;
	int i;

	d->phi[0] = x;
	d->phi[1] = v;
	for (i = 2; i < d->n; i++) {
		now = next;
		d->phi[i] = now;
		next = (now - d->past[i]) / d->h;
		d->past[i] = now;
	}
	if (d->loaded) {
		rths_oscillator_step(&d->mode, a);
		d->phi[d->n] = d->mode.q;
		d->phi[d->n + 1] = d->mode.v;
	}
}

/* Forgets the motion. */
static void rths_derivatives_rest(struct rths_derivatives *d)
{
	int i;

	for (i = 0; i < 6; i++)
		d->past[i] = 0;
	for (i = 0; i < 8; i++)
		d->phi[i] = 0;
	d->mode.q = 0;
	d->mode.v = 0;
	d->mode.a = 0;
}
