/* In series: the command of a part is the target of the part behind it. */
static void rths_serieschain_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_serieschain *c = self;
	const struct rths_part *p = c->chain.group;
	struct rths_motion t = *target;
	int i, last = c->chain.group_len - 1;

	for (i = 0; i < last; i++) {
		double *between = c->commands + i * target->n;

		p[i].step(p[i].self, &t, read, between);
		t.x = between;
		t.v = NULL;
		t.a = NULL;
	}
	p[last].step(p[last].self, &t, read, command);
}
