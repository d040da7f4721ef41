/* analysis/culprits.c - who evicted it?  Of each miss of the D1 the instruction whose reference had taken the line's place.
 *
 *   line 12 misses 9,000 lines that it had before: 8,000 were evicted by line 15, 1,000 by itself
 *
 * Slot AN.  Told of lines that come and leave, so hits cost nothing.  Findings: evictor, the address of the line lost last, the instruction
 * that evicted it, so many lines of all that this instruction missed although they had been there.  quern run prints the lines of source
 * that lost most.  Lines that come in for the first time have no culprit: they are in no finding.
 * The default D1 only: no other module says which line leaves.
 * Source: causes of replacement in M. Martonosi, A. Gupta, T. Anderson, MemSpy: analyzing memory system bottlenecks in programs, SIGMETRICS 1992. */
#include "sim/analysis/by_line.h"
#include "sim/analysis/sites.h"

#define ANALYSIS "culprits"
#define ANALYSIS_LINES 1
#define WANTS_PC 1

/* An instruction that evicted lines, or lost lines. */
struct party {
    struct site site;
    uint64_t lost;     /* lines that it missed although they had been there */
    uint32_t number;   /* + 1; 0: it has evicted nothing yet */
};

struct loss {
    struct site site;  /* the instruction that missed; the one that evicted the line */
    uint64_t addr, count;
};

static struct by_line evictor; /* of a line that is not in the D1: number of the party, + 1 */
static struct sites parties, losses;
static uint64_t *evictor_pc, n_evictors, room;
static uint64_t lost, first;

#define EVICTORS_FIRST 4096u

static void analysis_init(const struct sim_config *c)
{
    if (!c->misses)
        sim_fail(c->slot, ANALYSIS, "analysis_init", 0, "needs the default D1 behind its filter: nothing else says which line leaves");
    by_line_init(&evictor, c->line_bits);
    sites_init(&parties, sizeof(struct party));
    sites_init(&losses, sizeof(struct loss));
    room = EVICTORS_FIRST;
    evictor_pc = sim_alloc(room * sizeof *evictor_pc);
}

static uint32_t add_evictor(uint64_t pc)
{
    if (n_evictors == room) {
        uint64_t *more = sim_alloc(2 * room * sizeof *more);

        __builtin_memcpy(more, evictor_pc, room * sizeof *more);
        evictor_pc = more;
        room *= 2;
    }
    evictor_pc[n_evictors++] = pc;
    return (uint32_t)n_evictors;
}

/* Most misses are of instructions that missed a moment ago. */
#define RECENT 256u
static struct party *recent_party[RECENT];
static struct loss *recent_loss[RECENT];

static inline struct party *party_of(uint64_t pc)
{
    struct party **p = &recent_party[pc % RECENT];

    if (!*p || (*p)->site.pc != pc)
        *p = (struct party *)sites_find(&parties, pc, 0);
    return *p;
}

static inline struct loss *loss_of(uint64_t pc, uint64_t by)
{
    struct loss **l = &recent_loss[(pc + 3 * by) % RECENT];

    if (!*l || (*l)->site.pc != pc || (*l)->site.what != by)
        *l = (struct loss *)sites_find(&losses, pc, by);
    return *l;
}

static void lose(struct party *me, uint64_t line, uint32_t by)
{
    struct loss *l;

    if (!by) {
        first++;
        return;
    }
    lost++;
    me->lost++;
    l = loss_of(me->site.pc, evictor_pc[by - 1]);
    if (!l)
        return;
    l->addr = line;
    l->count++;
}

static void analysis_line(const struct sim_line *l)
{
    struct party *me;

    if (l->used)
        return;
    me = party_of(sim_pc);
    if (!me)
        return;
    lose(me, l->line, *by_line(&evictor, l->line));
    if (!l->victim_used)
        return;
    if (!me->number)
        me->number = add_evictor(sim_pc);
    *by_line(&evictor, l->victim) = me->number;
}

static void analysis_miss(const struct sim_miss *miss) { (void)miss; }
static void analysis_ref(const struct sim_ref *ref) { (void)ref; }

/* By instruction; the one that evicted most first. */
static bool comes_before(const struct loss *a, const struct loss *b)
{
    if (a->site.pc != b->site.pc)
        return a->site.pc < b->site.pc;
    return a->count != b->count ? a->count > b->count : a->site.what < b->site.what;
}

/* D. L. Shell 1959. */
static void sort_losses(const struct loss **l, uint32_t n)
{
    for (uint32_t gap = n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            const struct loss *moved = l[i];
            uint32_t at = i;

            for (; at >= gap && comes_before(moved, l[at - gap]); at -= gap)
                l[at] = l[at - gap];
            l[at] = moved;
        }
}

static void analysis_finish(void)
{
    const struct loss **sorted = sim_alloc((losses.count + 1ull) * sizeof *sorted);

    for (uint32_t i = 0; i < losses.count; i++)
        sorted[i] = (const struct loss *)sites_at(&losses, i);
    sort_losses(sorted, losses.count);
    for (uint32_t i = 0; i < losses.count; i++) {
        const struct loss *l = sorted[i];
        const struct party *me = (struct party *)sites_find(&parties, l->site.pc, 0);

        sim_find(&(struct sim_finding){.pc = l->site.pc, .value = l->addr, .other = l->site.what, .count = l->count, .of = me->lost,
                                       .what = "evictor"});
    }
    sim_print("%s: lines missed: %U for the first time, %U evicted before", sim.slot, first, lost);
    if (parties.lost || losses.lost)
        sim_print("%s: there was no room for %U lines more", sim.slot, parties.lost + losses.lost);
}
