/* One compensator on each actuator: each sees its own target and reading alone. */
static void rths_each_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_each *e = self;
	int i;

	for (i = 0; i < e->group_len; i++) {
		struct rths_motion t = {target->x + i, target->v + i, target->a + i, 1};
		struct rths_reading r = *read;

		r.x = read->x + i;
		if (read->a)
			r.a = read->a + i;
		r.f_len = 0;
		e->group[i].step(e->group[i].self, &t, &r, command + i);
	}
}
