/* Adaptive compensation with a discrete model (Wang et al. 2020). The command is (6). */
static double rths_adm_command(struct rths_adm *c, double target)
{
	double sum = 0, u;
	int i, j, k;

	rths_line_push(c->desired, target);
	for (j = 0; j < c->p; j++)
		c->phi[j] = rths_line_at(c->issued, (j + 1) * c->s - 1);
	c->phi[c->p] = target;
	for (k = 1; k < c->q; k++) {
		if (c->byTarget)
			c->phi[c->p + k] = rths_line_at(c->desired, k * c->s);
		else
			c->phi[c->p + k] = rths_line_at(c->measured, k * c->s - c->lead);
	}
	for (i = 0; i < c->theta_len; i++)
		sum += c->theta[i] * c->phi[i];
	u = rths_sane_of(&c->out, sum);
	rths_line_push(c->issued, u);
	return u;
}

/* Updates theta by (3) with the measurement of an instant and the command that was aimed at it. */
static void rths_adm_learn(struct rths_adm *c, double command, double measured, const struct rths_reading *read)
{
	int j, k;

	rths_line_push(c->y, rths_filter_step(c->yf, command));
	rths_line_push(c->x, rths_filter_step(c->xf, measured));
	if (!rths_settling_learns(&c->settling, read) || c->frozen || rths_unaimed_pass(&c->unaimed) || fabs(rths_line_at(c->x, 0)) < c->quiet)
		return;
	for (j = 0; j < c->p; j++)
		c->phi[j] = rths_line_at(c->y, (j + 1) * c->s);
	for (k = 0; k < c->q; k++)
		c->phi[c->p + k] = rths_line_at(c->x, k * c->s);
	rths_rls_update(c->rls, c->phi, rths_line_at(c->y, 0));
	rths_rls_clamp(c->trial, c->rls->theta, c->rls->theta_len, c->lower, c->lower_len, c->upper, c->upper_len);
	rths_watch_look(&c->watch, c->trial);
	if (c->watch.outside == 0 || !c->hold) {
		rths_copy(c->theta, c->trial, c->theta_len);
		rths_watch_lag(&c->watch, c->theta, c->theta_len);
	}
}

static void rths_adm_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_adm *c = self;
	double m = rths_sane_of(&c->reading, read->x[0]);

	rths_line_push(c->measured, m);
	if (c->lead > 0)
		rths_adm_learn(c, rths_beside_add(&c->beside, rths_line_at(c->issued, c->lead - 1)), rths_zero_of(&c->zero, m, rths_line_at(c->desired, c->lead - 1), read), read);
	command[0] = rths_adm_command(c, target->x[0]);
	if (c->lead == 0)
		rths_adm_learn(c, rths_beside_add(&c->beside, command[0]), rths_zero_of(&c->zero, m, target->x[0], read), read);
}

static void rths_adm_freeze(void *self, bool on)
{
	((struct rths_adm *)self)->frozen = on;
}

static bool rths_adm_settles(void *self)
{
	return ((struct rths_adm *)self)->settling.wait > 0;
}

static bool rths_adm_pinned(void *self)
{
	struct rths_adm *c = self;

	return rths_held(c->theta, c->theta_len, c->lower, c->lower_len, c->upper, c->upper_len);
}

/* What the parameters leave of (1), and the noise in it. */
static double rths_adm_residual(void *self, double *noise)
{
	struct rths_adm *c = self;
	double left = rths_line_at(c->y, 0);
	int j, k;

	for (j = 0; j < c->p; j++)
		left -= c->theta[j] * rths_line_at(c->y, (j + 1) * c->s);
	for (k = 0; k < c->q; k++)
		left -= c->theta[c->p + k] * rths_line_at(c->x, k * c->s);
	*noise = rths_noise_through(c->noise, c->theta + c->p, c->q);
	return left;
}
