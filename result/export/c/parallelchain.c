/* In parallel: the target of the reading's instant, for the feedback. */
static void rths_parallelchain_instant(struct rths_parallelchain *c, const struct rths_motion *target)
{
	int i;

	for (i = 0; i < c->desired_len; i++) {
		rths_line_push(c->desired[i], target->x[i]);
		c->instant[i] = rths_line_at(c->desired[i], c->lead);
	}
}

/* The sum of all feedback. */
static void rths_parallelchain_feed(struct rths_parallelchain *c, const struct rths_reading *read)
{
	struct rths_motion instant = {c->instant, NULL, NULL, c->sum_len};
	int i, j;

	for (i = 0; i < c->sum_len; i++)
		c->sum[i] = 0;
	for (j = 0; j < c->feedback_len; j++) {
		c->feedback[j].step(c->feedback[j].self, &instant, read, c->one);
		for (i = 0; i < c->sum_len; i++)
			c->sum[i] += c->one[i];
	}
}

/* The feedback comes first: a feedforward that learns is told of it. */
static void rths_parallelchain_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_parallelchain *c = self;
	int i;

	rths_parallelchain_instant(c, target);
	rths_parallelchain_feed(c, read);
	for (i = 0; i < c->sum_len; i++) {
		c->sent[i].own = 1;
		c->sent[i].beside = c->sum[i];
		command[i] = 0;
	}
	if (c->forward.step)
		c->forward.step(c->forward.self, target, read, command);
	for (i = 0; i < c->sum_len; i++)
		command[i] = rths_sane_of(&c->out[i], command[i] + c->sum[i]);
}
