/* Sliding-mode control of all actuators together (Shangguan et al. 2024): takes over the states. After an overflow they
   start anew. */
static void rths_msmc_keep(struct rths_msmc *c)
{
	double total = 0;
	int i;

	for (i = 0; i < c->out_len; i++)
		total += fabs(c->out[i]);
	for (i = 0; i < c->z; i++)
		c->in[i] = rths_finite(total) ? c->out[i] : 0;
}

/* [z; y_c; S] = M [z; y_ac; y_m] */
static void rths_msmc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_msmc *c = self;
	int i;

	for (i = 0; i < c->r; i++) {
		c->in[c->z + i] = target->x[i];
		c->in[c->z + c->r + i] = rths_sane_of(&c->reading[i], read->x[i]);
	}
	rths_map_apply(c->m, c->out, c->in);
	for (i = 0; i < c->r; i++)
		command[i] = rths_sane_of(&c->issued[i], c->out[c->z + i]);
	rths_msmc_keep(c);
}
