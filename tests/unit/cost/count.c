/* Counts of one instruction: what each flag of the descriptor adds, and in which order counters are read. */
#include "cost/count.h"
#include "tap.h"

static int64_t sum[QN_COST_EVENTS];

/* All thirteen counts as one line. */
static const char *count(uint32_t d, uint64_t x, const uint64_t *counters, bool *sound)
{
    static char text[400];
    size_t n = 0;

    memset(sum, 0, sizeof sum);
    *sound = qn_cost_count(d, x, counters, sum);
    for (int e = 0; e < QN_COST_EVENTS; e++)
        n += (size_t)sprintf(text + n, "%s%" PRId64, e ? " " : "", sum[e]);
    return text;
}

#define R(n) ((uint32_t)(n) << QN_INSN_NREAD_SHIFT)
#define W(n) ((uint32_t)(n) << QN_INSN_NWRITE_SHIFT)

int main(void)
{
    const uint64_t c[] = { 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300 };
    const uint64_t bad[] = { ~0ull, 5 };
    bool sound;

    is_str(count(3, 7, c, &sound), "7 0 0 0 0 0 0 0 0 0 0 0 0", "a plain instruction counts Ir only");
    ok(sound, "and reads no counter");
    is_str(count(QN_INSN_IMISS, 7, c, &sound), "7 100 200 0 0 0 0 0 0 0 0 0 0", "misses of the fetch");
    is_str(count(R(1), 7, c, &sound), "7 0 0 7 100 200 0 0 0 0 0 0 0", "one read");
    is_str(count(W(1), 7, c, &sound), "7 0 0 0 0 0 7 100 200 0 0 0 0", "one write");
    is_str(count(QN_INSN_IMISS | R(2) | W(1), 7, c, &sound), "7 100 200 14 800 1000 7 700 800 0 0 0 0",
           "fetch, then reads, then writes");
    is_str(count(QN_INSN_BC, 7, c, &sound), "7 0 0 0 0 0 0 0 0 7 100 0 0", "a conditional branch");
    is_str(count(QN_INSN_BI | W(1), 7, c, &sound), "7 0 0 0 0 0 7 100 200 0 0 7 300", "an indirect call");
    is_str(count(QN_INSN_VARIABLE | R(1) | W(1), 7, c, &sound), "507 0 0 600 100 200 600 300 400 700 0 0 0",
           "a repeated string instruction: extra Ir, iterations, extra Bc");
    is_str(count(QN_INSN_VARIABLE | QN_INSN_BC | R(1), 7, c, &sound), "307 0 0 400 100 200 0 0 0 507 600 0 0",
           "the same with a branch predicted");
    is_str(count(QN_INSN_VARIABLE | QN_INSN_READS_ONCE | R(1) | W(1), 7, c, &sound), "507 0 0 7 100 200 600 300 400 700 0 0 0",
           "one that reads once and writes a number of times");
    is_int(qn_insn_counters(QN_INSN_IMISS | R(3) | W(3) | QN_INSN_VARIABLE | QN_INSN_BC | QN_INSN_BI), 19,
           "the largest number of counters");
    is_str(count(QN_INSN_IMISS, 7, bad, &sound), "7 0 5 0 0 0 0 0 0 0 0 0 0", "a damaged counter is taken as 0");
    ok(!sound, "and reported");
    return done_testing();
}
