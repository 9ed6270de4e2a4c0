/*
 * The servo-hydraulic actuator as built: displacements and forces for model/plant/hydraulic_independent_test.go,
 * campaign/analyse/identify_hydraulic_test.go and capacity_independent_test.go.
 *
 *	cc -O2 -o /tmp/hydraulic kit/independent/hydraulic.c -lm
 *	/tmp/hydraulic name=a seconds=20 mass=60 stiffness=5e5 amplitude=0.02 rated_flow_l_min=38 ... name=b ...
 *
 * From the equations in the comment of plant.Hydraulic, with the keys and units of the scenario. A name begins
 * another actuator. The command is amplitude (sin 2π 2 t + 0.1 sin 2π 11 t), held over samples of 1/4096 s, or the
 * numbers of the file commands=FILE, one for each; the specimen is linear with 2 % of damping. Prints displacements (m)
 * as name/x and forces (N) as name/f after every 16th sample, or as every= says.
 *
 * With structure_mass the command is of a hybrid simulation: an oscillator of structure_mass, structure_stiffness and
 * structure_damping_ratio, of which the specimen is a part, under ground_amplitude sin 2π ground_hz t (m/s²). The rest of
 * it goes from sample to sample by RK4 with the measured force held, and its displacement there is the command. Prints
 * too, as name/run and name/perfect, the largest opening of the valve, displacement (m), speed, of what the valve wide
 * open gives under the load at the pressure of the supply, and the oil that has left the accumulator, of what it gives,
 * in the run and of a perfect actuator. That one makes the motion of the oscillator as it is.
 *
 * C, because a sample takes 32 steps. They are of RK4; one in which a branch of the equations changes is made in 64
 * parts. The supply is one state here, the volume of gas, and chambers count from the return line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK (1 / 4096.0)
enum { XV, WV, INT, MEAN, PA, PB, Z, GAS, XB, VB, XP, VP, XS, VS, STATES };

static const char *keys[] = {"seconds", "steps", "mass", "stiffness", "amplitude", "proportional_gain", "integral_gain",
	"derivative_gain", "feedforward", "pressure_gain", "pressure_corner_hz", "controller_rate_hz", "rated_flow_l_min",
	"valve_hz", "valve_order", "valve_damping", "valve_slew", "valve_overlap", "supply_pressure_bar", "pump_flow_l_min",
	"accumulator_l", "precharge_bar", "gas_exponent", "piston_area_cm2", "rod_side_area_cm2", "oil_volume_cm3",
	"bulk_modulus_mpa", "leakage_l_min", "moving_mass_kg", "coulomb_force_n", "static_force_n", "stribeck_speed_m_s",
	"presliding_um", "bristle_damping", "viscous_damping", "frame_stiffness", "frame_mass_kg", "frame_damping_ratio",
	"clevis_stiffness", "clevis_damping", "clevis_play_mm", "every", "structure_mass", "structure_stiffness",
	"structure_damping_ratio", "ground_hz", "ground_amplitude"};
enum { SECONDS, STEPS, MASS, STIFFNESS, AMPLITUDE, KP, KI, KD, KV, KDP, CORNER, RATE, FLOW, HZ, ORDER, ZETA, SLEW, LAP,
	SUPPLY, PUMP, ACCUMULATOR, PRECHARGE, EXPONENT, AREA, ROD, OIL, BULK, LEAK, MOVING, FC, FS, STRIBECK, PRESLIDE,
	SIGMA1, SIGMA2, FRAMEK, FRAMEM, FRAMEZ, CLEVISK, CLEVISC, PLAY, EVERY, BIGM, BIGK, BIGZ, GROUNDHZ, GROUND, KEYS };

static double p[KEYS];
static const char *commands;
static double k, ps, s0, fs, damping;  /* K, set pressure, sigma_0, F_s, the specimen's damping */
static double u, du, held, before;     /* command, its change per second; output and x of a sampled controller */

