/* A first method: the inverse of a first-order actuator (as kind inverse). Copy it and change it. */
#include "rths.h"

static double tau_ms = 20; /* delay of the actuator */

static double before; /* the target of the tick before, m */

static double lead_samples; /* set by init, and the same for all ticks: no state */

RTHS_TABLE(PARAMETER(tau_ms, "ms"), STATE(before))

INIT {
    if (!(tau_ms >= 0)) return "tau_ms: want 0 or more";
    lead_samples = tau_ms / 1000 * rate_hz;
    return 0;
}

STEP {
    double command = now.target + lead_samples * (now.target - before);
    before = now.target;
    return command;
}
