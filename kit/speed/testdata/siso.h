/*
 * What the two programs siso_stages and siso_maps share: the problem as the
 * harness writes it, standard normal noise, and the criteria.
 *
 * Units are SI. Vectors and matrices have fixed sizes; matrices are stored by
 * columns, so that the compiler can do several rows of y = M x at a time.
 */
#ifndef SISO_H
#define SISO_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DOF = 3, TAPS = 4, SPACING = 31, ORDER = 4 };

/* structure is M⁻¹ times what acts on it: a = -k x - c v - g ground - e f. */
struct structure {
	double k[DOF][DOF], c[DOF][DOF]; /* columns */
	double g[DOF], e[DOF];
};

/* problem is the file of the harness up to the ground motion: doubles only. */
struct problem {
	double samples, rate;
	double limit;                /* of the target, m */
	double quantum, range;       /* of the command's converter, m */
	double noise_x, noise_f;     /* standard deviations, m and N; 0: none */
	double b[ORDER + 1], a[ORDER + 1]; /* low-pass */
	double x0[TAPS], r, quiet;   /* Kalman filter */
	struct structure numerical, reference;
	double numerical_map[10][6];  /* [x; v; g, g half, g next; f] to [x; v] next, with v the */
	double reference_map[8][6];   /* [x; v; g, g next] to [x; v] next    harness's own measure of speed */
	double plant_map[6][5];       /* [q; q'; f; x; v; u] to the first five next */
};

/* apply is y = M x. The sizes are constants where it is inlined. */
static inline void apply(int rows, int cols, const double *restrict m, const double *restrict x, double *restrict y)
{
	for (int i = 0; i < rows; i++) {
		double sum = 0;
		for (int j = 0; j < cols; j++)
			sum += m[j * rows + i] * x[j];
		y[i] = sum;
	}
}

/* ---- noise: xoshiro256++ (Blackman, Vigna) and a ziggurat of 256 layers
 * (Marsaglia, Tsang 2000) with 52 bits ---- */

struct generator { uint64_t s[4]; };

static inline uint64_t rotl(uint64_t x, int k) { return x << k | x >> (64 - k); }

static inline uint64_t next(struct generator *g)
{
	uint64_t *s = g->s, out = rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return out;
}

/* seed fills the generator by splitmix64. */
static void seed(struct generator *g, uint64_t x)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = x += 0x9e3779b97f4a7c15u;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		g->s[i] = z ^ z >> 31;
	}
}

static inline double uniform(struct generator *g) { return ((next(g) >> 11) + 0.5) * 0x1p-53; }

enum { LAYERS = 256 };
static const double TAIL = 3.6541528853610088, AREA = 0.00492867323399; /* of each layer */

static struct {
	double width[LAYERS];   /* of a layer per unit of the 52-bit integer */
	uint64_t inside[LAYERS]; /* below: inside the next layer up, accepted at once */
	double height[LAYERS];  /* of the density at the layer's edge */
} zig;

static double density(double x) { return exp(-0.5 * x * x); }

static void make_ziggurat(void)
{
	double x = TAIL, base = AREA / density(TAIL); /* width of the lowest layer, had it no tail */
	zig.width[0] = base * 0x1p-52;
	zig.inside[0] = (uint64_t)(TAIL / base * 0x1p52);
	zig.height[0] = 1;
	for (int i = LAYERS - 1; i >= 1; i--) {
		double above = i > 1 ? sqrt(-2 * log(AREA / x + density(x))) : 0;
		zig.width[i] = x * 0x1p-52;
		zig.height[i] = density(x);
		zig.inside[i] = (uint64_t)(above / x * 0x1p52);
		x = above;
	}
}

static double tail(struct generator *g)
{
	double x, y;
	do {
		x = -log(uniform(g)) / TAIL;
		y = -log(uniform(g));
	} while (y + y < x * x);
	return TAIL + x;
}

/* normal is one standard normal number: 99 of 100 from the first return. */
static inline double normal(struct generator *g)
{
	for (;;) {
		uint64_t u = next(g), n = u >> 12;
		int i = u & (LAYERS - 1);
		double x = n * zig.width[i];
		double sign = u & LAYERS ? -1 : 1;
		if (n < zig.inside[i])
			return sign * x;
		if (i == 0)
			return sign * tail(g);
		if (zig.height[i] + uniform(g) * (zig.height[i - 1] - zig.height[i]) < density(x))
			return sign * x;
	}
}

/* ---- criteria ---- */

/* signals of which sums and extremes are kept */
enum { WANT, X, TRUE_X, ERR, TRUE_ERR, NOISE, R1, X_R1, TRUE_X_R1, R2, N2_R2, R3, N3_R3, SIGNALS, PADDED = 16 };

struct moments { double sum[PADDED], square[PADDED], least[PADDED], most[PADDED]; };

static inline void add(struct moments *restrict m, const double *restrict v)
{
	for (int i = 0; i < PADDED; i++) {
		m->sum[i] += v[i];
		m->square[i] += v[i] * v[i];
		m->least[i] = v[i] < m->least[i] ? v[i] : m->least[i];
		m->most[i] = v[i] > m->most[i] ? v[i] : m->most[i];
	}
}

/*
 * lagged correlates two signals y with one reference x at lags of 49 down to -1
 * samples. A sample of y meets the 49 references before it, its own and the
 * next, so a block is summed when the next reference is there.
 */
enum { MAX_LAG = 49, LAGS = MAX_LAG + 2, BLOCK = 256, ROUNDED = 52 };

