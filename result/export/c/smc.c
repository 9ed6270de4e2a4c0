/* Sliding-mode control of one actuator (Slotine and Li 1991, section 7.1): D sat(a_n kappa s/D). */
static double rths_smc_switching(const struct rths_smc *c)
{
	if (c->ideal)
		return c->sliding;
	return rths_max(-c->limit, rths_min(c->sliding, c->limit));
}

static void rths_smc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_smc *c = self;
	struct rths_lqgfeedback *l = &c->lqgfeedback;
	int i;

	rths_lqgfeedback_correct(l, target->x[0], read->x[0]);
	c->sliding = 0;
	for (i = 0; i < l->n; i++)
		c->sliding += c->s[i] * l->z[i];
	rths_lqgfeedback_predict(l, rths_lqgfeedback_linear(l) - rths_smc_switching(c));
	command[0] = rths_sane_of(&c->out, rths_feedforward_of(c->f, target) + l->feedback);
}
