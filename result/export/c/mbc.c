/* Model-based feedforward (Carrion and Spencer 2007). */
static void rths_mbc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_mbc *c = self;

	(void)read;
	command[0] = rths_sane_of(&c->out, rths_feedforward_of(c->f, target));
}
