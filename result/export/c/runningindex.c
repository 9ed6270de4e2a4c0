/* RunningIndex: puts a block in the place of the oldest. */
static void rths_runningindex_slide(struct rths_runningindex *s, double d, double x)
{
	int size = s->d_len, m = s->n % size, at = 0, k;
	double newD = d - s->d[m], newX = x - s->x[m];

	s->d[m] = d;
	s->x[m] = x;
	for (k = 0; k < s->dRe_len; k++) {
		s->dRe[k] += s->cos[at] * newD;
		s->dIm[k] += s->sin[at] * newD;
		s->xRe[k] += s->cos[at] * newX;
		s->xIm[k] += s->sin[at] * newX;
		at += m;
		if (at >= size)
			at -= size;
	}
}

/* Four times the Hann window's transform, of three neighbouring frequencies. */
static void rths_runningindex_hann(const double *yRe, const double *yIm, double re, double im, double out[2])
{
	out[0] = 2 * yRe[1] - (re * yRe[0] - im * yIm[0]) - (re * yRe[2] + im * yIm[2]);
	out[1] = 2 * yIm[1] - (re * yIm[0] + im * yRe[0]) - (re * yIm[2] - im * yRe[2]);
}

/* The index of a full window, unless the displacement does not follow the target. */
static bool rths_runningindex_index(struct rths_runningindex *s)
{
	double re = s->cos[s->n % s->d_len], im = s->sin[s->n % s->d_len];
	double sumRe = 0, sumIm = 0, weight = 0, power = 0, moment = 0, size, i[2], o[2], w;
	int k;

	for (k = 1; k < s->dRe_len - 1; k++) {
		rths_runningindex_hann(s->dRe + k - 1, s->dIm + k - 1, re, im, i);
		rths_runningindex_hann(s->xRe + k - 1, s->xIm + k - 1, re, im, o);
		w = i[0] * i[0] + i[1] * i[1];
		sumRe += o[0] * i[0] + o[1] * i[1];
		sumIm += o[1] * i[0] - o[0] * i[1];
		weight += w;
		power += o[0] * o[0] + o[1] * o[1];
		moment += w * (double)k;
	}
	size = sumRe * sumRe + sumIm * sumIm;
	if (!(size > 0.25 * weight * power))
		return false;
	s->Re = sumRe;
	s->Im = sumIm;
	s->Weight = weight;
	s->found = 1;
	s->FEq = moment / weight * s->blockHz / (double)s->d_len;
	return true;
}

/* About the mean square of the target in the last window that had an index. */
static double rths_runningindex_mean_square(const struct rths_runningindex *s)
{
	return s->Weight / (3 * (double)s->d_len * (double)s->d_len);
}

/* Adds target and measured displacement of one instant, and says whether there is a new index. */
static bool rths_runningindex_add(struct rths_runningindex *s, double d, double x)
{
	s->sumD += d;
	s->sumX += x;
	if (++s->in < s->every)
		return false;
	rths_runningindex_slide(s, s->sumD / (double)s->every, s->sumX / (double)s->every);
	s->in = 0;
	s->sumD = 0;
	s->sumX = 0;
	s->n++;
	return s->n >= s->d_len && s->n % 8 == 0 && rths_runningindex_index(s);
}
