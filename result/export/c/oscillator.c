/* Oscillator: the mode of a payload by the trapezoidal rule, driven by an acceleration. */
static void rths_oscillator_step(struct rths_oscillator *o, double a)
{
	double v = o->v + o->half * o->a;
	double q = o->q + o->half * (o->v + v);

	o->a = (o->stiffness * (a - q) - o->damping * v) * o->over;
	o->v = v + o->half * o->a;
	o->q = q + o->half * (o->half * o->a);
}
