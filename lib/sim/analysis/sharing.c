/* analysis/sharing.c - true and false sharing: the lines that threads share, and those that hold separate data of several threads.
 *
 * Which lines of memory do threads share, and which of these only because their data lies in one line? Four threads count, each in a
 * `long` of its own, side by side in an array: none reads what another one writes, and still each write takes the line away from the
 * others. That is *false sharing*; with a line for each counter it is gone. A line that a lock protects is shared *truly*: the threads
 * have something to tell each other.
 *
 * Each thread is taken for a processor with a cache of its own that never evicts anything. The caches are kept coherent by
 * invalidation (MSI): a write takes the line away from all others; a read takes it from the thread that has written it, which keeps a
 * copy. Two threads, a line, bytes 0 and 8 of it:
 *
 *   1: write 0    miss                nobody had the line: not counted
 *   2: write 8    cold                the line comes from thread 1, for the first time
 *   1: write 0    misses, transfer    thread 2 has taken it
 *   2: write 8    misses, transfer    ... and with it the miss of thread 1: false, since it touched nothing that 2 had written
 *   1: read 8     misses, transfer    true: thread 2 has written this byte; the miss of thread 2 before is still open
 *   2: read 16    has it
 *   2: write 8    upgrade             thread 1 has a copy, too, and loses it
 *
 * A miss is of true sharing if, before the thread loses the line again, it touches a byte that another thread has written since its
 * last miss that was not false sharing. All other misses (but for the first ones) are of no use: false. This is the classification of
 * Dubois and others, with bytes for words.
 *
 * *What depends on the order of threads.* quern runs one thread at a time, and a turn lasts until the thread waits or another one has
 * waited for about 0.3 ms: much longer than a processor keeps a line that others want. So `transfers` and its four parts are far fewer
 * than on a real machine, and differ from run to run. Which bytes each thread read and wrote, and how often, does not depend on turns,
 * as long as the program does the same.
 *
 * `PROFILE.sharing.csv` beside the profile has a row for what each line of source did on behalf of each thread with each line that is
 * written by one thread and touched by another one; lib/cost/side_tables/sharing.h has its columns. Lines with the most misses by false
 * sharing come first. With `--data=yes`, objects of the heap are named by where they were allocated; else only symbols are.
 *
 * Events, of the instruction that missed: `transfers`, the sum of `true`, `false`, `cold` (the first time that a thread touches a line
 * that another one has written, or, with a write, touched) and `upgrades` (writes to a line that the thread has, and another one,
 * too). Which of the two a miss was is counted when it is known, at the latest at the end; with `--calls`, in the call that runs then.
 * What a thread did with a line before another one came is in one row, at the instruction that wrote the line last then, or if none
 * did, read it.
 * Not seen: what the kernel reads and writes for the program; code; processes that share memory.
 * Traces do not tell threads: `quern replay` refuses this analysis.
 * Storage: of the tool: 112 bytes for each line that is touched, 104 for each thread that touches one that is shared, 120 for each row of
 * the table, and 40 for each pair of instructions; of lines and threads' copies 1.5 million each at most, of rows 1.2 million. It says in a line how many references
 * had no room.
 * Source: M. Dubois, J. Skeppstedt, L. Ricciulli, K. Ramamurthy, P. Stenstrom, The detection and elimination of useless misses in
 * multiprocessors, ISCA 1993. */
#include "sim/analysis/sites.h"
#include "sim/module.h"

#define ANALYSIS "sharing"
#define ANALYSIS_DATA 1
#define WANTS_PC 1
#define WANTS_THREAD 1
#define BITS 64u

/* A thread's copy of a line. */
struct copy {
    struct site site;        /* number of the line; thread */
    struct copy *next;       /* of the same line */
    struct sim_shared *row;  /* the row used last; NULL: the table is full */
    struct sim_shared *missed; /* the row of the miss that filled the line */
    uint32_t missed_site;    /* the site of that miss */
    uint64_t missed_pc, taker; /* its instruction; the one that took the line from the thread last */
    bool present, open;      /* open: the kind of this miss is not known yet */
    uint64_t stale;          /* bytes that others have written since the last miss that was not false sharing */
    uint64_t touched, written; /* bytes: a bit for each */
};

