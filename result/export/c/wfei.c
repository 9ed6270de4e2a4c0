/* Windowed frequency-domain evaluation index: compares the displacement with the target of its instant. */
static void rths_wfei_adapt(struct rths_wfei *c, double measured, bool fresh)
{
	struct rths_runningindex *s = c->index;
	double late;

	if (fresh) {
		c->lastD = rths_line_at(c->target, c->lead);
		c->lastX = measured;
	}
	if (!rths_runningindex_add(s, c->lastD, c->lastX) || c->frozen || rths_runningindex_mean_square(s) < c->least)
		return;
	late = -s->Im / (sqrt(s->Re * s->Re + s->Im * s->Im) * 2 * 3.141592653589793 * s->FEq);
	c->tau = rths_min(rths_max(c->tau + c->step * late, 0), c->most);
}

static void rths_wfei_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_wfei *c = self;
	double alpha;

	rths_line_push(c->target, target->x[0]);
	alpha = 1 + c->tau / c->h;
	command[0] = rths_sane_of(&c->out, alpha * rths_line_at(c->target, 0) - (alpha - 1) * rths_line_at(c->target, 1));
	rths_wfei_adapt(c, rths_sane_of(&c->reading, read->x[0]), read->age == 0 && !read->late && rths_finite(read->x[0]));
}

static void rths_wfei_freeze(void *self, bool on)
{
	((struct rths_wfei *)self)->frozen = on;
}

static bool rths_wfei_pinned(void *self)
{
	struct rths_wfei *c = self;

	return c->tau <= 0 || c->tau >= c->most;
}
