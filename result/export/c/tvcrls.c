/* Three-variable control that learns the coefficients of its inverse by recursive least squares: F u = theta' F phi. */
static void rths_tvcrls_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_tvcrls *c = self;
	bool learns = rths_settling_takes(&c->settling, read, rths_tvc_heard(read)) && !c->frozen;
	double u = rths_tvc_command(&c->tvc, target, read);
	int i;

	command[0] = u;
	rths_line_push(c->issued, u);
	for (i = 0; i < c->aimed_len; i++) {
		rths_line_push(c->aimed[i], c->tvc.reference.phi[i]);
		c->phi[i] = rths_filter_step(c->terms[i], rths_line_at(c->aimed[i], c->tvc.lead) - c->tvc.deviation.phi[i]);
	}
	c->filtered = rths_filter_step(c->sent, rths_beside_add(&c->beside, rths_line_at(c->issued, c->tvc.lead)));
	c->loud += c->tvc.h / 0.5 * (c->filtered * c->filtered - c->loud);
	if (!learns || rths_unaimed_pass(&c->unaimed) || !(c->loud > 100 * c->noise))
		return;
	rths_rls_update(c->rls, c->phi, c->filtered);
	rths_rls_clamp(c->tvc.theta, c->rls->theta, c->tvc.count, c->lower, c->lower_len, c->upper, c->upper_len);
}

static void rths_tvcrls_freeze(void *self, bool on)
{
	((struct rths_tvcrls *)self)->frozen = on;
}

static bool rths_tvcrls_settles(void *self)
{
	return ((struct rths_tvcrls *)self)->settling.wait > 0;
}

static bool rths_tvcrls_pinned(void *self)
{
	struct rths_tvcrls *c = self;

	return rths_held(c->tvc.theta, c->tvc.count, c->lower, c->lower_len, c->upper, c->upper_len);
}

/* What the coefficients leave of the filtered command, and the noise in it. */
static double rths_tvcrls_residual(void *self, double *noise)
{
	struct rths_tvcrls *c = self;
	double left = c->filtered;
	int i;

	for (i = 0; i < c->phi_len; i++)
		left -= c->tvc.theta[i] * c->phi[i];
	*noise = sqrt(c->noise);
	return left;
}
