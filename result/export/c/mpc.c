/* Model predictive control (Wang 2009): row i of m v, moves and then commands. */
static double rths_mpc_of(const struct rths_mpc *c, int i, const double *v)
{
	double sum = 0;
	int j, n = c->quadratic.n;

	if (i < n)
		return v[i];
	for (j = 0; j < i - n + 1; j++)
		sum += v[j];
	return sum;
}

/* What row i may be. */
static void rths_mpc_bound(const struct rths_mpc *c, int i, double *low, double *high)
{
	if (i == 0) {
		*low = -c->rate * c->h;
		*high = c->rate * c->h;
	} else if (i < c->quadratic.n) {
		*low = -c->rate * c->step;
		*high = c->rate * c->step;
	} else {
		*low = -c->limit - c->command;
		*high = c->limit - c->command;
	}
}

/* Whether the moves keep all bounds. */
static bool rths_mpc_kept(const struct rths_mpc *c)
{
	double low, high, v;
	int i;

	for (i = 0; i < c->quadratic.w_len; i++) {
		rths_mpc_bound(c, i, &low, &high);
		v = rths_mpc_of(c, i, c->quadratic.v);
		if (!(v >= low && v <= high))
			return false;
	}
	return true;
}

/* v = E^-1 S' (r - f) */
static void rths_mpc_unbounded(struct rths_mpc *c)
{
	double sum;
	int i, j;

	for (i = 0; i < c->quadratic.n; i++) {
		const double *w = rths_dense_row(c->quadratic.gain, i);

		sum = 0;
		for (j = 0; j < c->quadratic.n; j++)
			sum += w[j] * c->quadratic.miss[j];
		c->quadratic.v[i] = sum;
	}
}

/* Moves without bounds, towards the rows within their bounds. */
static void rths_mpc_moves(struct rths_quadratic *q)
{
	double later = 0, sum;
	int i, j;

	for (j = q->n - 1; j >= 0; j--) {
		later += q->w[q->n + j] - q->y[q->n + j];
		q->toward[j] = q->w[j] - q->y[j] + later;
	}
	for (i = 0; i < q->n; i++) {
		const double *stay = rths_dense_row(q->stay, i), *pull = rths_dense_row(q->pull, i);

		sum = 0;
		for (j = 0; j < q->n; j++)
			sum += stay[j] * q->start[j] + pull[j] * q->toward[j];
		q->v[i] = sum;
	}
}

/* Rows within their bounds. */
static void rths_mpc_rows(struct rths_mpc *c)
{
	struct rths_quadratic *q = &c->quadratic;
	double low, high, a;
	int i;

	for (i = 0; i < q->w_len; i++) {
		rths_mpc_bound(c, i, &low, &high);
		a = rths_mpc_of(c, i, q->v) + q->y[i];
		q->w[i] = rths_max(low, rths_min(a, high));
		q->y[i] = a - q->w[i];
	}
}

/* Alternates between both. */
static void rths_mpc_split(struct rths_mpc *c)
{
	struct rths_quadratic *q = &c->quadratic;
	int i;

	rths_copy(q->start, q->v, q->n);
	for (i = 0; i < q->w_len; i++) {
		q->w[i] = 0;
		q->y[i] = 0;
	}
	for (i = 0; i < 100; i++) {
		rths_mpc_moves(q);
		rths_mpc_rows(c);
	}
}

/* Finds the moves, and cuts the first to its bounds. */
static void rths_mpc_solve(struct rths_mpc *c)
{
	double move, *v = c->quadratic.v;

	rths_mpc_unbounded(c);
	c->active = 0;
	if (c->ideal || rths_mpc_kept(c))
		return;
	c->active = 1;
	rths_mpc_split(c);
	move = rths_max(-c->rate * c->h, rths_min(v[0], c->rate * c->h));
	v[0] = rths_max(-c->limit, rths_min(c->command + move, c->limit)) - c->command;
}

/* r - f: the target ahead less what comes without moves. */
static void rths_mpc_miss(struct rths_mpc *c, const struct rths_motion *target)
{
	struct rths_quadratic *q = &c->quadratic;
	double at;
	int i, j;

	for (i = 0; i < q->n; i++) {
		const double *w = rths_dense_row(q->free, i);

		at = (double)(i + 1) * c->step - c->shift;
		q->miss[i] = target->x[0] + target->v[0] * at + target->a[0] * at * at / 2 - q->s[i] * c->command;
		for (j = 0; j < q->free->mat.Cols; j++)
			q->miss[i] -= w[j] * c->estimate.z[j];
	}
}

static void rths_mpc_step(void *self, const struct rths_motion *target, const struct rths_reading *read, double *command)
{
	struct rths_mpc *c = self;

	rths_lqgfeedback_correct(&c->estimate, 0, read->x[0]);
	rths_mpc_miss(c, target);
	rths_mpc_solve(c);
	c->command = rths_sane_of(&c->out, c->command + c->quadratic.v[0]);
	rths_lqgfeedback_predict(&c->estimate, c->command);
	command[0] = c->command;
}
