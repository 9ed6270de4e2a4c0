/* Line: the last values of one signal. */
static void rths_line_push(struct rths_line *l, double x)
{
	l->at = (l->at + 1) & (l->buf_len - 1);
	l->buf[l->at] = x;
}

/* The value pushed j pushes before the newest. */
static double rths_line_at(const struct rths_line *l, int j)
{
	return l->buf[(l->at - j) & (l->buf_len - 1)];
}
