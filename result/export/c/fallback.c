/* Fallback: an adaptive method, 0, and a safe one, 1. The times T and T_v of a blend, s, for offset, slope and a second
   derivative r of the offset, m/s^2: 10 s at most. */
static double rths_fallback_times(double e, double v, double r, double least, double *slope)
{
	double t = 0;

	*slope = 0;
	if (e > 0)
		t = sqrt(12 * e / r);
	t = rths_min(rths_max(t, least), 10);
	if (v > 0)
		*slope = rths_min(4 * v / (r - 6 * e / (t * t)), 10);
	if (t != t || *slope != *slope || *slope < 0) {
		t = 10;
		*slope = 10;
	}
	return t;
}

/* Freezes a method that does not follow while it does not command alone. */
static void rths_fallback_hold(struct rths_fallback *c)
{
	bool on;
	int i, j;

	for (i = 0; i < 2; i++) {
		on = c->frozen || (!c->follows[i] && (i != c->in || c->j < c->most));
		for (j = 0; j < c->learners_len[i]; j++)
			c->learners[i][j].freeze(c->learners[i][j].self, on);
	}
}

/* Lets the other method command. */
static void rths_fallback_change(struct rths_fallback *c)
{
	double length = c->blend, t, slope;
	int i;

	c->in = 1 - c->in;
	for (i = 0; i < c->axes_len; i++) {
		struct rths_blendaxis *a = &c->axes[i];
		const double *to = a->method[c->in];

		a->e = a->left[0] - to[0];
		a->v = (a->e - (a->left[1] - to[1])) / c->h;
		if (!rths_finite(a->e) || !rths_finite(a->v)) {
			a->e = 0;
			a->v = 0;
		}
		t = rths_fallback_times(fabs(a->e), fabs(a->v), rths_max(a->peak[0], a->peak[1]) / (c->h * c->h), c->blend, &slope);
		a->slope = slope;
		length = rths_max(rths_max(length, t), slope);
	}
	c->j = 0;
	c->most = (int)ceil(rths_min(length, 10) / c->h);
	rths_fallback_hold(c);
}

/* Looks for doubts, and for somebody who asks for the way back. */
static void rths_fallback_decide(struct rths_fallback *c, const struct rths_reading *read)
{
	int cause = rths_doubts_look(&c->watch, read);

	if (c->in == 0 && cause != 0) {
		c->cause = (double)cause;
		rths_fallback_change(c);
	} else if (c->in == 1 && c->asked) {
		rths_doubts_again(&c->watch);
		c->cause = 0;
		rths_fallback_change(c);
	}
	c->asked = false;
}

/* Whether the command has an offset. */
static bool rths_fallback_blending(const struct rths_fallback *c)
{
	return c->j < c->most && !c->ideal;
}

/* e */
static double rths_fallback_offset(const struct rths_fallback *c, const struct rths_blendaxis *a)
{
	double x, y, e;

	if (!rths_fallback_blending(c))
		return 0;
	x = (double)c->j / (double)c->most;
	e = a->e * (1 + x * x * (2 * x - 3));
	y = (double)c->j * c->h / a->slope;
	if (y < 1)
		e += a->v * a->slope * y * (1 - y) * (1 - y);
	return e;
}

/* The share of the safe method: 3 tau^2 - 2 tau^3 on the way to it, and 1 less on the way back. */
static double rths_fallback_share(const struct rths_fallback *c)
{
	double x = 1;

	if (c->j < c->most) {
		x = (double)c->j / (double)c->most;
		x *= x * (3 - 2 * x);
	}
	return c->in == 0 ? 1 - x : x;
}

/* Brings a command within the stroke, and within the rate from the command before. */
static double rths_fallback_clip(const struct rths_fallback *c, double u, double before)
{
	double change;

	if (c->ideal)
		return u;
	u = rths_min(rths_max(u, -c->stroke), c->stroke);
	change = u - before;
	if (c->k > 0 && fabs(change) > c->step)
		return before + copysign(c->step, change);
	return u;
}

/* Remembers the commands of both methods. */
static void rths_fallback_remember(const struct rths_fallback *c, struct rths_blendaxis *a, int i)
{
	double u, bend;
	int m;

	for (m = 0; m < 2; m++) {
		double *l = a->method[m];

		u = rths_fallback_clip(c, c->u[m][i], l[0]);
		bend = fabs(u - 2 * l[0] + l[1]);
		if (c->k > 1 && rths_finite(bend))
			a->peak[0] = rths_max(a->peak[0], bend);
		l[1] = l[0];
		l[0] = u;
	}
}

/* Remembers the commands of the tick. */
static void rths_fallback_keep(struct rths_fallback *c, const double *command)
{
	int i;

	for (i = 0; i < c->axes_len; i++) {
		struct rths_blendaxis *a = &c->axes[i];

		if (c->k % c->second == 0) {
			a->peak[1] = a->peak[0];
			a->peak[0] = 0;
		}
		rths_fallback_remember(c, a, i);
		a->left[1] = a->left[0];
		a->left[0] = rths_fallback_blending(c) ? command[i] : a->method[c->in][0];
	}
}

/* The command of the method that commands. The other one is told of it. */
static void rths_fallback_command(struct rths_fallback *c, double *command)
{
	double u;
	int i, in = c->in, out = 1 - in;

	for (i = 0; i < c->axes_len; i++) {
		struct rths_blendaxis *a = &c->axes[i];

		u = c->u[in][i];
		if (rths_fallback_blending(c))
			u = rths_fallback_clip(c, u, a->method[in][0]) + c->sent[in][i].beside;
		command[i] = rths_sane_of(&a->out, u);
		c->sent[out][i].own = 0;
		c->sent[out][i].beside = command[i];
	}
}

/* One tick more of a blend. */
static void rths_fallback_blend(struct rths_fallback *c)
{
	if (c->j >= c->most)
		return;
	c->j++;
	if (c->j == c->most)
		rths_fallback_hold(c);
}

static void rths_fallback_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_fallback *c = self;
	int i, in, out;

	if (!c->frozen)
		rths_fallback_decide(c, read);
	rths_fallback_blend(c);
	c->share = rths_fallback_share(c);
	in = c->in;
	out = 1 - in;
	for (i = 0; i < c->axes_len; i++) {
		c->sent[in][i].own = 1;
		c->sent[in][i].beside = rths_fallback_offset(c, &c->axes[i]);
	}
	c->group[in].step(c->group[in].self, target, read, c->u[in]);
	rths_fallback_command(c, command);
	c->group[out].step(c->group[out].self, target, read, c->u[out]);
	rths_fallback_keep(c, command);
	if (!c->frozen)
		rths_doubts_weigh(&c->watch, command, c->axes_len, read);
	c->k++;
}
