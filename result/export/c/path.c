/* Moves the states of a law along the line between two deformations. */
static void rths_path_advance(const struct rths_path *p, double *z, double from, double to)
{
	double v = (to - from) / p->h, n = (double)p->parts;
	int i;

	if (p->flow.self) {
		p->flow.flow(p->flow.self, z, v, p->h, p->parts);
		return;
	}
	for (i = 0; i < p->parts; i++) {
		rths_stages_step(p->stages, z, v, p->h / n);
		if (p->law.commit)
			p->law.commit(p->law.self, z, to - (double)(p->parts - 1 - i) * (to - from) / n);
	}
}
