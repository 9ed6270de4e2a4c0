/* Model-based feedforward with LQG feedback (Phillips and Spencer 2012, 2013). */
static void rths_mbclqg_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_mbclqg *c = self;
	double feedback = rths_lqgfeedback_of(&c->lqgfeedback, target->x[0], read->x[0]);

	command[0] = rths_sane_of(&c->out, rths_feedforward_of(c->f, target) + feedback);
}
