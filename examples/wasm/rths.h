/* rths.h: a compensator, or the law of a device, of one's own for rths, see docs/guides/method-of-your-own.md.
 *
 * sh build.sh method.c method.wasm
 *
 * The method exports three functions and its memory, and imports nothing:
 *
 *   const char *init(double rate_hz, double lead)   before the first tick; returns 0, or why it refuses
 *   double step(void)                               one tick: reads now, returns the command, m
 *   table                                           what RTHS_TABLE makes: the variables that rths reads and sets
 *
 * A law has these in place of step; its init gets 0 and 0:
 *
 *   double force(double x, double v)                the force, N, at a deformation, m, and its rate, m/s
 *   void rate(double v)                             if it has states: sets the derivatives of the states
 */
#ifndef RTHS_H
#define RTHS_H

#define RTHS_EXPORT(name) __attribute__((export_name(#name)))
#define INIT RTHS_EXPORT(init) const char *init(double rate_hz, double lead)
#define STEP RTHS_EXPORT(step) double step(void)
#define FORCE RTHS_EXPORT(force) double rths_force(double x, double v)
#define RATE RTHS_EXPORT(rate) void rths_rate(double v)

/* now is what rths sets before each step. A reading that was lost or is not finite is the last good one, with its age. */
static volatile struct {
    double target;   /* m, at the instant that the command aims at */
    double measured; /* m */
    double force;    /* N */
    double age;      /* samples since the reading was measured; 0: it is fresh, and the tick is in time */
    double frozen;   /* 1: what is learnt stays as it is in this tick; else 0 */
} now;

/* rates are set if RATES stands in the table. */
static volatile struct {
    double velocity;     /* of the target, m/s */
    double acceleration; /* of the target, m/s^2 */
} rates;

/* An entry of the table: kind, name, unit, address, number of doubles. A kind of 0 ends the table. */
struct rths_entry {
    int kind;
    const char *name, *unit;
    volatile void *at;
    int count;
};

#define RTHS_ENTRY(kind, name, unit, variable) {kind, name, unit, (volatile void *)&(variable), sizeof(variable) / sizeof(double)}

#define NOW RTHS_ENTRY(1, "now", "", now)
#define RATES RTHS_ENTRY(2, "rates", "", rates)
#define PARAMETER(variable, unit) RTHS_ENTRY(3, #variable, unit, variable) /* a double, with its default: a key of the scenario */
#define STATE(variable) RTHS_ENTRY(4, #variable, "", variable)             /* doubles that a tick leaves to the next */
#define LEARNT(variable) RTHS_ENTRY(5, #variable, "", variable)            /* doubles that stay while now.frozen is 1 */
#define SHOWN(variable, unit) RTHS_ENTRY(6, #variable, unit, variable)     /* a double to record */
#define DERIVATIVE(state, variable) RTHS_ENTRY(7, #state, "", variable)    /* of a law: doubles that RATE sets, the rate of a state */

#define RTHS_TABLE(...)                                                        \
    static const struct rths_entry rths_entries[] = {NOW, __VA_ARGS__, {0}};   \
    RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return rths_entries; }

/* The few functions of math.h. Errors are relative, against the exact value; a test holds them. */

#define PI 3.14159265358979323846

static inline double fabs(double x) { return __builtin_fabs(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }   /* exact to the last bit */
static inline double floor(double x) { return __builtin_floor(x); }
static inline double ceil(double x) { return __builtin_ceil(x); }
static inline double fmin(double x, double y) { return y < x ? y : x; }
static inline double fmax(double x, double y) { return y > x ? y : x; }
static inline int finite(double x) { return x - x == 0; }

static inline double rths_bits(unsigned long long b) {
    union { unsigned long long b; double x; } u = {b};
    return u.x;
}

/* 2^k for -1022 <= k <= 1023. */
static inline double rths_two(int k) { return rths_bits((unsigned long long)(k + 1023) << 52); }

/* exp: 1e-15; infinite above 709.78, 0 below -708.4. */
static inline double exp(double x) {
    if (!(x > -708.4)) return x < 0 ? 0 : x; /* not a number stays so */
    if (x > 709.78) return rths_bits(0x7ffull << 52);
    int k = (int)floor(x * 1.44269504088896338700 + 0.5);
    double r = x - k * 6.93147180369123816490e-01 - k * 1.90821492927058770002e-10;
    double sum = 1;
    for (int n = 14; n > 0; n--) sum = 1 + r / n * sum; /* |r| < 0.35 */
    return k > 1000 ? sum * rths_two(k - 1) * 2 : sum * rths_two(k);
}

/* log: 1e-15, or 1e-16 absolute near 1; of 0 and less not a number, or minus infinity. */
static inline double log(double x) {
    union { double x; unsigned long long b; } u = {x};
    int k = 0;
    if (!(x > 0)) return x == 0 ? rths_bits(0xfffull << 52) : rths_bits(0x7ff8ull << 48);
    if (x > 1.79769313486231570815e308) return x;
    if (x < 2.2250738585072014e-308) { u.x = x * 18014398509481984.0; k = -54; }
    k += (int)(u.b >> 52) - 1023;
    u.b = (u.b & 0xfffffffffffffull) | 0x3ffull << 52;
    double m = u.x;
    if (m > 1.41421356237309504880) { m /= 2; k++; }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int n = 23; n > 1; n -= 2) sum = square * (sum + 1.0 / n);
    return k * 6.93147180369123816490e-01 + (k * 1.90821492927058770002e-10 + 2 * (s + s * sum));
}

/* The quarter of a turn that x lies in, and the rest of x, for |x| <= 1e5. */
static inline double rths_quarter(double x, int *quarter) {
    double k = floor(x * 0.63661977236758134308 + 0.5);
    *quarter = (int)k & 3;
    return x - k * 1.57079632673412561417e+00 - k * 6.07710050630396597660e-11 - k * 2.02226624879595063154e-21;
}

static inline double rths_sin(double r) {
    double square = r * r, sum = 1;
    for (int n = 19; n > 1; n -= 2) sum = 1 - square / (n * (n - 1)) * sum;
    return r * sum;
}

static inline double rths_cos(double r) {
    double square = r * r, sum = 1;
    for (int n = 18; n > 1; n -= 2) sum = 1 - square / (n * (n - 1)) * sum;
    return sum;
}

/* sin, cos: 1e-15 absolute, for |x| <= 1e5; beyond, not a number. */
static inline double sin(double x) {
    int q;
    if (!(fabs(x) <= 1e5)) return rths_bits(0x7ff8ull << 48);
    double r = rths_quarter(x, &q), v = q & 1 ? rths_cos(r) : rths_sin(r);
    return q & 2 ? -v : v;
}

static inline double cos(double x) {
    int q;
    if (!(fabs(x) <= 1e5)) return rths_bits(0x7ff8ull << 48);
    double r = rths_quarter(x, &q), v = q & 1 ? rths_sin(r) : rths_cos(r);
    return q == 1 || q == 2 ? -v : v;
}

/* pow of x > 0: 1e-15 (1 + |y log x|); of 0 it is 0 for y > 0; of x < 0 not a number. */
static inline double pow(double x, double y) { return y == 0 ? 1 : x == 0 && y > 0 ? 0 : exp(y * log(x)); }

#endif
