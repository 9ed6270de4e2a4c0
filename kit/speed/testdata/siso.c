/*
 * The single-actuator benchmark as one plain C loop: the yardstick of the speed
 * test. Compiled as it is, the four stages of the Runge-Kutta method are
 * evaluated in every step, for the numerical part and for the reference
 * structure; with -DMAPS both advance by a precomputed matrix.
 *
 *	siso problem.bin runs
 *
 * prints nanoseconds per step of every run, the loop alone, and the criteria
 * of the last.
 */
#include "siso.h"

static struct problem p;
static double *ground; /* at half steps, m/s² */

/* ---- numerical part and reference structure ---- */

/* part is a structure on its way. */
struct part {
	double z[2 * DOF];   /* x, v at t_k+1 */
	double now[2 * DOF]; /* x, v at t_k */
};

static struct part numerical, reference;

#ifdef MAPS

static void advance_numerical(const double *restrict g, double f)
{
	struct part *s = &numerical;
	double w[10];
	memcpy(s->now, s->z, sizeof s->z);
	memcpy(w, s->z, sizeof s->z);
	w[6] = g[0], w[7] = g[1], w[8] = g[2], w[9] = f;
	apply(6, 10, &p.numerical_map[0][0], w, s->z);
}

static void advance_reference(const double *restrict g)
{
	struct part *s = &reference;
	double w[8];
	memcpy(s->now, s->z, sizeof s->z);
	memcpy(w, s->z, sizeof s->z);
	w[6] = g[0], w[7] = g[2];
	apply(6, 8, &p.reference_map[0][0], w, s->z);
}

#else

/* acceleration under ground acceleration g and force f */
static inline void acceleration(const struct structure *restrict s, const double *restrict x, const double *restrict v, double g, double f, double *restrict a)
{
	for (int i = 0; i < DOF; i++)
		a[i] = -s->g[i] * g - s->e[i] * f;
	for (int j = 0; j < DOF; j++)
		for (int i = 0; i < DOF; i++)
			a[i] -= s->k[j][i] * x[j] + s->c[j][i] * v[j];
}

/* state x, v of a stage: that of t_k moved by time h along the rates dx, dv */
static inline void move(const double *restrict now, double h, const double *restrict dx, const double *restrict dv, double *restrict x, double *restrict v)
{
	for (int i = 0; i < DOF; i++) {
		x[i] = now[i] + h * dx[i];
		v[i] = now[DOF + i] + h * dv[i];
	}
}

static inline void rk4(const struct structure *restrict s, struct part *restrict part, const double *restrict g, double f)
{
	const double h = 1 / p.rate;
	double x2[DOF], x3[DOF], x4[DOF], v2[DOF], v3[DOF], v4[DOF], a1[DOF], a2[DOF], a3[DOF], a4[DOF];
	memcpy(part->now, part->z, sizeof part->z);
	const double *x1 = part->now, *v1 = part->now + DOF;
	acceleration(s, x1, v1, g[0], f, a1);
	move(part->now, h / 2, v1, a1, x2, v2);
	acceleration(s, x2, v2, g[1], f, a2);
	move(part->now, h / 2, v2, a2, x3, v3);
	acceleration(s, x3, v3, g[1], f, a3);
	move(part->now, h, v3, a3, x4, v4);
	acceleration(s, x4, v4, g[2], f, a4);
	for (int i = 0; i < DOF; i++) {
		part->z[i] = x1[i] + h / 6 * (v1[i] + 2 * (v2[i] + v3[i]) + v4[i]);
		part->z[DOF + i] = v1[i] + h / 6 * (a1[i] + 2 * (a2[i] + a3[i]) + a4[i]);
	}
}

static void advance_numerical(const double *restrict g, double f) { rk4(&p.numerical, &numerical, g, f); }

static void advance_reference(const double *restrict g) { rk4(&p.reference, &reference, g, 0); }

#endif

/* ---- Kalman compensator ---- */

/* filter in transposed direct form II */
static inline double filter(double *restrict z, double x)
{
	double y = p.b[0] * x + z[0];
	for (int i = 0; i < ORDER - 1; i++)
		z[i] = p.b[i + 1] * x - p.a[i + 1] * y + z[i + 1];
	z[ORDER - 1] = p.b[ORDER] * x - p.a[ORDER] * y;
	return y;
}

enum { RING = 128 }; /* a power of two of at least (TAPS-1)*SPACING + 1 */

static struct {
	double x[TAPS], cov[TAPS][TAPS];
	double desired[RING], measured[RING]; /* measured: filtered */
	double yf[ORDER], mf[ORDER];          /* registers of the filters */
	double reading, out;                  /* the last finite ones */
} kf;

static inline int finite_number(double x) { return x - x == 0; }

static inline double past(const double *ring, int k, int i) { return ring[(unsigned)(k - i * SPACING) % RING]; }

