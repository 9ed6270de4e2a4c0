/*
 * The nonlinear specimens of Galmez 2021, Table 7.5: numbers of campaign/papers/nonlinear_test.go.
 *
 *	cc -O2 -o /tmp/nonlinear kit/independent/nonlinear.c -lm
 *	/tmp/nonlinear "$RTHS_RECORDS"
 *
 * Prints of each specimen, El Centro x 0.5, without noise: J2, J3, J4 rms in percent, and the
 * work on the specimen, J.
 *
 * C, because the plant takes 20 sub-steps to a sample. It reads nothing of the program. The
 * benchmark's plant with the specimen, and the reference, both by RK4; the reference as in the
 * thesis's code: M and C whole, the restoring force alone in place of the stiffness.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATE 4096.0
#define SUB 20
#define ME 29.1   /* of the specimen: kg, N s/m, N/m */
#define CE 114.6
#define KE 1.19e6
#define MASS 1000.0

/* Case 1 of the benchmark. */
static const double K[3][3] = {
	{26054883.879603837, -23133938.877108198, 5937035.463339146},
	{-23133938.877108198, 32560774.186380334, -14419970.777236981},
	{5937035.463339146, -14419970.777236985, 9267275.506224312}};
static const double C[3][3] = {
	{14084.275745299876, -7873.031460913151, 440.4514988426247},
	{-7873.031460913151, 14943.622937895665, -6348.672096305331},
	{440.45149884262497, -6348.672096305332, 7223.101316804461}};

static const struct specimen {
	const char *name;
	double fy, n, eta1, eta2, alpha, beta, kh;
} specimens[] = {
	{"a", 2380, 25, 0.5, 0.5, 0, 0, 0},
	{"b", 1904, 1, 0.6, 0.4, 0, 0, 6e9},
	{"c", 2975, 5, 0.5, 0.5, 0, 0.01, 0},
	{"d", 2678, 2.5, 0.5, 0.5, 0.02, 0.005, 0},
};
static const struct specimen *sp;

static double sign(double x) { return (x > 0) - (x < 0); }

/* Eqs 7.13 to 7.17: rates of z and H; the restoring force without dashpot. */
static double restoring(double x, double v, double z, double h, double *dz, double *dh)
{
	double k = exp(-sp->alpha * h) * KE, fy = sp->fy / (1 + sp->beta * h);
	*dz = k * (1 - pow(fabs(z / fy), sp->n) * (sp->eta1 * sign(z * v) + sp->eta2)) * v;
	*dh = z * (v - *dz / k);
	return z + sp->kh * x * x * x;
}

typedef void (*rates)(const double *s, double in, double *d);

