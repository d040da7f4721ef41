/* tests/unit/sim/recency.c - are distances, worked out from the times of last use when lines come and go, those of a list of all lines
 * (slow/stack.h), which sees each reference?  Random programs on caches of many shapes, of which this test keeps the places as the D1 does. */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT AN
#define QN_SIM_UNIT 1
#include "sim/recency.h"
#include "slow/stack.h"

#include "tap.h"

#undef sim_pc
uint64_t sim_pc;
bool sim_branch_backward;

/* ---- memory of a module, which it never gives back: here it goes when the next cache comes ---- */

static struct memory {
    struct memory *next;
    uint64_t bytes[]; /* aligned */
} *memory;

void *sim_alloc(uint64_t bytes)
{
    struct memory *m = calloc(1, sizeof *m + bytes);

    if (!m)
        bail("no memory");
    m->next = memory;
    memory = m;
    return m->bytes;
}

static void free_all(void)
{
    for (struct memory *next; memory; memory = next) {
        next = memory->next;
        free(memory);
    }
}

void sim_fail(const char *slot, const char *module, const char *function, uint64_t reference, const char *what)
{
    (void)slot, (void)module, (void)function, (void)reference;
    puts(what);
    abort();
}

/* ---- the cache: each set's lines by time of last use ---- */

#define PLACES_MAX 4096
#define LINE_BITS 6

static struct place {
    uint64_t line, used;
} place[PLACES_MAX];
static uint32_t sets, ways;
static uint64_t now;

uint32_t qn_sim_older_places(uint64_t time, uint32_t enough)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sets * ways && n < enough; i++)
        n += place[i].used <= time;
    return n;
}

uint32_t qn_sim_count_places(uint64_t time, uint32_t shift, uint32_t counts[QN_PLACE_COUNTS])
{
    uint32_t older = 0;

    memset(counts, 0, QN_PLACE_COUNTS * sizeof *counts);
    for (uint32_t i = 0; i < sets * ways; i++) {
        uint64_t at = (place[i].used - time) >> shift;

        if (place[i].used <= time)
            older++;
        else
            counts[at < QN_PLACE_COUNTS ? at : QN_PLACE_COUNTS - 1]++;
    }
    return older;
}

/* The line is used: what there is to tell of it.  Was it there? */
static bool use(struct qn_line_use *l)
{
    struct place *set = place + (l->line >> LINE_BITS) % sets * ways, *to = set;

    l->now = now + 1;
    for (uint32_t i = 0; i < ways; i++) {
        if (set[i].used && set[i].line == l->line) {
            l->used = set[i].used;
            l->victim_used = 0;
            set[i].used = ++now;
            return true;
        }
        to = set[i].used < to->used ? &set[i] : to;
    }
    l->used = 0;
    l->victim = to->line;
    l->victim_used = to->used;
    *to = (struct place){l->line, ++now};
    return false;
}

/* ---- programs ---- */

static uint64_t state;
static uint32_t chance(uint32_t n) { return sim_random_below(&state, n); }

/* Lines that are used now and then, rarely, in turn, and at a distance that makes them fight for a set. */
static uint64_t next_line(uint32_t step)
{
    static uint64_t turn;
    uint32_t lines = sets * ways;

    switch (chance(8)) {
    case 0: return chance(4 * lines);
    case 1: return chance(lines) * sets;
    case 2: case 3: return turn++ % (lines + lines / 8 + 1);
    case 4: return 100000 + chance(step / 16 + 1);
    default: return chance(lines / 2 + 1);
    }
}

static struct recency recency;
static struct stack stack;
static uint64_t wrong, asked, kinds[3];

static uint32_t passed; /* of so many lines all but one are not asked about; 0: all are */

static void compare(const struct qn_line_use *l, uint64_t wanted)
{
    uint64_t got, lines = (uint64_t)sets * ways;
    unsigned kind = wanted == STACK_FIRST ? 0 : wanted >= lines ? 1 : 2, said;

    if (passed && chance(passed)) {
        recency_pass(&recency, l);
        return;
    }
    got = recency_line(&recency, l);
    said = got == RECENCY_FIRST ? 0 : got >= lines ? 1 : 2;
    asked++;
    kinds[kind]++;
    wrong += kind != said || (l->several && kind == 2 && got != wanted);
}

static void reference(uint32_t step)
{
    uint64_t line = next_line(step), several = chance(20) ? 1 : 2 + chance(2);
    struct qn_line_use l = {.first = true, .several = several > 1};

    for (uint64_t i = 0; i < several; i++) {
        uint64_t wanted = stack_touch(&stack, line + i);

        l.line = (line + i) << LINE_BITS;
        if (!use(&l) || l.several)
            compare(&l, wanted);
        l.first = false;
    }
}

static void programs(uint32_t of_sets, uint32_t of_ways, uint32_t steps)
{
    struct sim_config c = {.line = 1u << LINE_BITS, .line_bits = LINE_BITS, .size = of_sets * of_ways << LINE_BITS};

    sets = of_sets;
    ways = of_ways;
    now = wrong = asked = 0;
    memset(kinds, 0, sizeof kinds);
    memset(place, 0, sizeof place);
    state = sim_random_seed(sets * 1000 + ways);
    recency_init(&recency, &c);
    stack = (struct stack){.now = 0};
    stack_init(&stack);
    for (uint32_t step = 0; step < steps; step++)
        reference(step);
    is_int((int64_t)wrong, 0, "%u sets of %u ways: %llu lines told of", sets, ways, (unsigned long long)asked);
    ok(kinds[0] > 50 && (kinds[1] > 50 || sets * ways < 2) && (kinds[2] > 50 || sets == 1), "of all three kinds: %llu, %llu, %llu",
       (unsigned long long)kinds[0], (unsigned long long)kinds[1], (unsigned long long)kinds[2]);
    free_all();
}

int main(void)
{
    programs(1, 1, 20000);
    programs(1, 16, 30000);
    programs(4, 1, 100000);
    programs(16, 2, 100000);
    programs(64, 8, 150000);
    programs(64, 12, 150000);
    programs(128, 1, 100000);
    programs(512, 8, 150000);
    for (passed = 4; passed <= 100; passed *= 25) {
        programs(16, 2, 200000);
        programs(64, 8, 300000);
    }
    return done_testing();
}
