static void rths_eachwithrates_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_eachwithrates *e = self;

	rths_each_step(e->each, target, read, command);
}