enum { PRIVATE, READ, TRUE, BOTH, FALSE, CLASSES };

struct line {
    struct site site;        /* number */
    uint64_t pc;             /* while only one thread has accessed it: the instruction of the last write; without writes, of the last read */
    uint64_t address, reads, writes, read, written; /* of that thread */
    uint64_t fresh;          /* bytes that the owner has written and that are not marked as stale in the copies of others yet */
    struct copy *first, *recent, *owner; /* first: the list of copies; owner: the copy that may be written */
    uint32_t thread;         /* the first thread that accessed it */
    bool was_written;        /* by any thread */
    uint8_t class;
    uint32_t pairs[2];       /* pairs of threads that share it falsely, truly */
};

struct row_site {
    struct site site;        /* instruction; address of the copy */
    struct sim_shared *row;
};

/* An instruction that missed, and the one that had taken the line. */
struct pair {
    struct site site;        /* both */
    struct sim_finding *found[2]; /* how often that was of false, of true sharing; NULL: never, or the table is full */
};

static struct sites lines, copies, rows, pairs;
static uint32_t line_bits, grain_bits; /* grain: the bytes that one bit represents */
static uint64_t *cells;
enum { NO_ROOM = CLASSES, NO_ROW, CELLS };
static struct {
    unsigned transfers, misses_true, misses_false, cold, upgrades;
} event;

/* ---- the start ---- */

static void declare(uint32_t bytes)
{
    struct sim_term terms[CELLS];

    cells = sim_cells(CELLS);
    for (unsigned i = 0; i < CELLS; i++)
        terms[i] = (struct sim_term){.cells = cells + i, .n = 1, .times = 1, .needed = i >= NO_ROOM};
    terms[TRUE].n = terms[BOTH].n = 2;
    sim_row(terms, 2, "AN: lines of %u bytes: %%U of one thread only, %%U that several only read", bytes);
    sim_table(sim.slot, "shared", "bytes one_thread read_only shared_bytes shared_lines");
    sim_row(terms, 4, "{%u}{%%U}{%%U}{%%U}{%%U}", bytes);
    sim_row(terms + TRUE, 2, "AN: lines with bytes that threads share: %%U; that threads share without sharing a byte: %%U");
    sim_row(NULL, 0, "AN: transfers depend on the turns that quern gave the threads, one at a time; lines and bytes do not");
    sim_row(terms + NO_ROOM, 1, "AN: there was no room for %%U references to further lines");
    sim_row(terms + NO_ROW, 1, "AN: there was no room for another row of the table for %%U references");
}

static void analysis_init(const struct sim_config *c)
{
    line_bits = c->line_bits;
    grain_bits = c->line > BITS ? c->line_bits - 6 : 0;
    sites_init(&lines, sizeof(struct line));
    sites_init(&copies, sizeof(struct copy));
    sites_init(&rows, sizeof(struct row_site));
    sites_init(&pairs, sizeof(struct pair));
    event.transfers = sim_event(sim.slot, "transfers", "lines that came from another thread, or were taken away");
    event.misses_true = sim_event(sim.slot, "true", "misses by true sharing");
    event.misses_false = sim_event(sim.slot, "false", "misses by false sharing");
    event.cold = sim_event(sim.slot, "cold", "first use of a line of another thread");
    event.upgrades = sim_event(sim.slot, "upgrades", "writes that took the line from others");
    declare(c->line);
}

/* ---- rows of the table ---- */

static struct sim_shared *find_row(const struct copy *copy, uint64_t pc, uint64_t address)
{
    struct row_site *r = (struct row_site *)sites_find(&rows, pc, (uint64_t)(uintptr_t)copy);

    if (!r)
        return NULL;
    if (!r->row)
        r->row = sim_keep_shared(&(struct sim_shared){.line = copy->site.pc << line_bits, .address = address, .pc = pc, .thread = copy->site.what});
    return r->row;
}

static inline struct sim_shared *row_of(struct copy *c, uint64_t pc, uint64_t address)
{
    if (!c->row || c->row->pc != pc)
        c->row = find_row(c, pc, address);
    return c->row;
}

