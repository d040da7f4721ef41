/* tests/unit/sim/opt.c - OPT, step by step: the number behind a line is when it is used next, - is never.  And no choice of
 * victims whatever misses less often: all are tried. */
#define POLICY_FILE "sim/policy/opt.c"
#define DRAW(way) 0
#include "draw.h"

static const char *future;   /* the references to come are those from `at` on */
static unsigned at;

uint64_t sim_next_use_in(const char *slot)
{
    const char *next = strchr(future + at + 1, future[at]);

    (void)slot;
    return next ? (uint64_t)(next - future) : UINT64_MAX;
}

static const char *draw_next_uses(void)
{
    char *p = drawing;

    for (unsigned way = 0; way < SETS_WAYS; way++) {
        p += sprintf(p, "%s", way ? " " : "");
        if (level_tag(0, way) == QN_NO_LINE)
            p += sprintf(p, ".");
        else if (way_state(0, way) == UINT64_MAX)
            p += sprintf(p, "%c-", (char)('A' + level_tag(0, way) / LINE));
        else
            p += sprintf(p, "%c%u", (char)('A' + level_tag(0, way) / LINE), (unsigned)way_state(0, way));
    }
    return drawing;
}

static unsigned run(const char *refs)
{
    unsigned misses = 0;

    begin(1);
    future = refs;
    for (at = 0; refs[at]; at++)
        misses += UNIT_OBJECT.ref((uint64_t)(refs[at] - 'A') * LINE, 8, SIM_READ) & QN_UNIT_MISS;
    return misses;
}

static void runs(const char *refs, unsigned misses, const char *wanted)
{
    char whole[64];

    strcpy(whole, refs);
    is_int(run(whole), misses, "%s: %u misses", refs, misses);
    is_str(draw_next_uses(), wanted, "  then: %s", wanted);
}

/* The fewest misses of refs with these lines there: every victim is tried. */
static unsigned fewest(const char *refs, const char lines[SETS_WAYS])
{
    unsigned best = UINT32_MAX;

    if (!*refs)
        return 0;
    if (memchr(lines, *refs, SETS_WAYS))
        return fewest(refs + 1, lines);
    for (unsigned way = 0; way < SETS_WAYS; way++) {
        char with[SETS_WAYS];
        unsigned misses;

        memcpy(with, lines, SETS_WAYS);
        with[way] = *refs;
        misses = 1 + fewest(refs + 1, with);
        best = misses < best ? misses : best;
    }
    return best;
}

static void optimal(void)
{
    uint64_t random = 1;
    unsigned worse = 0;

    for (unsigned n = 0; n < 100; n++) {
        char refs[14] = "";

        for (unsigned i = 0; i < 13; i++)
            refs[i] = (char)('A' + (sim_random_next(&random) >> 40) % 7);
        worse += run(refs) != fewest(refs, (char[SETS_WAYS]){0});
    }
    is_int(worse, 0, "100 random strings: as few misses as the best of all choices");
}

int main(void)
{
    runs("ABCD", 4, "A- B- C- D-");
    runs("ABCDA", 4, "A- B- C- D-");
    /* E replaces the one that is used last: A comes at 5, B at 6, C at 7, D at 8. */
    runs("ABCDE", 5, "E- B- C- D-");         /* without a future: the first */
    runs("ABCDEABC", 5, "A- B- C- E-");
    runs("ABCDEABCD", 6, "D- B- C- E-");     /* D is back, and nobody has a future: the first again */
    runs("ABCDEDDA", 5, "A- E- C- D-");      /* B is never used again, nor is C: the first of them */
    runs("ABCDABEABCDE", 6, "D- B- C- E-");  /* Belady's string, four frames */
    optimal();
    return done_testing();
}
