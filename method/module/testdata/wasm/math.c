/* The functions of rths.h, for a test. */
#include "rths.h"

static double which, y, result;

RTHS_TABLE(PARAMETER(which, "-"), PARAMETER(y, "-"), SHOWN(result, "-"))

INIT { return 0; }

STEP {
    double x = now.target;
    switch ((int)which) {
    case 0: result = exp(x); break;
    case 1: result = log(x); break;
    case 2: result = sin(x); break;
    case 3: result = cos(x); break;
    case 4: result = pow(x, y); break;
    case 5: result = sqrt(x); break;
    case 6: result = fabs(x); break;
    case 7: result = floor(x); break;
    case 8: result = ceil(x); break;
    case 9: result = fmin(x, y); break;
    case 10: result = fmax(x, y); break;
    case 11: result = finite(x); break;
    }
    return 0;
}
