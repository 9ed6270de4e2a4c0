/* Laws of devices, chosen by a macro: sound ones, then laws with one mistake each. */
#include "rths.h"

static double stiffness = 1e6, damping = 1e4, exponent = 0.4, z[1], dz[1], two[2], kept;
static volatile int never; /* 0, which the compiler does not know */

#if defined(MAXWELL)
RTHS_TABLE(PARAMETER(stiffness, "N/m"), PARAMETER(damping, "N(s/m)^a"), PARAMETER(exponent, "-"), STATE(z), DERIVATIVE(z, dz))
#elif defined(RATE_TRAPS) || defined(NO_RATE) || defined(MOVES) || defined(RATE_NOT_A_NUMBER)
RTHS_TABLE(STATE(z), DERIVATIVE(z, dz))
#elif defined(NO_DERIVATIVE)
RTHS_TABLE(STATE(z))
#elif defined(OTHER_DERIVATIVE)
RTHS_TABLE(STATE(z), DERIVATIVE(z, two))
#elif defined(NO_STATE)
RTHS_TABLE(DERIVATIVE(z, dz))
#elif defined(LEARNS)
RTHS_TABLE(LEARNT(z))
#else
RTHS_TABLE(PARAMETER(stiffness, "N/m"))
#endif

INIT { return 0; }

#if defined(STEP_ONLY)
STEP { return now.target; }
#elif defined(AT_REST)
FORCE { return stiffness * x + 12; }
#elif defined(FORCE_TRAPS) /* beyond what is measured */
FORCE { return fabs(x) > 0.12 ? 1000 / never : stiffness * x; }
#elif defined(TRAPS_AT_ONCE)
FORCE { return v > 0.3 ? 1000 / never : stiffness * x; }
#elif defined(FORCE_NOT_A_NUMBER)
FORCE { return fabs(x) > 0.12 ? never / (double)never : stiffness * x; }
#elif defined(FORCE_ENDLESS)
FORCE { if (fabs(x) > 0.12) while (!never) kept++; return stiffness * x; }
#elif defined(KEEPS)
FORCE { return stiffness * x + 1e3 * (kept += v); }
#elif defined(WRONG_FORCE)
RTHS_EXPORT(force) double rths_force(double x) { return x; }
#elif defined(MAXWELL) || defined(RATE_TRAPS) || defined(NO_RATE) || defined(MOVES) || defined(RATE_NOT_A_NUMBER)
FORCE { return z[0]; }
#else
FORCE { return stiffness * x; }
#endif

#if defined(MAXWELL)
RATE {
    double dashpot = pow(fabs(z[0]) / damping, 1 / exponent);
    dz[0] = stiffness * (v - (z[0] < 0 ? -dashpot : dashpot));
}
#elif defined(RATE_TRAPS)
RATE { dz[0] = fabs(v) > 0.6 ? 1000 / never : stiffness * v - 100 * z[0]; }
#elif defined(RATE_NOT_A_NUMBER)
RATE { dz[0] = fabs(v) > 0.6 ? never / (double)never : stiffness * v - 100 * z[0]; }
#elif defined(MOVES)
RATE { dz[0] = 2 - z[0]; }
#elif defined(NO_DERIVATIVE) || defined(OTHER_DERIVATIVE) || defined(NO_STATE)
RATE { dz[0] = two[0] = v; }
#endif
