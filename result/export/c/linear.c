/* A system in state space: [z'; u] = M [z; d; x_m]. */
static double rths_linear_of(struct rths_linear *c, double d)
{
	c->w[c->n] = d;
	rths_map_apply(c->m, c->y, c->w);
	rths_copy(c->w, c->y, c->n);
	return rths_sane_of(&c->out, c->y[c->n]);
}

static void rths_linear_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_linear *c = self;

	if (c->inputs == 2)
		c->w[c->n + 1] = rths_sane_of(&c->xm, read->x[0]);
	command[0] = rths_linear_of(c, target->x[0]);
}
