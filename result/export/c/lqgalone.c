/* LQG feedback of the tracking error alone. */
static void rths_lqgalone_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_lqgalone *c = self;

	command[0] = rths_sane_of(&c->out, rths_lqgfeedback_of(&c->lqgfeedback, target->x[0], read->x[0]));
}