struct lagged {
	double x[MAX_LAG + BLOCK + 3]; /* MAX_LAG past ones first */
	double y[2][BLOCK];
	int n;                         /* samples in the block */
	double cross[2][ROUNDED];      /* sum of y[i] x[i-49+j] */
	double first_x, first_y[2][MAX_LAG], last_y[2];
};

static void correlate(struct lagged *l)
{
	double c0[ROUNDED], c1[ROUNDED];
	memcpy(c0, l->cross[0], sizeof c0);
	memcpy(c1, l->cross[1], sizeof c1);
	for (int i = 0; i < l->n; i++) {
		const double *x = l->x + i, y0 = l->y[0][i], y1 = l->y[1][i];
		for (int j = 0; j < ROUNDED; j++) {
			c0[j] += y0 * x[j];
			c1[j] += y1 * x[j];
		}
	}
	memcpy(l->cross[0], c0, sizeof c0);
	memcpy(l->cross[1], c1, sizeof c1);
}

static inline void correlate_sample(struct lagged *l, int k, double x, double y0, double y1)
{
	if (l->n == BLOCK) {
		l->x[MAX_LAG + BLOCK] = x;
		correlate(l);
		memcpy(l->x, l->x + BLOCK, MAX_LAG * sizeof *l->x);
		l->n = 0;
	}
	if (k < MAX_LAG) {
		if (k == 0)
			l->first_x = x;
		l->first_y[0][k] = y0;
		l->first_y[1][k] = y1;
	}
	l->x[MAX_LAG + l->n] = x;
	l->y[0][l->n] = y0;
	l->y[1][l->n] = y1;
	l->n++;
}

/* finish sums the last block; there is no reference after it. */
static void finish(struct lagged *l)
{
	const double *end = l->x + MAX_LAG + l->n;
	memset(l->x + MAX_LAG + l->n, 0, (char *)(&l->x + 1) - (char *)end);
	correlate(l);
	for (int s = 0; s < 2; s++)
		l->last_y[s] = l->n > 0 ? l->y[s][l->n - 1] : 0;
}

/* delay prints the whole-sample and the sub-sample delay of signal s, ms. */
static void print_delay(const struct lagged *l, const struct moments *m, int s, double total, double rate)
{
	double r[LAGS]; /* lag -1 first */
	int y = s ? TRUE_X : X, best = 1;
	for (int i = 0; i < LAGS; i++) {
		int lag = i - 1;
		double sx = m->sum[WANT], sxx = m->square[WANT], sy = m->sum[y], syy = m->square[y];
		for (int j = 0; j < lag; j++) {
			double a = l->x[MAX_LAG + l->n - 1 - j], b = l->first_y[s][j];
			sx -= a, sxx -= a * a, sy -= b, syy -= b * b;
		}
		if (lag < 0) {
			double a = l->first_x, b = l->last_y[s];
			sx -= a, sxx -= a * a, sy -= b, syy -= b * b;
		}
		double n = total - abs(lag);
		r[i] = (l->cross[s][MAX_LAG - lag] - sx * sy / n) / sqrt((sxx - sx * sx / n) * (syy - sy * sy / n));
		if (i > best && r[i] > r[best])
			best = i;
	}
	int at = best < LAGS - 2 ? best : LAGS - 2;
	double fine = at - 1 + (r[at - 1] - r[at + 1]) / (2 * (r[at - 1] - 2 * r[at] + r[at + 1]));
	printf("J1%s_ms %.17g\n", s ? "_true" : "", (best - 1) * 1e3 / rate);
	printf("delay%s_ms %.17g\n", s ? "_true" : "", fine * 1e3 / rate);
}

static double deviation(const struct moments *m, int i, double n)
{
	return sqrt(fmax(m->square[i] - m->sum[i] * m->sum[i] / n, 0) / (n - 1));
}

static double peak(const struct moments *m, int i, double from) { return fmax(m->most[i] - from, from - m->least[i]); }

/* print_ratios prints, in percent of signal of, the deviation, peak, rms and
 * centred peak of signal e, each under its name if there is one. */
static void print_ratios(const struct moments *m, int e, int of, double n, const char *std, const char *max, const char *rms, const char *centred)
{
	if (std)
		printf("%s_pct %.17g\n", std, 100 * deviation(m, e, n) / deviation(m, of, n));
	if (max)
		printf("%s_pct %.17g\n", max, 100 * peak(m, e, 0) / peak(m, of, 0));
	if (rms)
		printf("%s_pct %.17g\n", rms, 100 * sqrt(m->square[e] / m->square[of]));
	if (centred)
		printf("%s_pct %.17g\n", centred, 100 * peak(m, e, m->sum[e] / n) / peak(m, of, m->sum[of] / n));
}

static void print_criteria(const struct moments *m, const struct lagged *l, double n, double rate)
{
	print_delay(l, m, 0, n, rate);
	print_delay(l, m, 1, n, rate);
	print_ratios(m, ERR, WANT, n, "J2", "J3", "nrmse", "peak_centred");
	print_ratios(m, TRUE_ERR, WANT, n, "J2_true", "J3_true", "nrmse_true", "peak_centred_true");
	print_ratios(m, NOISE, WANT, n, "J2_floor", NULL, NULL, NULL);
	print_ratios(m, X_R1, R1, n, "J4", "J5", "J4_rms", "J5_centred");
	print_ratios(m, TRUE_X_R1, R1, n, "J4_true", "J5_true", NULL, NULL);
	print_ratios(m, N2_R2, R2, n, "J6", "J8", NULL, NULL);
	print_ratios(m, N3_R3, R3, n, "J7", "J9", NULL, NULL);
}

#endif
