/* A law with a dashpot beside it. */
static double rths_damped_force(void *self, double x, double v, const double *z)
{
	struct rths_damped *d = self;

	return d->law.force(d->law.self, x, v, z) + d->C * v;
}

static void rths_damped_rate(void *self, double *dz, const double *z, double v)
{
	struct rths_damped *d = self;

	if (d->law.rate)
		d->law.rate(d->law.self, dz, z, v);
}

static void rths_damped_commit(void *self, double *z, double x)
{
	struct rths_damped *d = self;

	if (d->law.commit)
		d->law.commit(d->law.self, z, x);
}
