/* Zero: a reading without the constant offset of its sensor. */
static double rths_zero_of(struct rths_zero *z, double x, double d, const struct rths_reading *read)
{
	double r, part;

	if (!z->on)
		return x;
	z->peak = rths_max(z->peak, fabs(d));
	r = z->noise + 0.25 * z->peak * z->peak;
	if (read->age == 0 && !read->late && rths_finite(r)) {
		part = z->p / (z->p + r);
		z->p = part * r;
		z->offset += part * (x - d - z->offset);
	}
	return x - z->offset;
}
