/* Jerk: the target's jerk behind two low-passes of first order, and its snap. */
static double rths_jerk_of(struct rths_jerk *j, double a, double alpha, double h, double *snap)
{
	double raw = (a - j->a) / h, step;

	j->a = a;
	j->once += alpha * (raw - j->once);
	step = alpha * (j->once - j->twice);
	j->twice += step;
	*snap = step / h;
	return j->twice;
}
