/* A filter on the target. */
static void rths_filtered_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_filtered *c = self;

	(void)read;
	command[0] = rths_sane_of(&c->out, rths_filter_step(c->f, target->x[0]));
}