static inline void note(struct sim_shared *row, uint64_t bytes, unsigned kind)
{
    if (QN_UNLIKELY(!row)) {
        cells[NO_ROW]++;
        return;
    }
    if (kind != SIM_WRITE) {
        row->reads++;
        row->read |= bytes;
    }
    if (kind != SIM_READ) {
        row->writes++;
        row->written |= bytes;
    }
}

/* ---- which bytes ---- */

enum { FALSELY, TRULY, NOT };

static unsigned relation(const struct copy *a, const struct copy *b)
{
    if (!a->touched || !(a->written | b->written))
        return NOT;
    return (a->written & b->touched) | (b->written & a->touched) ? TRULY : FALSELY;
}

static void count_pairs(struct line *l, const struct copy *c, uint32_t n)
{
    for (const struct copy *other = l->first; other; other = other->next) {
        unsigned how = other == c ? NOT : relation(c, other);

        if (how != NOT)
            l->pairs[how] += n;
    }
}

static inline void touch(struct line *l, struct copy *c, uint64_t bytes, bool writes)
{
    uint64_t written = writes ? bytes : 0;

    if (QN_LIKELY(!(bytes & ~c->touched) && !(written & ~c->written)))
        return;
    count_pairs(l, c, -1u);
    c->touched |= bytes;
    c->written |= written;
    count_pairs(l, c, 1);
    cells[l->class]--;
    l->class = !l->pairs[TRULY] ? l->pairs[FALSELY] ? FALSE : READ : l->pairs[FALSELY] ? BOTH : TRUE;
    cells[l->class]++;
}

/* ---- transfers ---- */

static void transfer(unsigned what)
{
    sim_count(event.transfers, 1);
    sim_count(what, 1);
}

static void count_pair(const struct copy *c, bool truly)
{
    static const struct sim_finding kinds[2] = {{.what = "false"}, {.what = "true"}};
    struct pair *p = (struct pair *)sites_find(&pairs, c->missed_pc, c->taker);

    if (p && !p->found[truly]) {
        struct sim_finding finding = kinds[truly];

        finding.pc = c->missed_pc;
        finding.other = c->taker;
        finding.value = c->site.pc << line_bits;
        p->found[truly] = sim_keep(&finding);
    }
    if (p && p->found[truly])
        p->found[truly]->count++;
    else
        cells[NO_ROW]++;
}

static void settle(struct copy *c, unsigned what)
{
    sim_count_for(c->missed_site, what, 1);
    count_pair(c, what == event.misses_true);
    if (c->missed)
        *(what == event.misses_true ? &c->missed->misses_true : &c->missed->misses_false) += 1;
    c->open = false;
}

/* Marks the bytes that the owner has written as stale in all other copies. */
static void publish(struct line *l)
{
    for (struct copy *c = l->first; c; c = c->next)
        if (c != l->owner)
            c->stale |= l->fresh;
    l->fresh = 0;
}

/* Invalidates all other copies, for a write of `by` at pc. */
static void invalidate(struct line *l, struct copy *by, uint64_t pc)
{
    for (struct copy *c = l->first; c; c = c->next) {
        if (c == by)
            continue;
        if (c->open)
            settle(c, event.misses_false);
        if (c->present)
            c->taker = pc;
        c->present = false;
    }
    l->owner = by;
}

/* The thread's copy of the line; a new one, with `touched` 0, if this is its first access.  NULL: the table is full. */
static struct copy *copy_of(struct line *l, uint32_t thread)
{
    struct copy *c = (struct copy *)sites_find(&copies, l->site.pc, thread);

    if (c && !c->touched) {
        c->next = l->first;
        c->present = true;
        l->first = c;
    }
    return l->recent = c;
}

/* The line gets a second thread.  The references of the first thread until now are charged to one instruction. */
static void share(struct line *l)
{
    struct copy *c = copy_of(l, l->thread);

    if (!c)
        return;
    c->touched = l->read | l->written;
    c->written = l->written;
    if (row_of(c, l->pc, l->address)) {
        c->row->reads = l->reads;
        c->row->writes = l->writes;
        c->row->read = l->read;
        c->row->written = l->written;
    }
    if (l->written) {
        l->owner = c;
        l->fresh = l->written;
    }
}

