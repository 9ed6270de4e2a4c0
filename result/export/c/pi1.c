/* Proportional-integral control behind a phase lead, with converters (Silva et al. 2020). */
static void rths_pi1_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_pi1 *c = self;
	double d = target->x[0], xm = rths_sane_of(&c->xm, read->x[0]), l;

	if (c->ideal) {
		command[0] = rths_sane_of(&c->out, rths_filter_step(c->pi, rths_filter_step(c->lead, d) - xm));
		return;
	}
	l = rths_converter_da(&c->conv, rths_filter_step(c->lead, rths_converter_ad(&c->conv, d)));
	command[0] = rths_sane_of(&c->out, rths_filter_step(c->pi, rths_converter_ad(&c->conv, l - xm)));
}
