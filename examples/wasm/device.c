/* The law of a device: a fluid damper c |v|^exponent sgn v with a spring beside it (as kind viscous-damper). Copy it and
 * change it. */
#include "rths.h"

static double damping = 1e5;        /* N (s/m)^exponent */
static double exponent = 0.5;
static double linear_below = 0.001; /* m/s: a dashpot well below, else the slope at v = 0 would be infinite */
static double stiffness = 0;        /* N/m */

RTHS_TABLE(PARAMETER(damping, "N(s/m)^a"), PARAMETER(exponent, "-"), PARAMETER(linear_below, "m/s"),
    PARAMETER(stiffness, "N/m"))

INIT {
    if (!(damping >= 0)) return "damping: want 0 or more";
    if (!(exponent > 0 && exponent <= 2)) return "exponent: want more than 0, at most 2";
    if (!(linear_below > 0)) return "linear_below: want more than 0";
    if (!(stiffness >= 0)) return "stiffness: want 0 or more";
    return 0;
}

FORCE { return damping * v * pow(v * v + linear_below * linear_below, (exponent - 1) / 2) + stiffness * x; }
