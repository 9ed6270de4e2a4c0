/* Sane: the last finite value in place of one that is not. */
static double rths_sane_of(struct rths_sane *s, double x)
{
	if (!rths_finite(x))
		return s->last;
	s->last = x;
	return x;
}