/* One step of RK4, input at its beginning, middle and end. */
static void rk4(rates f, int n, double *s, double h, double in0, double in1, double in2)
{
	double k1[8], k2[8], k3[8], k4[8], t[8];
	f(s, in0, k1);
	for (int i = 0; i < n; i++) t[i] = s[i] + h / 2 * k1[i];
	f(t, in1, k2);
	for (int i = 0; i < n; i++) t[i] = s[i] + h / 2 * k2[i];
	f(t, in1, k3);
	for (int i = 0; i < n; i++) t[i] = s[i] + h * k3[i];
	f(t, in2, k4);
	for (int i = 0; i < n; i++) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

/* Valve, actuator, specimen: q, its rate, force, x, v, z, H under a command. */
static void plant(const double *s, double u, double *d)
{
	double r = restoring(s[3], s[4], s[5], s[6], &d[5], &d[6]);
	d[0] = s[1];
	d[1] = 2.13e13 * (u - s[3]) - 425 * s[1] - 1e5 * s[0];
	d[2] = s[0] - 4.23e6 * s[4] - 3.3 * s[2];
	d[3] = s[4];
	d[4] = (s[2] - CE * s[4] - r) / ME;
}

/* The reference: x, v of three floors, z, H under a ground acceleration. */
static void whole(const double *s, double ground, double *d)
{
	double r = restoring(s[0], s[3], s[6], s[7], &d[6], &d[7]);
	for (int i = 0; i < 3; i++) {
		double f = i == 0 ? r - KE * s[0] : 0;
		for (int j = 0; j < 3; j++) f += K[i][j] * s[j] + C[i][j] * s[3 + j];
		d[i] = s[3 + i];
		d[3 + i] = -ground - f / MASS;
	}
}

/* The numerical part, without the specimen, whose force is held. The ground moves all mass. */
static double held;
static void numerical(const double *s, double ground, double *d)
{
	for (int i = 0; i < 3; i++) {
		double f = MASS * ground + (i == 0 ? held - KE * s[0] - CE * s[3] : 0);
		for (int j = 0; j < 3; j++) f += K[i][j] * s[j] + C[i][j] * s[3 + j];
		d[i] = s[3 + i];
		d[3 + i] = -f / (i == 0 ? MASS - ME : MASS);
	}
}

/* Butterworth low-pass, order 4, 20 Hz, as two second-order sections. */
struct lowpass { double z[2][2]; };
static double lowpass(struct lowpass *l, double x)
{
	double w = tan(M_PI * 20 / RATE);
	for (int i = 0; i < 2; i++) {
		double c = 2 * sin(M_PI * (2 * i + 1) / 8), a0 = 1 + c * w + w * w, y = w * w / a0 * x + l->z[i][0];
		l->z[i][0] = l->z[i][1] + 2 * w * w / a0 * x - 2 * (w * w - 1) / a0 * y;
		l->z[i][1] = w * w / a0 * x - (1 - c * w + w * w) / a0 * y;
		x = y;
	}
	return x;
}

/* A value and its derivatives by backward differences over a sample. */
static void derivatives(double *past, double x, double *d)
{
	memmove(past + 1, past, 3 * sizeof *past);
	past[0] = x;
	d[0] = past[0];
	d[1] = (past[0] - past[1]) * RATE;
	d[2] = (past[0] - 2 * past[1] + past[2]) * RATE * RATE;
	d[3] = (past[0] - 3 * past[1] + 3 * past[2] - past[3]) * RATE * RATE * RATE;
}

static double *times, *accelerations;
static int points;

static double ground(double t)
{
	static int i;
	while (i > 0 && times[i] > t) i--;
	while (i < points - 2 && times[i + 1] < t) i++;
	return 0.5 * (accelerations[i] + (accelerations[i + 1] - accelerations[i]) * (t - times[i]) / (times[i + 1] - times[i]));
}

static void run(void)
{
	const double gain[4] = {2.51188643150958e8, 1.584893192461114e6, 125.89254117941673, 6.309573444801933};
	double a[4] = {1.0, 0.01985916, 8.440143e-5, 1.985916e-7}; /* eq. 7.7 */
	double n[6] = {0}, p[7] = {0}, r[8] = {0}, past[4] = {0}, late[4] = {0}, d[4], h = 1 / RATE;
	struct lowpass lu = {0}, lx = {0};
	double st = 0, stt = 0, se = 0, see = 0, top = 0, most = 0, srr = 0, sdd = 0, work = 0, x0 = 0, f0 = 0;
	int samples = (int)floor(times[points - 1] * RATE + 1e-9) + 1;
	for (int k = 0; k < samples; k++) {
		double x = p[3], f = p[2], target = n[0], e = x - target, u = 0;
		st += target, stt += target * target, se += e, see += e * e;
		top = fmax(top, fabs(e)), most = fmax(most, fabs(target));
		srr += r[0] * r[0], sdd += (x - r[0]) * (x - r[0]);
		work += (f + f0) / 2 * (x - x0), x0 = x, f0 = f;
		/* the inverse, and its adaptation (6.3) to (6.8) */
		derivatives(past, target, d);
		for (int i = 0; i < 4; i++) u += fmax(a[i], 0) * d[i];
		double uf = lowpass(&lu, u), norm = 1;
		derivatives(late, lowpass(&lx, x), d);
		for (int i = 0; i < 4; i++) uf -= fmax(a[i], 0) * d[i], norm += d[i] * d[i];
		for (int i = 0; i < 4; i++) a[i] += h * gain[i] * uf / norm * d[i];
		u = round(u * 262144) / 262144; /* 18 bits, in metres */
		held = f;
		double t = k * h;
		rk4(numerical, 6, n, h, ground(t), ground(t + h / 2), ground(t + h));
		for (int j = 0; j < SUB; j++) {
			double s = h / SUB;
			rk4(plant, 7, p, s, u, u, u);
			rk4(whole, 8, r, s, ground(t + j * s), ground(t + (j + 0.5) * s), ground(t + (j + 1) * s));
		}
	}
	printf("%s %.6g %.6g %.6g %.6g\n", sp->name, 100 * sqrt((see - se * se / samples) / (stt - st * st / samples)),
	       100 * top / most, 100 * sqrt(sdd / srr), work);
}

int main(int argc, char **argv)
{
	char path[4096], line[256];
	snprintf(path, sizeof path, "%s/elcentro.csv", argc > 1 ? argv[1] : ".");
	FILE *f = fopen(path, "r");
	if (!f) {
		perror(path);
		return 1;
	}
	times = malloc(100000 * sizeof *times);
	accelerations = malloc(100000 * sizeof *accelerations);
	while (points < 100000 && fgets(line, sizeof line, f))
		points += sscanf(line, "%lf,%lf", &times[points], &accelerations[points]) == 2;
	for (int i = 0; i < 4; i++) {
		sp = &specimens[i];
		run();
	}
	return 0;
}
