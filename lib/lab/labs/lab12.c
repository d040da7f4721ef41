/* lib/lab/labs/lab12.c - the tests of lab 12: three functions whose data are laid out anew, run under quern (kernels.h).  Results are compared
 * with those computed here. */
#include <stdlib.h>

#include "base/grow.h"
#include "lab/kernels.h"

#define CASES 4
#define EACH 16                 /* words of a particle, and of an event */
#define FIRST_TIMES 64          /* below this */
#define CACHE "4096,4,64"
#define LEAST 950               /* elements, when misses are counted: 16 times the cache */
#define MOST 1050
#define ROUNDS 20
#define LOOKUPS 16000
#define STEPS 8000

static unsigned rule(struct qn_lab_check *c, enum qn_lab_parameter which) { return qn_lab_rules(c)->value[which]; }
static uint32_t hash(uint32_t h, uint32_t word) { return (h ^ word) * 16777619u; } /* FNV */

/* ---- results ---- */

static uint32_t *draw_words(const struct qn_lab_call *call, unsigned n)
{
    uint32_t *words = QN_NEEDED(calloc(n + 1, sizeof *words));
    uint64_t seed = call->seed;

    for (unsigned i = 0; i < n; i++)
        words[i] = (uint32_t)qn_lab_next_number(&seed, 1ull << 32);
    return words;
}

static bool is_word(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory, unsigned at, uint32_t wanted)
{
    uint32_t got = ((const uint32_t *)(const void *)(memory + 2 * QN_LAB_KERNEL_PART))[at];

    return got == wanted || qn_lab_say(c, "%s, n = %u, m = %u: out[%u] is %u, wanted %u", call->kernel->name, call->n, call->m, at, got, wanted);
}

static bool check_scan(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory)
{
    uint32_t *in = draw_words(call, EACH * call->n), carry = 0;
    unsigned x = rule(c, QN_LAB_LAYOUT_X), v = rule(c, QN_LAB_LAYOUT_V);
    bool good = true;

    for (unsigned i = 0; i < call->n * call->m; i++) {
        uint32_t *particle = in + i % call->n * EACH;

        carry = 5 * carry + particle[x];
        particle[x] += particle[v] ^ carry;
    }
    for (unsigned i = 0; good && i < call->n; i++)
        good = is_word(c, call, memory, i, in[i * EACH + x]);
    free(in);
    return good;
}

static bool check_lookup(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory)
{
    unsigned fields = rule(c, QN_LAB_LAYOUT_FIELDS);
    uint32_t *in = draw_words(call, fields * call->n), h = 0;
    bool good = true;

    for (unsigned i = 0; good && i < call->m; i++) {
        unsigned record = h % call->n;

        for (unsigned f = 0; f < fields; f++)
            h = hash(h, in[(rule(c, QN_LAB_LAYOUT_BACK) ? fields - 1 - f : f) * call->n + record]);
        good = is_word(c, call, memory, i, h);
    }
    free(in);
    return good;
}

static bool check_events(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory)
{
    uint32_t *in = draw_words(call, EACH * call->n), h = 0;
    bool good = true, last = rule(c, QN_LAB_LAYOUT_TIES);

    for (unsigned i = 0; i < call->n; i++)
        in[i * EACH] %= FIRST_TIMES;
    for (unsigned step = 0; good && step < call->m; step++) {
        uint32_t *next = in;

        for (uint32_t *event = in + EACH; event < in + call->n * EACH; event += EACH)
            if (*event < *next || (last && *event == *next))
                next = event;
        for (unsigned word = 1; word < EACH; word++)
            h = hash(h, next[word]);
        good = is_word(c, call, memory, step, h);
        *next += 1 + h % rule(c, QN_LAB_LAYOUT_SPREAD);
    }
    free(in);
    return good;
}

static const struct qn_lab_kernel scan = { "scan", "unsigned", 1ull << 32, "16*n", "n,m,a,b,c", check_scan };
static const struct qn_lab_kernel lookup = { "lookup", "unsigned", 1ull << 32, "16*n", "n,m,a,b,c", check_lookup };
static const struct qn_lab_kernel events = { "events", "unsigned", 1ull << 32, "16*n", "n,m,a,b,c", check_events };

/* ---- tests ---- */

/* most: lines missed for each `unit` of work, in hundredths. */
static bool misses(struct qn_lab_check *c, const struct qn_lab_kernel *kernel, unsigned m, unsigned most, const char *unit)
{
    struct qn_lab_call call = { .kernel = kernel, .n = qn_lab_between(c, LEAST, MOST), .m = m, .seed = qn_lab_draw(c) >> 1, .cache = CACHE };
    bool good = qn_lab_call_kernel(c, &call);
    double units = kernel == &scan ? (double)call.n * m : m;

    if (good && (double)call.misses * 100 > most * units)
        good = qn_lab_say(c, "%s, n = %u, m = %u: got %.3f misses for each %s, wanted at most %.2f", kernel->name, call.n, m,
                          (double)call.misses / units, unit, most / 100.0);
    if (!good)
        qn_lab_tell_call(c, &call);
    return good;
}

/* What is given is right; points are for better ones. */
static bool right(struct qn_lab_check *c, const struct qn_lab_kernel *kernel)
{
    for (unsigned i = 0; i < CASES; i++) {
        struct qn_lab_call call = { .kernel = kernel, .n = i ? qn_lab_between(c, 2, 2000) : 1, .m = qn_lab_between(c, 1, 200), .seed = qn_lab_draw(c) >> 1 };

        if (!qn_lab_call_kernel(c, &call)) {
            qn_lab_tell_call(c, &call);
            return false;
        }
    }
    return true;
}

static bool scan_half(struct qn_lab_check *c) { return right(c, &scan) && misses(c, &scan, ROUNDS, 70, "particle"); }
static bool scan_few(struct qn_lab_check *c) { return misses(c, &scan, ROUNDS, 25, "particle"); }
static bool lookup_half(struct qn_lab_check *c) { return right(c, &lookup) && misses(c, &lookup, LOOKUPS, 250, "lookup"); }
static bool lookup_one(struct qn_lab_check *c) { return misses(c, &lookup, LOOKUPS, 135, "lookup"); }
static bool events_half(struct qn_lab_check *c) { return right(c, &events) && misses(c, &events, STEPS, 900, "step"); }
static bool events_few(struct qn_lab_check *c) { return misses(c, &events, STEPS, 270, "step"); }

static const struct qn_lab_test tests[] = {
    { "scan is right, with at most 0.7 misses for each particle", 10, scan_half },
    { "scan: few misses", 20, scan_few },
    { "lookup is right, with few lines for each record", 15, lookup_half },
    { "lookup: one line for each record", 15, lookup_one },
    { "events is right, with half the misses", 20, events_half },
    { "events: few misses", 20, events_few },
};

static const char *const files[] = { "layout.c", NULL };

const struct qn_lab qn_lab_12 = { 12, "12-layout", "Data layout", files, tests, QN_ARRAY_LEN(tests), qn_lab_kernel_files };
