/* Adds a sample to the block, and learns at its end from the means and the slope. */
static void rths_devices_learn(struct rths_devices *d, double x, double force, bool old)
{
	struct rths_learnsamples *s = &d->block;
	double n, v;

	s->old = s->old || old || !rths_finite(force);
	s->slope += s->n * x;
	s->x += x;
	s->force += force;
	s->n += 1;
	if ((int)s->n < s->Size)
		return;
	n = s->n;
	v = 12 / (n * (n * n - 1)) * (s->slope - (n - 1) / 2 * s->x) * s->RateHz;
	d->filter.step(d->filter.self, s->x / n, v, s->force / n, s->old || d->frozen);
	s->n = s->x = s->slope = s->force = 0;
	s->old = false;
}

/* Moves the states of a copy along the line to the deformation to. */
static void rths_devices_advance(struct rths_devices *d, int device, double to)
{
	rths_path_advance(d->path, d->z + device * d->states, d->at[device], to);
	d->at[device] = to;
}
