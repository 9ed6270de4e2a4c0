/* Methods with one mistake each, chosen by a macro. */
#include "rths.h"

static double gain = 1, before, learnt, gain_shown, ticks;
static int whole;
static volatile int never; /* 0, which the compiler does not know */

#if defined(OUTSIDE)
static const struct rths_entry rths_entries[] = {NOW, {4, "before", "", (void *)0xfffffff0, 2}, {0}};
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return rths_entries; }
#elif defined(NO_NOW)
static const struct rths_entry rths_entries[] = {STATE(before), {0}};
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return rths_entries; }
#elif defined(BAD_KIND)
static const struct rths_entry rths_entries[] = {NOW, {77, "before", "", &before, 1}, {0}};
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return rths_entries; }
#elif defined(BAD_NAME)
static const struct rths_entry rths_entries[] = {NOW, {4, "my state", "", &before, 1}, {0}};
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return rths_entries; }
#elif defined(ENDLESS_TABLE)
static struct rths_entry rths_entries[300];
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) {
    for (int i = 0; i < 300; i++) rths_entries[i] = (struct rths_entry)NOW;
    return rths_entries;
}
#elif defined(FAR_TABLE)
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { return (const struct rths_entry *)0xfffffff0; }
#elif defined(TRAP_TABLE)
RTHS_EXPORT(table) const struct rths_entry *rths_table(void) { __builtin_trap(); }
#elif defined(WHOLE)
RTHS_TABLE(STATE(whole))
#elif defined(TWICE)
RTHS_TABLE(STATE(before), STATE(before))
#elif defined(HIDDEN) /* before is a state, and the table does not say so */
RTHS_TABLE(PARAMETER(gain, "-"))
#elif defined(WITH_RATES) /* no mistake */
RTHS_TABLE(RATES)
#elif defined(LEARNS_WITH_RATES)
RTHS_TABLE(RATES, LEARNT(learnt))
#elif defined(FROZEN_NOT) || defined(OLD)
RTHS_TABLE(STATE(before), LEARNT(learnt))
#else
RTHS_TABLE(PARAMETER(gain, "-"), STATE(before), STATE(ticks), SHOWN(gain_shown, ""))
#endif

#if defined(TRAP_INIT)
INIT { __builtin_trap(); }
#elif defined(ENDLESS_INIT)
INIT { while (!never) before++; return 0; }
#elif defined(REFUSES)
INIT { return "the moon is in the wrong place"; }
#elif defined(REFUSES_GAIN)
INIT { return gain > 1 ? "gain: want at most 1" : 0; }
#elif defined(WRONG_TEXT)
INIT { return (const char *)-1; }
#elif defined(WRONG_INIT)
RTHS_EXPORT(init) int init(int rate_hz) { return rate_hz; }
#else
INIT { return 0; }
#endif

#if defined(SYSTEM)
__attribute__((import_module("wasi_snapshot_preview1"), import_name("clock_time_get"))) int clock_time_get(void);
STEP { return clock_time_get(); }
#elif defined(UNDEFINED)
double tanh(double);
STEP { return tanh(now.target); }
#elif defined(WRONG_STEP)
RTHS_EXPORT(step) float step(float target) { return target; }
#elif defined(TRAP)
STEP { if (++ticks > 100) before = 1000 / never; return now.target; }
#elif defined(FAR)
STEP { return ++ticks > 100 ? *(volatile double *)0x7ffffff0 : now.target; }
#elif defined(DEEP)
static double fall(double x) { volatile double page[64]; page[0] = x; return never ? x : fall(page[0] + 1) + page[0]; }
STEP { return fall(now.target); }
#elif defined(ENDLESS)
STEP { if (++ticks > 100) while (!never) before++; return now.target; }
#elif defined(TREE) /* no loop */
static __attribute__((noinline)) double tree(int n) { before++; return n == 0 ? before : tree(n - 1) + tree(n - 1); }
STEP { return ++ticks > 100 ? tree(50 + never) : now.target; }
#elif defined(FILLS)
static char area[4 << 20];
STEP { for (int i = 0; ++ticks > 100 && !never; i++) __builtin_memset(area, i, sizeof area); return now.target; }
#elif defined(SLOW) /* about half of what a step may take */
STEP { for (int i = 0; i < 3000000 + never; i++) before++; return now.target; }
#elif defined(WIDE) /* instructions on vectors and on many bytes */
typedef double pair __attribute__((vector_size(16)));
static pair from[64], to[64];
STEP {
    for (int i = 0; i < 64; i++) from[i] = (pair){now.target, 1} * (pair){1, i};
    __builtin_memcpy(to, from, sizeof to - 8 * never);
    pair sum = {0, 0};
    for (int i = 0; i < 64; i++) sum += __builtin_shufflevector(to[i], to[63 - i], 0, 3) / 64;
    return to[63 - never][0] + (sum[1] - 31.5);
}
#elif defined(NOT_A_NUMBER)
STEP { return ++ticks > 100 ? never / (double)never : now.target; }
#elif defined(GROWS)
STEP { ticks = __builtin_wasm_memory_grow(0, 1); return now.target; }
#elif defined(LARGE)
STEP { return now.target + 1e6 * (now.target - now.measured); }
#elif defined(FROZEN_NOT)
STEP { learnt += 1e-6 * now.target; return now.target + 1e-3 * learnt; }
#elif defined(OLD)
STEP { if (!now.frozen) learnt += 1e-6 * now.target; return now.target + 1e-3 * learnt; }
#elif defined(WITH_RATES)
STEP { return now.target + 0.01 * rates.velocity + 0.0001 * rates.acceleration; }
#elif defined(LEARNS_WITH_RATES)
STEP { if (!now.frozen && now.age == 0 && fabs(now.measured) < 1) learnt += 1e-6 * rates.velocity; return now.target + 1e-3 * learnt; }
#else
STEP { double u = now.target + (now.target - before); before = now.target; gain_shown = gain; return u; }
#endif
