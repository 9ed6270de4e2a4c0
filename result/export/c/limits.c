/*
 * Limits in front of the output, as the guard of rths has them (action hold). A command is clipped to stroke and rate. A command that is
 * not finite, beyond its level, or that jumps, makes the limits act: from then on the command goes to the reading before the last
 * valid one, or to the nearest of the last RTHS_RECENT commands, within stroke and rate, and stays there until rths_init. A reading is
 * valid if the actuator can have moved there, or if RTHS_AGREE readings agree. They are no substitute for limits in the servo
 * controller, interlocks and an emergency stop.
 */
static double rths_limits_within(const struct rths_limits *l, double x)
{
	return rths_min(rths_max(x, -l->stroke), l->stroke);
}

/* Moves the command of an axis towards a position, by at most a step. */
static void rths_limits_slew(struct rths_limits *l, int axis, double to)
{
	double from = l->sent[axis];

	if (fabs(to - from) <= l->step)
		l->sent[axis] = to;
	else
		l->sent[axis] = from + (to < from ? -l->step : l->step);
}

/* Whether enough readings in a row that were not near the last valid one were near each other. */
static bool rths_limits_agree(struct rths_limits *l, const double *x)
{
	bool alike = l->near > l->reach;
	int i;

	for (i = 0; i < RTHS_AXES; i++) {
		double v = rths_finite(x[i]) ? x[i] : l->sound[i];

		alike = alike && fabs(v - l->rival[i]) <= l->reach;
		l->rival[i] = v;
	}
	l->agree = alike ? l->agree + 1 : 1;
	return l->agree >= RTHS_AGREE;
}

/* The position, or the nearest of the last commands. */
static double rths_limits_recent(const struct rths_limits *l, int axis, double x)
{
	double low = l->sent[axis], high = low;
	int n;

	for (n = 1; n < RTHS_RECENT; n++) {
		double u = l->trail[(l->next + RTHS_RECENT - n) % RTHS_RECENT][axis];

		low = rths_min(low, u);
		high = rths_max(high, u);
	}
	return rths_min(rths_max(x, low), high);
}

/* Keeps the command that leaves. */
static void rths_limits_left(struct rths_limits *l)
{
	rths_copy(l->trail[l->next], l->sent, RTHS_AXES);
	l->next = (l->next + 1) % RTHS_RECENT;
}

/* Keeps a valid reading. */
static void rths_limits_read(struct rths_limits *l, const double *x, int age)
{
	bool finite = true, near = true;
	int i;

	for (i = 0; i < RTHS_AXES; i++) {
		double v = rths_finite(x[i]) ? x[i] : l->sound[i];

		finite = finite && rths_finite(x[i]);
		near = near && fabs(v - l->sound[i]) <= l->near;
	}
	if (!finite && l->cause == RTHS_FINE)
		l->cause = RTHS_NOT_FINITE;
	if (!finite && l->near < 0)
		return; /* what would replace the first reading is none */
	if (l->near >= 0 && !near && !(age <= 0 && rths_limits_agree(l, x))) {
		l->near += l->move;
		return;
	}
	for (i = 0; i < RTHS_AXES; i++) {
		l->before[i] = l->sound[i];
		if (rths_finite(x[i]))
			l->sound[i] = x[i];
	}
	l->near = l->reach;
	if (age > 0) { /* 0 times an unknown way is no number */
		l->near += l->move * (double)age;
		l->agree = 0;
	}
}

/* The limit that a command crosses first. Its change counts from the last command of the compensator. */
static int rths_limits_look(const struct rths_limits *l, const double *command)
{
	double size = 0, change = 0;
	int i;

	for (i = 0; i < RTHS_AXES; i++) {
		double last = l->behind ? l->wanted[i] : l->sent[i];

		if (!rths_finite(command[i]))
			return RTHS_NOT_FINITE;
		size = rths_max(size, fabs(command[i]));
		change = rths_max(change, fabs(command[i] - last) * RTHS_RATE_HZ);
	}
	if (!(size <= l->position))
		return RTHS_POSITION;
	if (!(change <= l->jump))
		return RTHS_JUMP;
	return RTHS_FINE;
}

/* Replaces the command where a limit wants another one. */
static int rths_limits_apply(struct rths_limits *l, double *command)
{
	int i;

	if (l->cause == RTHS_FINE)
		l->cause = rths_limits_look(l, command);
	if (l->cause != RTHS_FINE && !l->acts) {
		l->acts = true;
		for (i = 0; i < RTHS_AXES; i++)
			l->at[i] = rths_limits_recent(l, i, rths_limits_within(l, l->before[i]));
	}
	l->behind = false;
	for (i = 0; i < RTHS_AXES; i++) {
		if (l->acts) {
			rths_limits_slew(l, i, l->at[i]);
		} else {
			l->wanted[i] = command[i];
			rths_limits_slew(l, i, rths_limits_within(l, command[i]));
			l->behind = l->behind || l->sent[i] != command[i];
		}
		command[i] = l->sent[i];
	}
	rths_limits_left(l);
	return l->cause;
}