static inline void update(int k, double y)
{
	double h[TAPS], ph[TAPS], s = p.r;
	for (int i = 0; i < TAPS; i++)
		h[i] = past(kf.measured, k, i);
	for (int i = 0; i < TAPS; i++)
		ph[i] = kf.cov[0][i] * h[0] + kf.cov[1][i] * h[1] + kf.cov[2][i] * h[2] + kf.cov[3][i] * h[3];
	for (int i = 0; i < TAPS; i++) {
		s += h[i] * ph[i];
		y -= h[i] * kf.x[i];
	}
	const double gain = 1 / s;
	if (!finite_number(y * gain))
		return;
	for (int i = 0; i < TAPS; i++) {
		kf.x[i] += gain * ph[i] * y;
		for (int j = 0; j < TAPS; j++)
			kf.cov[i][j] -= gain * (ph[i] * ph[j]); /* symmetric to the last bit */
	}
}

static inline double compensate(int k, double target, double reading)
{
	kf.desired[k % RING] = target;
	double sum = 0;
	for (int i = 0; i < TAPS; i++)
		sum += kf.x[i] * past(kf.desired, k, i);
	if (finite_number(sum))
		kf.out = sum;
	if (finite_number(reading))
		kf.reading = reading;
	double y = filter(kf.yf, kf.out), m = filter(kf.mf, kf.reading);
	kf.measured[k % RING] = m;
	if (fabs(m) >= p.quiet)
		update(k, y);
	return kf.out;
}

/* ---- rig ---- */

static double plant[5]; /* servo, its rate, force, displacement, velocity */

/* converted is quantized, halves away from zero, then limited. */
static inline double converted(double u)
{
	double n = u / p.quantum;
	if (fabs(n) < 0x1p51)
		u = p.quantum * trunc(n + copysign(0.5, n));
	return u > p.range ? p.range : u < -p.range ? -p.range : u;
}

static inline void drive(double u)
{
	double w[6];
	memcpy(w, plant, sizeof plant);
	w[5] = converted(u);
	apply(5, 6, &p.plant_map[0][0], w, plant);
}

/* ---- run ---- */

static struct moments sums;
static struct lagged lags;

static void reset(struct generator *gx, struct generator *gf)
{
	memset(&numerical, 0, sizeof numerical);
	memset(&reference, 0, sizeof reference);
	memset(&kf, 0, sizeof kf);
	memset(plant, 0, sizeof plant);
	memset(&sums, 0, sizeof sums);
	memset(&lags, 0, sizeof lags);
	for (int i = 0; i < PADDED; i++)
		sums.least[i] = INFINITY, sums.most[i] = -INFINITY;
	for (int i = 0; i < TAPS; i++) {
		kf.x[i] = p.x0[i];
		kf.cov[i][i] = p.x0[i] * p.x0[i];
	}
	seed(gx, 1);
	seed(gf, 2);
}

/* run returns the number of ticks that went well. */
static int run(void)
{
	struct generator gx, gf;
	reset(&gx, &gf);
	double felt = 0; /* the force of the sample before */
	const int samples = p.samples;
	for (int k = 0; k < samples; k++) {
		const double *g = ground + 2 * k;
		const double true_x = plant[3], x = true_x + p.noise_x * normal(&gx);
		const double used = felt;
		felt = plant[2] + p.noise_f * normal(&gf);
		const double target = numerical.z[0];
		const double command = compensate(k, target, x);
		if (!(fabs(target) <= p.limit) || !finite_number(command)) {
			fprintf(stderr, "diverged at t = %.4f s\n", k / p.rate);
			return k;
		}
		drive(command);
		advance_numerical(g, used);
		advance_reference(g);
		const double *n = numerical.now, *r = reference.now;
		const double v[PADDED] = {
			[WANT] = target, [X] = x, [TRUE_X] = true_x,
			[ERR] = x - target, [TRUE_ERR] = true_x - target, [NOISE] = x - true_x,
			[R1] = r[0], [X_R1] = x - r[0], [TRUE_X_R1] = true_x - r[0],
			[R2] = r[1], [N2_R2] = n[1] - r[1], [R3] = r[2], [N3_R3] = n[2] - r[2],
		};
		add(&sums, v);
		correlate_sample(&lags, k, target, x, true_x);
	}
	return samples;
}

static double nanoseconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void read_problem(const char *path)
{
	FILE *f = fopen(path, "rb");
	if (!f || fread(&p, sizeof p, 1, f) != 1) {
		perror(path);
		exit(1);
	}
	size_t n = 2 * (size_t)p.samples + 1;
	ground = malloc(n * sizeof *ground);
	if (!ground || fread(ground, sizeof *ground, n, f) != n || fgetc(f) != EOF) {
		fprintf(stderr, "%s: want %zu values of ground motion\n", path, n);
		exit(1);
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: siso problem.bin runs\n");
		return 2;
	}
	read_problem(argv[1]);
	make_ziggurat();
	for (int runs = atoi(argv[2]); runs > 0; runs--) {
		double start = nanoseconds();
		int ticks = run();
		printf("ns/step %.3f\n", (nanoseconds() - start) / p.samples);
		if (ticks < p.samples)
			return 1;
	}
	finish(&lags);
	print_criteria(&sums, &lags, p.samples, p.rate);
	return 0;
}
