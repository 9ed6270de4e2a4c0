/* An adaptive inverse of order 2. The plant is taken as x/u = 1/(a2 s^2 + a1 s + a0), and the command is its inverse
 *
 *   u = a0 x + a1 dx/dt + a2 d2x/dt2            of the target x, by backward differences.
 *
 * The parameters follow the gradient of the error that they leave on what was measured, y:
 *
 *   da_i/dt = gamma w_i e z_i,   e = (u_f - a0 z0 - a1 z1 - a2 z2)/(eps^2 + sum w_i z_i^2),   z_i = d^i y_f/dt^i
 *
 * with w_i = (2 pi 5 Hz)^-2i, which makes all terms of one size. f marks a low-pass of two equal poles, the same on
 * command and measurement, so that sensor noise stays small in the derivatives. */
#include "rths.h"

#define N 3

static double tau_ms = 20;     /* delay at the start: a1 */
static double gamma_1_s = 10;  /* how fast it learns: the error falls at most so fast, 1/s; 0: not at all */
static double filter_hz = 20;  /* of the low-pass */
static double quiet_um = 20;   /* nothing is learnt while the measurement is smaller */

static double target[N - 1];   /* the last targets, newest first, m */
static double aimed;           /* the command of the tick before, m */
static double low[2][2];       /* low-pass of command and measurement: after one pole, after two */
static double filtered[N - 1]; /* the last filtered measurements, newest first, m */
static double a[N];            /* what is learnt */
static double a0, a1, a2;      /* the same, for the record */
static double waiting;         /* ticks until a reading answers a command: with timing next the first one does not */
static double settling;        /* ticks until the low-pass has forgotten readings that were old */

static double rate, pole, weight[N]; /* set by init */
static int leads;

RTHS_TABLE(PARAMETER(tau_ms, "ms"), PARAMETER(gamma_1_s, "1/s"), PARAMETER(filter_hz, "Hz"), PARAMETER(quiet_um, "um"),
    STATE(target), STATE(aimed), STATE(low), STATE(filtered), STATE(waiting), STATE(settling), LEARNT(a),
    SHOWN(a0, "-"), SHOWN(a1, "s"), SHOWN(a2, "s^2"))

INIT {
    if (!(tau_ms >= 0)) return "tau_ms: want 0 or more";
    if (!(gamma_1_s >= 0 && gamma_1_s < rate_hz)) return "gamma_1_s: want 0 or more, less than the rate of the scenario";
    if (!(filter_hz > 0 && filter_hz < rate_hz / 2)) return "filter_hz: want more than 0, less than half the rate of the scenario";
    if (!(quiet_um >= 0)) return "quiet_um: want 0 or more";
    if (lead > 1) return "it pairs a reading with the command of this tick or of the one before: want it alone, or in front of an extrapolation";
    rate = rate_hz;
    leads = lead > 0;
    waiting = lead;
    pole = exp(-2 * PI * filter_hz / rate_hz);
    double omega = 2 * PI * 5, tau = tau_ms / 1000;
    for (int i = 0; i < N; i++) weight[i] = pow(omega, -2 * i);
    a[0] = a0 = 1;
    a[1] = a1 = tau;
    a[2] = a2 = tau * tau / 5;
    return 0;
}

static double filter(double *l, double x) {
    l[0] = x + pole * (l[0] - x);
    l[1] = l[0] + pole * (l[1] - l[0]);
    return l[1];
}

/* bounded keeps a_i w_i^(1/2) within 0.5 of its start. */
static double bounded(int i, double v) {
    double tau = tau_ms / 1000, start = i == 0 ? 1 : i == 1 ? tau : tau * tau / 5, reach = 0.5 * sqrt(weight[i]);
    return fmin(fmax(v, start - reach), start + reach);
}

static void learn(double u, double y) {
    double z[N] = {y, (y - filtered[0]) * rate, (y - 2 * filtered[0] + filtered[1]) * rate * rate};
    filtered[1] = filtered[0];
    filtered[0] = y;
    if (now.age > 0)
        settling = ceil(20 * rate / (2 * PI * filter_hz)); /* 20 time constants */
    else if (settling > 0)
        settling--;
    if (now.frozen || settling > 0 || fabs(y) < quiet_um * 1e-6) return;
    double e = u, size = 50e-6 * 50e-6;
    for (int i = 0; i < N; i++) {
        e -= a[i] * z[i];
        size += weight[i] * z[i] * z[i];
    }
    for (int i = 0; i < N; i++) {
        double next = bounded(i, a[i] + gamma_1_s / rate * weight[i] * e / size * z[i]);
        if (finite(next)) a[i] = next;
    }
}

STEP {
    double x = now.target, y = now.measured;
    double command = a[0] * x + a[1] * rate * (x - target[0]) + a[2] * rate * rate * (x - 2 * target[0] + target[1]);
    target[1] = target[0];
    target[0] = x;
    if (waiting > 0)
        waiting--;
    else if (fabs(y) < 10) /* m: a reading that is larger is none */
        learn(filter(low[0], leads ? aimed : command), filter(low[1], y));
    aimed = command;
    a0 = a[0], a1 = a[1], a2 = a[2];
    return command;
}
