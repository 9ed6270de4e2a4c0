/* Beside: what the rig got for the command u aimed at the instant of the reading, once a tick. */
static double rths_beside_add(struct rths_beside *b, double u)
{
	struct rths_sent then;

	if (!b->past)
		return u;
	rths_line_push(b->own, b->now[0].own);
	rths_line_push(b->past, b->now[0].beside);
	then.own = rths_line_at(b->own, b->own->n - 1);
	then.beside = rths_line_at(b->past, b->past->n - 1);
	return rths_sent_of(&then, u);
}
