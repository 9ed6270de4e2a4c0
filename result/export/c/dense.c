/* Dense: a row of a matrix. */
static const double *rths_dense_row(const struct rths_dense *m, int i)
{
	return m->mat.Data + i * m->mat.Stride;
}
