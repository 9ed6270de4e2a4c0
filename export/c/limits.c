/*
 * Limits in front of the output, as the guard of rths has them (action hold). A command is clipped to stroke and rate. A command that is
 * not finite, beyond its level, or that jumps, makes the limits act: from then on the command goes to the reading before the last
 * valid one, within stroke and rate, and stays there until rths_init. A reading is valid if the actuator can have moved
 * there. They are no substitute for limits in the servo controller, interlocks and an emergency stop.
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
	if (l->near >= 0 && !near) {
		l->near += l->move;
		return;
	}
	for (i = 0; i < RTHS_AXES; i++) {
		l->before[i] = l->sound[i];
		if (rths_finite(x[i]))
			l->sound[i] = x[i];
	}
	l->near = l->move * (1 + (double)(age > 0 ? age : 0)); /* of a controller that counts without bound */
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
			l->at[i] = rths_limits_within(l, l->before[i]);
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
	return l->cause;
}