/* The thread's first access to a line that others have accessed. */
static void arrive(struct line *l, struct copy *c, bool writes)
{
    publish(l);
    c->stale = 0;
    l->owner = NULL;
    if (!writes && !l->was_written)
        return;
    transfer(event.cold);
    if (c->row)
        c->row->cold++;
}

static void miss(struct line *l, struct copy *c, const struct sim_ref *ref)
{
    publish(l);
    l->owner = NULL;
    c->present = c->open = true;
    c->missed = c->row;
    c->missed_site = ref->site;
    c->missed_pc = ref->pc;
    sim_count(event.transfers, 1);
}

/* A miss that is not the thread's first access to the line. */
static void come(struct line *l, struct copy *c, const struct sim_ref *ref, bool writes)
{
    if (!c->touched) {
        arrive(l, c, writes);
    } else if (!c->present) {
        miss(l, c, ref);
    } else if (writes && l->owner != c) {
        transfer(event.upgrades);
        if (c->row)
            c->row->upgrades++;
    }
}

static void refer(struct line *l, const struct sim_ref *ref, uint64_t address, uint64_t bytes)
{
    bool writes = sim_writes((enum sim_kind)ref->kind);
    struct copy *c = l->recent && l->recent->site.what == sim_thread ? l->recent : copy_of(l, sim_thread);

    if (QN_UNLIKELY(!c)) {
        cells[NO_ROOM]++;
        return;
    }
    note(row_of(c, ref->pc, address), bytes, ref->kind);
    come(l, c, ref, writes);
    if (QN_UNLIKELY(c->stale & bytes)) {
        settle(c, event.misses_true);
        c->stale = 0;
    }
    if (writes) {
        if (l->owner != c)
            invalidate(l, c, ref->pc);
        l->fresh |= bytes;
        l->was_written = true;
    }
    touch(l, c, bytes, writes);
}

/* ---- references ---- */

static void refer_alone(struct line *l, const struct sim_ref *ref, uint64_t address, uint64_t bytes)
{
    bool writes = sim_writes((enum sim_kind)ref->kind);

    if (writes || !l->was_written) {
        l->pc = ref->pc;
        l->address = address;
    }
    if (ref->kind != SIM_WRITE) {
        l->reads++;
        l->read |= bytes;
    }
    if (writes) {
        l->writes++;
        l->written |= bytes;
        l->was_written = true;
    }
}

/* The bits of bytes first to last of a line. */
static uint64_t bytes_of(uint32_t first, uint32_t last)
{
    first >>= grain_bits;
    last >>= grain_bits;
    return (~0ull >> (BITS - 1 - (last - first))) << first;
}

static void refer_to(uint64_t number, const struct sim_ref *ref, uint64_t address, uint32_t size)
{
    struct line *l = (struct line *)sites_find(&lines, number, 0);
    uint32_t at = (uint32_t)(address & ((1u << line_bits) - 1));
    uint64_t bytes = bytes_of(at, at + size - 1);

    if (QN_UNLIKELY(!l)) {
        cells[NO_ROOM]++;
        return;
    }
    if (!(l->read | l->written)) {
        l->thread = sim_thread;
        cells[PRIVATE]++;
    }
    if (QN_LIKELY(l->thread == sim_thread && !l->first)) {
        refer_alone(l, ref, address, bytes);
        return;
    }
    if (!l->first)
        share(l);
    refer(l, ref, address, bytes);
}

static void analysis_ref(const struct sim_ref *ref)
{
    uint64_t address = ref->addr, end = ref->addr + ref->size;

    while (address != end) {
        uint64_t number = address >> line_bits, next = (number + 1) << line_bits;
        uint64_t to = next - address < end - address ? next : end;

        refer_to(number, ref, address, (uint32_t)(to - address));
        address = to;
    }
}

static void analysis_finish(void)
{
    for (uint32_t i = 0; i < copies.count; i++) {
        struct copy *c = (struct copy *)sites_at(&copies, i);

        if (c->open)
            settle(c, event.misses_false);
    }
}
