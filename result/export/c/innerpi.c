/* Inner loop: u = kp e + ki (integral of e) of every actuator, e = r - x_m, behind a compensator with the output r. */
static void rths_innerpi_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_innerpi *c = self;
	double e;
	int i;

	c->outer.step(c->outer.self, target, read, c->r);
	for (i = 0; i < c->axes_len; i++) {
		struct rths_piaxis *a = &c->axes[i];

		e = c->r[i] - rths_sane_of(&a->reading, read->x[i]);
		a->integral += c->half * (e + a->before);
		a->before = e;
		command[i] = rths_sane_of(&a->out, c->kp * e + a->integral);
	}
}
