/* Adds a sample to the block, and learns at its end from the means and the slope. */
static void rths_devices_learn(struct rths_devices *d, double x, double force, bool old)
{
	double n, v;

	d->old = d->old || old || !rths_finite(force);
	d->slope += d->n * x;
	d->x += x;
	d->force += force;
	d->n += 1;
	if ((int)d->n < d->block)
		return;
	n = d->n;
	v = 12 / (n * (n * n - 1)) * (d->slope - (n - 1) / 2 * d->x) * d->rate;
	d->filter.step(d->filter.self, d->x / n, v, d->force / n, d->old || d->frozen);
	d->n = d->x = d->slope = d->force = 0;
	d->old = false;
}

/* Moves the states of a copy along the line to the deformation to. */
static void rths_devices_advance(struct rths_devices *d, int device, double to)
{
	rths_path_advance(d->path, d->z + device * d->states, d->at[device], to);
	d->at[device] = to;
}
