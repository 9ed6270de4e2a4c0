/* Sent: what the rig gets while a method commands u. */
static double rths_sent_of(const struct rths_sent *s, double u)
{
	return s->own * u + s->beside;
}
