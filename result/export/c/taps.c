/* A weighted sum of past targets, the newest first. */
static void rths_taps_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_taps *t = self;
	double u = 0;
	int i;

	(void)read;
	rths_line_push(t->past, target->x[0]);
	for (i = 0; i < t->c_len; i++)
		u += t->c[i] * rths_line_at(t->past, i * t->spacing);
	command[0] = rths_sane_of(&t->out, u);
}
