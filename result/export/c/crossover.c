/* Crossover: one motion of a displacement below and an acceleration, mean over the sample before, above. */
static void rths_crossover_step(struct rths_crossover *c, double x, double a)
{
	double move, y;

	a += c->offset;
	move = c->h * c->v;
	c->v += c->h * a;
	c->x += move + c->h / 2 * (c->h * a);
	y = x - c->x;
	c->x += c->gainX * y;
	c->v += c->gainV * y;
	c->offset += c->gain * y;
}
