/* H-infinity feedback of the tracking error: u = K e. */
static void rths_hinf_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_hinf *c = self;

	rths_line_push(c->desired, target->x[0]);
	command[0] = rths_linear_of(c->k, rths_line_at(c->desired, c->lead) - rths_sane_of(&c->reading, read->x[0]));
}
