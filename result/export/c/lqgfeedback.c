/* LQG feedback: corrects the estimate z by the deviation of this instant. */
static void rths_lqgfeedback_correct(struct rths_lqgfeedback *c, double target, double reading)
{
	double y;
	int i;

	rths_line_push(c->desired, target);
	y = rths_sane_of(&c->reading, reading) - rths_line_at(c->desired, c->lead);
	for (i = 0; i < c->n; i++)
		y -= c->c[i] * c->z[i];
	for (i = 0; i < c->n; i++)
		c->z[i] += c->l[i] * y;
}

/* -K z */
static double rths_lqgfeedback_linear(const struct rths_lqgfeedback *c)
{
	double u = 0;
	int i;

	for (i = 0; i < c->n; i++)
		u -= c->k[i] * c->z[i];
	return u;
}

/* After an overflow the estimate starts anew. */
static void rths_lqgfeedback_restart(struct rths_lqgfeedback *c)
{
	int i;

	for (i = 0; i < 5; i++)
		c->z[i] = 0;
	c->feedback = 0;
}

/* Takes u as feedback and predicts the next z. */
static void rths_lqgfeedback_predict(struct rths_lqgfeedback *c, double u)
{
	double next[5] = {0, 0, 0, 0, 0}, v;
	int i, j;

	for (i = 0; i < c->n; i++) {
		v = c->b[i] * u;
		for (j = 0; j < c->n; j++)
			v += c->a[i][j] * c->z[j];
		next[i] = v;
		if (!rths_finite(v)) {
			rths_lqgfeedback_restart(c);
			return;
		}
	}
	rths_copy(c->z, next, 5);
	c->feedback = u;
}

/* The feedback for the target of this tick and the reading. */
static double rths_lqgfeedback_of(struct rths_lqgfeedback *c, double target, double reading)
{
	rths_lqgfeedback_correct(c, target, reading);
	rths_lqgfeedback_predict(c, rths_lqgfeedback_linear(c));
	return c->feedback;
}
