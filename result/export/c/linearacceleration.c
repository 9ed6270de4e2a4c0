/* Extrapolation with linearly changing acceleration (Horiuchi and Konno 2001). */
static void rths_linearacceleration_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_linearacceleration *c = self;
	double d = target->x[0], v = target->v[0], a = target->a[0];
	double ahead = a + (a - c->before) * c->ratio;

	(void)read;
	c->before = a;
	command[0] = rths_sane_of(&c->out, d + c->tau * (v + c->tau * (a / 3 + ahead / 6)));
}
