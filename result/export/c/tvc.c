/* Three-variable control of a shake table (Tagawa and Kajiwara 2007; Phillips et al. 2014): u = D r + 2 pi f_b int D e dt. */
static double rths_tvc_inverse(const struct rths_tvc *c, const double *phi)
{
	double sum = 0;
	int i;

	for (i = 0; i < c->count; i++)
		sum += c->theta[i] * phi[i];
	return sum;
}

/* Takes the terms of the target. */
static void rths_tvc_refer(struct rths_tvc *c, const struct rths_motion *target)
{
	double x = target->x[0], v = target->v[0];
	double a = (v - c->velocity) / c->h;

	c->velocity = v;
	rths_derivatives_of(&c->reference, x, v, a);
	rths_line_push(c->wanted, x);
	rths_line_push(c->wantedA, a);
}

/* Whether a reading has both sensors, of its tick. */
static bool rths_tvc_heard(const struct rths_reading *read)
{
	return read->age == 0 && !read->late && read->a && fabs(read->x[0]) <= 1e3 && fabs(read->a[0]) <= 1e6;
}

/* Takes the terms of the error at the instant of the reading, and integrates the feedback. After an overflow it starts anew. */
static void rths_tvc_compare(struct rths_tvc *c, const struct rths_reading *read)
{
	double a = rths_line_at(c->wantedA, c->lead) - read->a[0];

	rths_crossover_step(&c->crossover, rths_line_at(c->wanted, c->lead) - read->x[0], a);
	rths_derivatives_of(&c->deviation, c->crossover.x, c->crossover.v, a + c->crossover.offset);
	c->feedback += c->gain * rths_tvc_inverse(c, c->deviation.phi);
	if (!rths_finite(c->feedback)) {
		c->feedback = 0;
		c->crossover.x = 0;
		c->crossover.v = 0;
		c->crossover.offset = 0;
		rths_derivatives_rest(&c->deviation);
	}
}

static double rths_tvc_command(struct rths_tvc *c, const struct rths_motion *target, const struct rths_reading *read)
{
	rths_tvc_refer(c, target);
	if (rths_tvc_heard(read))
		rths_tvc_compare(c, read);
	return rths_sane_of(&c->out, rths_tvc_inverse(c, c->reference.phi) + c->feedback);
}

static void rths_tvc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	command[0] = rths_tvc_command(self, target, read);
}
