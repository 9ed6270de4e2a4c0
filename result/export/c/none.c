/* No compensation: the command is the target. */
static void rths_none_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	(void)self;
	(void)read;
	rths_copy(command, target->x, target->n);
}