/* Flow of an edge per K and opening: the root of its drop, laminar below 1 bar. */
static double edge(double drop)
{
	double part = drop / 1e5;
	if (fabs(part) < 1)
		return sqrt(1e5) * part * (1.25 - 0.25 * part * part);
	return drop > 0 ? sqrt(drop) : -sqrt(-drop);
}

static double clip(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* Pressure of the supply. Beyond its own volume of gas the accumulator is empty. */
static double pressure(double gas)
{
	double pre = p[PRECHARGE] * 1e5, n = p[EXPONENT], all = p[ACCUMULATOR] * 1e-3;
	if (all == 0)
		return ps;
	return gas <= all ? pre * pow(all / gas, n) : pre - 100 * n * pre / all * (gas - all);
}

static double load(const double *y)
{
	return p[ROD] > 0 ? y[PA] - p[ROD] / p[AREA] * y[PB] : y[PA];
}

static double controller(const double *y, double v)
{
	double e = u - (y[XP] - y[XB]);
	return p[KP] * e + y[INT] + p[KV] * du - p[KD] * v - p[KDP] / 1e5 * (load(y) - y[MEAN]);
}

static int winds(double i, double e) { return fabs(i) < 1 || clip(i, -1, 1) * e < 0; }

/* Rates of all states, and the force on the specimen. Returns which branches they are on. */
static int rates(const double *y, double *d, double *force)
{
	double x = y[XP] - y[XB], v = y[VP] - y[VB], a = p[AREA] * 1e-4, b = p[ROD] * 1e-4, leak = p[LEAK] / 6e4 / 7e6;
	double i = held, w = 2 * M_PI * p[HZ], beta = p[BULK] * 1e6, oil = p[OIL] * 1e-6, s = pressure(y[GAS]), from;
	int branch = 0;

	memset(d, 0, STATES * sizeof *d);
	if (p[RATE] == 0) {
		i = controller(y, v);
		if (winds(i, u - x)) {
			d[INT] = p[KI] * (u - x);
			branch |= 1;
		}
		branch |= 2 * (i > 1) + 4 * (i < -1);
		i = clip(i, -1, 1);
		d[MEAN] = 2 * M_PI * p[CORNER] * (load(y) - y[MEAN]);
	}
	if (p[ORDER] == 1) {
		d[XV] = w * (i - y[XV]);
		branch |= 8 * (p[SLEW] > 0 && fabs(d[XV]) > p[SLEW]);
		if (p[SLEW] > 0)
			d[XV] = clip(d[XV], -p[SLEW], p[SLEW]);
	} else {
		d[XV] = y[WV];
		d[WV] = w * w * (i - y[XV]) - 2 * p[ZETA] * w * y[WV];
		if (p[SLEW] > 0 && fabs(y[WV]) >= p[SLEW] && y[WV] * d[WV] > 0) {
			d[WV] = 0;
			branch |= 8;
		}
	}
	double plus = clip(y[XV] - p[LAP], 0, 1), minus = clip(-y[XV] - p[LAP], 0, 1);
	branch |= 16 * (plus > 0) + 32 * (minus > 0) + 64 * (plus == 1 || minus == 1);
	if (b == 0) {
		double in = k * plus * edge((s - y[PA]) / 2), out = k * minus * edge((s + y[PA]) / 2);
		d[PA] = 4 * beta / oil * (in - out - a * v - leak * y[PA]);
		from = in + out;
	} else {
		double over = leak * (y[PA] - y[PB] + ps * (a - b) / (a + b));
		double in = k * plus * edge(s - y[PA]), out = k * minus * edge(s - y[PB]);
		d[PA] = beta / (oil * a / (a + b) + a * x) * (in - k * minus * edge(y[PA]) - a * v - over);
		d[PB] = beta / (oil * b / (a + b) - b * x) * (b * v + over - k * plus * edge(y[PB]) + out);
		from = in + out;
	}
	if (p[ACCUMULATOR] > 0) {
		d[GAS] = from - p[PUMP] / 6e4 * clip((1 - s / ps) / 0.05, 0, 1);
		branch |= 128 * (y[GAS] > p[ACCUMULATOR] * 1e-3) + 256 * (s < 0.95 * ps);
	}
	double g = p[FC] + (fs - p[FC]) * exp(-fabs(v) / p[STRIBECK]), rub = p[SIGMA2] * v;
	if (p[FC] > 0) {
		d[Z] = v - s0 * fabs(v) / g * y[Z];
		rub += s0 * y[Z] + p[SIGMA1] * d[Z];
		branch |= 512 * (v > 0);
	}
	double push = a * load(y) - rub;
	if (p[FRAMEK] > 0) {
		d[XB] = y[VB];
		d[VB] = -(push + p[FRAMEK] * y[XB]) / p[FRAMEM] - 2 * p[FRAMEZ] * sqrt(p[FRAMEK] / p[FRAMEM]) * y[VB];
	}
	d[XP] = y[VP];
	if (p[CLEVISK] == 0) {
		d[VP] = (push - damping * y[VP] - p[STIFFNESS] * y[XP]) / (p[MOVING] + p[MASS]);
		*force = push - p[MOVING] * d[VP];
		return branch;
	}
	double gap = y[XP] - y[XS], half = p[PLAY] / 2e3;
	*force = p[CLEVISK] * (gap - clip(gap, -half, half)) + p[CLEVISC] * (y[VP] - y[VS]);
	branch |= 1024 * (gap > half) + 2048 * (gap < -half);
	d[VP] = (push - *force) / p[MOVING];
	d[XS] = y[VS];
	d[VS] = (*force - damping * y[VS] - p[STIFFNESS] * y[XS]) / p[MASS];
	return branch;
}

/* A step of RK4, in parts if a branch changes in it. */
static void step(double *y, double h, int parts)
{
	double d[4][STATES], at[STATES], f;
	int branch = rates(y, d[0], &f), changes = 0;
	for (int s = 1; s < 4; s++) {
		for (int j = 0; j < STATES; j++)
			at[j] = y[j] + h * (s < 3 ? 0.5 : 1) * d[s - 1][j];
		changes |= rates(at, d[s], &f) != branch;
	}
	for (int j = 0; j < STATES; j++)
		at[j] = y[j] + h / 6 * (d[0][j] + 2 * d[1][j] + 2 * d[2][j] + d[3][j]);
	if (parts > 1 && (changes || rates(at, d[3], &f) != branch)) {
		for (int j = 0; j < parts; j++)
			step(y, h / parts, 1);
		return;
	}
	if (p[SLEW] > 0)
		at[WV] = clip(at[WV], -p[SLEW], p[SLEW]);
	memcpy(y, at, sizeof at);
}

/* A controller of its own rate: output from the states before, then integral and mean over a sample of it. */
static void sample(double *y)
{
	double h = 1 / p[RATE], x = y[XP] - y[XB], i = controller(y, (x - before) / h);
	before = x;
	held = clip(i, -1, 1);
	if (winds(i, u - x))
		y[INT] += p[KI] * (u - x) * h;
	y[MEAN] += (load(y) - y[MEAN]) * (1 - exp(-2 * M_PI * p[CORNER] * h));
}

/* Oscillator of mass m, damping c and stiffness k under the ground's motion on mass all and a force: a step of RK4. */
static void oscillate(double *z, double m, double c, double k, double all, double force, double t, double h)
{
	double d[4][2], x = z[0], v = z[1];
	for (int s = 0; s < 4; s++) {
		double part = s == 0 ? 0 : s < 3 ? h / 2 : h, a = p[GROUND] * sin(2 * M_PI * p[GROUNDHZ] * (t + part));
		double xs = s ? x + part * d[s - 1][0] : x, vs = s ? v + part * d[s - 1][1] : v;
		d[s][0] = vs;
		d[s][1] = (-all * a - force - c * vs - k * xs) / m;
	}
	for (int j = 0; j < 2; j++)
		z[j] += h / 6 * (d[0][j] + 2 * d[1][j] + 2 * d[2][j] + d[3][j]);
}

/* Largest speed against a force with the valve wide open: the drops of both edges, (A v/K)^2 each, and the load share
 * the supply's pressure. With chambers of their own A p_A - B p_B = force. */
static double widest(double against, double s, int extends)
{
	double a = p[AREA] * 1e-4, b = p[ROD] > 0 ? p[ROD] * 1e-4 : a, left = (extends ? a : b) * s - against;
	return left <= 0 ? 0 : k * clip(1 - p[LAP], 0, 1) * sqrt(left / (a * a * a + b * b * b));
}

enum { VALVE, PLACE, SPEED, OILLEFT, USES };

static void use(double *most, double valve, double x, double v, double against, double gas)
{
	double first = p[ACCUMULATOR] * 1e-3 * pow(p[PRECHARGE] / p[SUPPLY], 1 / p[EXPONENT]);
	most[VALVE] = fmax(most[VALVE], fabs(valve));
	most[PLACE] = fmax(most[PLACE], fabs(x));
	most[SPEED] = fmax(most[SPEED], fabs(v) / widest(against, pressure(gas), v > 0));
	if (p[ACCUMULATOR] > 0)
		most[OILLEFT] = fmax(most[OILLEFT], (gas - first) / (p[ACCUMULATOR] * 1e-3 - first));
}

/* What a perfect actuator makes of the same test, whose force is that of specimen, moving mass and seals. */
static void perfect(double *most)
{
	double z[2] = {0}, a = p[AREA] * 1e-4, h = TICK / p[STEPS], c = 2 * p[BIGZ] * sqrt(p[BIGK] * p[BIGM]);
	double gas = p[ACCUMULATOR] * 1e-3 * pow(p[PRECHARGE] / p[SUPPLY], 1 / p[EXPONENT]);
	for (int j = 0; j < (int)(p[SECONDS] / h + 0.5); j++) {
		oscillate(z, p[BIGM], c, p[BIGK], p[BIGM], 0, j * h, h);
		double v = z[1], sign = v > 0 ? 1 : -1, ground = p[GROUND] * sin(2 * M_PI * p[GROUNDHZ] * (j + 1) * h);
		double acceleration = -ground - (c * v + p[BIGK] * z[0]) / p[BIGM];
		double force = (p[MASS] + p[MOVING]) * acceleration + damping * v + p[STIFFNESS] * z[0] + p[SIGMA2] * v;
		force += sign * (p[FC] + (fs - p[FC]) * exp(-fabs(v) / p[STRIBECK]));
		if (p[ACCUMULATOR] > 0) {
			double flow = fabs(v) * (v < 0 && p[ROD] > 0 ? p[ROD] * 1e-4 : a) + p[LEAK] / 6e4 / 7e6 * fabs(force) / a;
			double full = p[ACCUMULATOR] * 1e-3 * pow(p[PRECHARGE] / p[SUPPLY], 1 / p[EXPONENT]);
			gas = fmax(full, gas + h * (flow - p[PUMP] / 6e4 * clip((1 - pressure(gas) / ps) / 0.05, 0, 1)));
		}
		use(most, 0, z[0], v, sign * force, gas);
	}
}

static void run(const char *name)
{
	int ticks = (int)(p[SECONDS] / TICK + 0.5), steps = (int)p[STEPS], every = (int)p[EVERY], n = ticks / every;
	int per = p[RATE] > 0 ? (int)(p[RATE] * TICK + 0.5) : 1;
	double y[STATES] = {0}, d[STATES], *x = malloc(2 * n * sizeof *x), *f = x + n, r = p[ROD] / p[AREA];

	k = sqrt(2) * p[FLOW] / 6e4 / sqrt(7e6);
	ps = p[SUPPLY] * 1e5;
	s0 = p[FC] / (p[PRESLIDE] * 1e-6);
	fs = p[FS] > 0 ? p[FS] : p[FC];
	damping = 2 * 0.02 * sqrt(p[STIFFNESS] * p[MASS]);
	u = held = before = 0;
	if (p[ACCUMULATOR] > 0)
		y[GAS] = p[ACCUMULATOR] * 1e-3 * pow(p[PRECHARGE] / p[SUPPLY], 1 / p[EXPONENT]);
	if (r > 0) {
		y[PA] = ps * r / (1 + r);
		y[PB] = ps / (1 + r);
	}
	double z[2] = {0}, most[2][USES] = {{0}}, share = p[AREA] * 1e-4, c0 = 2 * p[BIGZ] * sqrt(p[BIGK] * p[BIGM]) - damping;
	FILE *in = commands ? fopen(commands, "r") : NULL;
	for (int t = 0; t < ticks; t++) {
		double s = t * TICK, c = p[AMPLITUDE] * (sin(2 * M_PI * 2 * s) + 0.1 * sin(2 * M_PI * 11 * s));
		if (commands && (!in || fscanf(in, "%lf", &c) != 1)) {
			fprintf(stderr, "hydraulic: %s: want %d numbers\n", commands, ticks);
			exit(1);
		}
		if (p[BIGM] > 0) {
			double felt;
			rates(y, d, &felt);
			oscillate(z, p[BIGM] - p[MASS], c0, p[BIGK] - p[STIFFNESS], p[BIGM], felt, s, TICK);
			c = z[0];
		}
		du = (c - u) / TICK;
		u = c;
		for (int j = 0; j < per; j++) {
			if (p[RATE] > 0)
				sample(y);
			for (int q = 0; q < steps / per; q++)
				step(y, TICK / steps, 64);
		}
		if (p[BIGM] > 0)
			use(most[0], y[XV], y[XP], y[VP], (y[VP] > 0 ? share : -share) * load(y), y[GAS]);
		if ((t + 1) % every == 0) {
			rates(y, d, &f[t / every]);
			x[t / every] = p[CLEVISK] > 0 ? y[XS] : y[XP];
		}
	}
	for (int j = 0; j < 2 * n; j++)
		j % n ? printf(" %.15g", x[j]) : printf("%s%s/%s %.15g", j ? "\n" : "", name, j ? "f" : "x", x[j]);
	printf("\n");
	if (p[BIGM] > 0) {
		perfect(most[1]);
		for (int j = 0; j < 2; j++)
			printf("%s/%s %g %g %g %g\n", name, j ? "perfect" : "run", most[j][0], most[j][1], most[j][2], most[j][3]);
	}
	free(x);
	if (in)
		fclose(in);
}

int main(int argc, char **argv)
{
	const char *name = NULL;
	for (int i = 1; i <= argc; i++) {
		if (i == argc || strncmp(argv[i], "name=", 5) == 0) {
			if (name)
				run(name);
			memset(p, 0, sizeof p);
			p[STEPS] = 32;
			p[EVERY] = 16;
			commands = NULL;
			name = i < argc ? argv[i] + 5 : NULL;
			continue;
		}
		if (strncmp(argv[i], "commands=", 9) == 0) {
			commands = argv[i] + 9;
			continue;
		}
		int j = 0;
		size_t n = strcspn(argv[i], "=");
		while (j < KEYS && (strlen(keys[j]) != n || strncmp(argv[i], keys[j], n) != 0))
			j++;
		if (j == KEYS || argv[i][n] != '=') {
			fprintf(stderr, "hydraulic: %s: want a key and its value\n", argv[i]);
			return 1;
		}
		p[j] = atof(argv[i] + n + 1);
	}
	return 0;
}
