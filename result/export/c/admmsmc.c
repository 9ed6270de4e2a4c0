/* The adaptive models in front, and sliding-mode control behind them (Shangguan et al. 2024, eqs 41 and 42). */
static void rths_admmsmc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_admmsmc *c = self;
	struct rths_motion yac = {c->yac, NULL, NULL, c->yac_len};

	c->front.step(c->front.self, target, read, c->yac);
	rths_msmc_step(c->inner, &yac, read, command);
}
