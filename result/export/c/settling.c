/* Settling: when to learn again after old readings. A reading is old, or lost, or its tick late. */
static bool rths_settling_forget(struct rths_settling *s, const struct rths_reading *read, bool fresh)
{
	double part = 1 - s->pole;

	s->age += 1;
	if (fresh)
		s->age = 0;
	else
		s->age = rths_max(s->age, (double)read->age);
	s->held = s->pole * s->held + part * rths_min(part * s->age, 1);
	if (s->held > 1e-2) {
		s->wait = s->after;
		return false;
	}
	if (s->held < 1e-9)
		s->held = 0;
	if (s->wait > 0) {
		s->wait -= 1;
		return false;
	}
	return fresh;
}

static bool rths_settling_takes(struct rths_settling *s, const struct rths_reading *read, bool fresh)
{
	if (fresh && s->held == 0 && s->wait == 0)
		return true;
	return rths_settling_forget(s, read, fresh);
}

static bool rths_settling_learns(struct rths_settling *s, const struct rths_reading *read)
{
	return rths_settling_takes(s, read, read->age == 0 && !read->late && rths_finite(read->x[0]));
}

/* Counts down the first readings of a run, at which no command aimed. */
static bool rths_unaimed_pass(double *unaimed)
{
	if (*unaimed > 0) {
		*unaimed -= 1;
		return true;
	}
	return false;
}
