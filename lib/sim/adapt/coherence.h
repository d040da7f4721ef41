/* lib/sim/adapt/coherence.h - makes a unit of a coherence protocol (COHERENCE): the D1s of all cores, their L2s (core_L2.h), and the bus between them.
 *
 * In:  the tables of a protocol (see module.h), COHERENCE_LETTERS, COHERENCE_DIRTY; sim.cores
 * Out: unit_init, unit_ref, unit_L2, unit_turn, unit_shared, unit_drop, unit_show, unit_state, unit_finish
 *
 * Each D1 is write-allocate, least recently used by stamps, stored as in fast/D1.h: a line's address gives its preferred entry, its home,
 * into which each reference moves it.  The entries of the core that runs are the table of the hit filter; those of the others are put away.
 * A second table, of the same form, has the lines that a write may hit without a call: those in a state in which a write asks nobody and
 * changes nothing.
 *
 *   core 0 writes A, core 1 reads A, core 0 writes A      mesi:  0 M        0 S, 1 S        0 M, and the copy of 1 is gone
 *
 * A miss on a line that another core has taken is a coherence miss.  It is of true sharing if the core, before it loses the line again,
 * refers to a byte that another core has written since its last miss that was not of false sharing (Dubois and others, The detection and
 * elimination of useless misses in multiprocessors, ISCA 1993; with bytes for words).  Until this is known, a reference to the line is a
 * call.  So is a write to a line that several cores have used, until all of its bytes are known to be new for the others.  But a reference
 * that has been made in this turn, and would change nothing if it were made again, is in a table of those (struct qn_repeat).
 *
 * Lines of more than 64 bytes have a bit for several bytes.
 *
 * With an L2, a core has a line if it is in its D1 or in its L2.  A module beside the D1 (beside.h) is banked: each core has what it
 * remembers; all variables of this file that change after the start are shared. */
#include "base/context.h"
#include "sim/adapt/core_L2.h"
#include "sim/lines.h"

#define CORE_SLOTS_MIN 8u         /* entries of a set with more than one way, as in fast/D1.h */
#define CORE_TAKEN (~0ull)        /* the stamp of surplus entries */
#define CORE_OPEN (1ull << QN_FAR_BIT) /* of an entry's line: it is not known yet what kind of miss has filled it */
#define CORE_UNSETTLED (1ull << (QN_FAR_BIT - 1)) /* ... a further reference changes something in the module beside the D1 */
#define CORE_BITS (CORE_OPEN | CORE_UNSETTLED)
#define CORE_WRITABLE 0x80u       /* of a state: a write to the line changes nothing */
#define CORE_SHARED 0x40u         /* ... the line is one of a page that several cores have used */
#define CORE_REPEATED 0x20u       /* ... references to it may be in the table of repetitions */
#define CORE_STATE 0x1fu
#define PAGE_LINES 64u            /* of a page: a bit of a word for each */
#define CORES_IN_TABLE 16u        /* at most: the table of pairs of cores grows with their square */

/* ---- the lines that several cores may have used, by page ---- */

/* What a core knows of a line that several cores have used. */
struct core_copy {
    uint64_t stale;       /* bytes that others have written since its last miss that was not of false sharing */
    uint32_t missed_site; /* of the miss that filled the line, while that is open */
    bool open;
    bool lost;            /* another core has taken the line from it */
};

struct core_line {
    uint64_t line;
    uint64_t holders, users; /* cores: a bit for each that has it; that ever had it */
    struct core_copy *copies; /* by core, behind this; NULL: one user only */
};

/* Most pages are used by one core only.  Nothing has to be known of their lines but which it has used; those that it has are in its D1. */
struct core_page {
    uint64_t page;           /* its number; QN_NO_LINE: no entry */
    struct core_line *lines; /* NULL: one core only has used it, */
    uint64_t used;           /* ... these lines, a bit for each */
    uint32_t owner;          /* ... the core */
    uint64_t *versions;      /* --check; else NULL */
};

static struct core_page *core_pages SIM_SHARED;
static uint64_t core_pages_size SIM_SHARED, core_pages_used SIM_SHARED;
static struct core_line *core_recent SIM_SHARED; /* the one that was referred to last; NULL: it is of a page of one core */

static struct core_line *core_line_in(const struct core_page *p, uint32_t i)
{
    return (struct core_line *)((uintptr_t)p->lines + i * (sizeof *p->lines + sim.cores * sizeof *p->lines->copies));
}

static struct core_page *core_page_in(struct core_page *table, uint64_t size, uint64_t page)
{
    uint64_t at = (page * 0x9e3779b97f4a7c15ull) >> 20 & (size - 1);

    while (table[at].page != page && table[at].page != QN_NO_LINE)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static __attribute__((noinline)) void core_pages_grow(void)
{
    uint64_t size = core_pages_size ? 4 * core_pages_size : 1u << 10;
    struct core_page *table = sim_alloc(size * sizeof *table);

    for (uint64_t i = 0; i < size; i++)
        table[i].page = QN_NO_LINE;
    for (uint64_t i = 0; i < core_pages_size; i++)
        if (core_pages[i].page != QN_NO_LINE)
            *core_page_in(table, size, core_pages[i].page) = core_pages[i];
    core_pages = table;
    core_pages_size = size;
}

static struct core_page *core_page_of(uint64_t line)
{
    uint64_t page = line >> sim.line_bits >> 6;
    struct core_page *p = core_pages_size ? core_page_in(core_pages, core_pages_size, page) : NULL;

    if (QN_LIKELY(p && p->page == page))
        return p;
    if (4 * core_pages_used >= 3 * core_pages_size)
        core_pages_grow();
    p = core_page_in(core_pages, core_pages_size, page);
    p->page = page;
    core_pages_used++;
    return p;
}

/* ---- the D1s ---- */

struct core {
    struct qn_filter_entry *entry; /* of the core that runs: the filter's; else put away */
    struct qn_filter_entry *away;
    uint8_t *state;       /* by entry */
    uint32_t *site;       /* by entry: of the last reference that was a call */
    struct core_L2 L2;
};

static struct core *cores;
static uint32_t running SIM_SHARED; /* the core */
static uint32_t slots;    /* entries of a D1 */
static uint32_t grain_bits; /* bytes of a line for which one bit stands */
static uint64_t all_bytes;  /* a bit for each */
static uint64_t shadow_clock SIM_SHARED; /* the shadow model's own: emitted code does not stamp its lines */
static uint64_t *taken_from;  /* cells: lines, by the core that took them and the one that lost them */
static struct {
    uint64_t references, shared_requests, bus_requests, bus_bytes, write_backs;
} core_sums SIM_SHARED;
static unsigned event_true, event_false, event_upgrades, event_updates, event_taken, event_lost, event_supplied, event_supplied_L2, event_written;

static struct qn_repeat repeats[2][QN_REPEATS] SIM_SHARED __attribute__((aligned(4096)));

#define READ_TABLE qn_sim_filter_entries[QN_DEFINES(QN_SIM_SHADOW)]
#define WRITE_TABLE (READ_TABLE + slots)

static inline uint32_t core_home(uint64_t line) { return (uint32_t)(line >> sim.line_bits) & (slots - 1); }

/* The entry of the line; `slots`: it has none.  victim: then the entry with the oldest stamp. */
static inline uint32_t core_find(const struct core *c, uint64_t line, uint32_t *victim)
{
    uint32_t set = (uint32_t)(line >> sim.line_bits) & (sim.sets - 1), oldest = set;
    uint64_t time = CORE_TAKEN;

    for (uint32_t i = set; i < slots; i += sim.sets) {
        if ((c->entry[i].line & ~CORE_BITS) == line)
            return i;
        oldest = c->entry[i].stamp < time ? i : oldest;
        time = c->entry[i].stamp < time ? c->entry[i].stamp : time;
    }
    *victim = oldest;
    return slots;
}

/* A second core uses the page. */
static __attribute__((noinline)) void core_share_page(struct core_page *p)
{
    p->lines = sim_alloc(PAGE_LINES * (sizeof *p->lines + sim.cores * sizeof *p->lines->copies));
    for (uint32_t i = 0; i < PAGE_LINES; i++) {
        struct core *c = &cores[p->owner];
        uint64_t line = (p->page * PAGE_LINES + i) << sim.line_bits, user = (p->used >> i & 1) << p->owner;
        uint32_t unused, at = user ? core_find(c, line, &unused) : slots;
        struct core_way *way = user ? core_L2_find(&c->L2, line) : NULL;

        *core_line_in(p, i) = (struct core_line){.line = line, .users = user, .holders = at < slots || way ? user : 0};
        if (at < slots)
            c->state[at] |= CORE_SHARED;
        if (way)
            way->state |= CORE_SHARED;
    }
}

/* The core that runs refers to the line.  NULL: no other has used its page. */
static struct core_line *core_line_of(uint64_t line)
{
    struct core_page *p = core_page_of(line);
    uint32_t at = (uint32_t)(line >> sim.line_bits) & (PAGE_LINES - 1);

    p->owner = p->used ? p->owner : running;
    if (!p->lines && p->owner != running)
        core_share_page(p);
    p->used |= 1ull << at;
    return p->lines ? core_line_in(p, at) : NULL;
}

/* Publishes for the filter whether a write may hit this entry of the core without a call; the shadow model has no filter. */
static inline void core_publish(uint32_t core, uint32_t at)
{
    const struct core *c = &cores[core];

    if (core == running && !QN_DEFINES(QN_SIM_SHADOW))
        WRITE_TABLE[at].line = c->state[at] & CORE_WRITABLE ? c->entry[at].line : QN_NO_LINE;
}

/* ---- references that may be repeated without a call ---- */

static bool any_repeats SIM_SHARED; /* in this turn */

static struct qn_repeat *core_repeat_of(bool writes, uint64_t addr) { return &repeats[writes][addr >> 2 & (QN_REPEATS - 1)]; }

/* The line of this entry of the core that runs leaves its home, or changes its state. */
static void core_forget_repeats(struct core *c, uint32_t at)
{
    const uint64_t line = c->entry[at].line & ~CORE_BITS;

    if (QN_LIKELY(!(c->state[at] & CORE_REPEATED)))
        return;
    c->state[at] &= (uint8_t)~CORE_REPEATED;
    for (uint64_t addr = line; any_repeats && addr < line + sim.line; addr += 4)
        core_repeat_of(false, addr)->addr = core_repeat_of(true, addr)->addr = QN_NO_LINE;
}

static void core_forget_all_repeats(void)
{
    for (unsigned i = 0; i < QN_REPEATS; i++)
        repeats[false][i].addr = repeats[true][i].addr = QN_NO_LINE;
    any_repeats = false;
}

/* The reference to the recent line has been simulated, and the line has this state.  A repetition finds its bytes as it has left them: until
 * the turn ends, no other core can make any of them stale. */
static void core_note_repeat(uint64_t addr, uint32_t size, bool writes, struct core *c, uint32_t home)
{
    const uint8_t now = c->state[home] & CORE_STATE;
    const struct sim_bus_access *a = &coherence_access[now][writes];

    if (!core_recent || !core_recent->copies || !beside_settled(c->entry[home].line & ~CORE_BITS) || (writes ? c->state[home] & CORE_WRITABLE : !(c->entry[home].line & CORE_OPEN)))
        return; /* the filter passes it */
    if (a->request == SIM_BUS_NONE && a->alone == now && a->shared == now) {
        c->state[home] |= CORE_REPEATED;
        *core_repeat_of(writes, addr) = (struct qn_repeat){addr, size};
        any_repeats = true;
    }
}

/* Is a write to the line one that asks nobody and changes nothing: neither its state nor what others know of its bytes? */
static bool core_write_is_noop(const struct core_line *l, uint8_t state, uint32_t core)
{
    const struct sim_bus_access *a = &coherence_access[state][true];

    if (a->request != SIM_BUS_NONE || a->alone != state || a->shared != state)
        return false;
    for (uint64_t left = l && l->copies ? l->users & ~(1ull << core) : 0; left; left &= left - 1)
        if (l->copies[__builtin_ctzll(left)].stale != all_bytes)
            return false;
    return true;
}

/* Sets the state of the line in this entry of the core, and what the filter's tables say of it. */
static void core_set_state(uint32_t core, uint32_t at, uint64_t line, const struct core_line *l, uint8_t state)
{
    struct core *c = &cores[core];
    bool open = l && l->copies && l->copies[core].open, writable = !open && core_write_is_noop(l, state, core);

    if (core == running && (c->state[at] & CORE_STATE) != state)
        core_forget_repeats(c, at);
    c->state[at] = (uint8_t)(state | (writable ? CORE_WRITABLE : 0) | (l ? CORE_SHARED : 0) | (c->state[at] & CORE_REPEATED));
    c->entry[at].line = line | (open ? CORE_OPEN : 0) | (QN_DEFINES(BESIDE) ? c->entry[at].line & CORE_UNSETTLED : 0);
    core_publish(core, at);
}

/* Is the line in this entry of the core that runs settled beside the D1?  If not, each reference to it is a call. */
static void core_set_settled(uint32_t at, bool settled)
{
    struct core *c = &cores[running];

    if (!settled)
        core_forget_repeats(c, at);
    c->entry[at].line = settled ? c->entry[at].line & ~CORE_UNSETTLED : c->entry[at].line | CORE_UNSETTLED;
    core_publish(running, at);
}

static inline __attribute__((unused)) void sim_dropped(uint64_t line)
{
    uint32_t unused, at = core_find(&cores[running], line, &unused);

    if (at < slots)
        core_set_settled(at, false);
}

static void core_count_for(uint32_t site, unsigned event)
{
    if (event < SIM_EVENTS_MAX)
        sim_count_for(site, event, 1);
    else
        sim_count(event, 1); /* of the shadow model */
}

/* The core loses the line: what its miss was is known now. */
static void core_end_copy(struct core_copy *copy)
{
    if (copy->open)
        core_count_for(copy->missed_site, event_false);
    copy->open = false;
}

/* The line leaves the D1. */
static void core_empty(uint32_t core, uint32_t at)
{
    struct core *c = &cores[core];

    if (core == running)
        core_forget_repeats(c, at);
    c->entry[at] = (struct qn_filter_entry){QN_NO_LINE, 0};
    c->state[at] = 0;
    core_publish(core, at);
}

/* The core has the line no longer; l NULL: no other core has used its page. */
static void core_leave(uint32_t core, struct core_line *l)
{
    if (l && l->copies)
        core_end_copy(&l->copies[core]);
    if (l)
        l->holders &= ~(1ull << core);
}

#include "sim/adapt/core_check.h"

/* ---- the bus ---- */

static void bus_reply(struct core_line *l, uint32_t core, enum sim_bus request)
{
    struct core *c = &cores[core];
    uint32_t unused, at = core_find(c, l->line, &unused);
    struct core_way *way = core_L2_find(&c->L2, l->line);
    const bool in_D1 = at < slots;
    const struct sim_bus_reply *r = &coherence_reply[(in_D1 ? c->state[at] : way->state) & CORE_STATE][request];

    if (CHECKS)
        check_reply(l->line, core, r->does);
    if (r->does & SIM_SUPPLIES)
        sim_count(in_D1 ? event_supplied : event_supplied_L2, 1); /* core_ask counts the bytes */
    if (r->does & SIM_WRITES_BACK) {
        sim_count(event_written, 1);
        core_sums.bus_bytes += r->does & SIM_SUPPLIES ? 0 : sim.line; /* who asked listens */
    }
    if (r->state) {
        if (in_D1)
            core_set_state(core, at, l->line, l, r->state);
        else
            way->state = r->state | CORE_SHARED;
        return;
    }
    sim_count(event_taken, 1);
    taken_from[running * sim.cores + core]++;
    core_count_for(in_D1 ? c->site[at] : way->site, event_lost);
    if (in_D1)
        core_empty(core, at);
    core_L2_remove(&c->L2, l->line);
    core_leave(core, l);
    l->copies[core].lost = true;
}

/* Returns whether another core (still) has the line; l NULL: no other has used its page. */
static bool bus_ask(struct core_line *l, enum sim_bus request, uint32_t size)
{
    uint64_t others = l ? l->holders & ~(1ull << running) : 0;

    if (request == SIM_BUS_NONE)
        return others;
    core_sums.bus_requests++;
    core_sums.shared_requests += l && l->copies;
    if (request == SIM_BUS_UPGRADE)
        sim_count(event_upgrades, 1);
    if (request == SIM_BUS_UPDATE || (request == SIM_BUS_READ_UPDATE && others)) {
        sim_count(event_updates, 1);
        core_sums.bus_bytes += size;
    }
    for (uint64_t left = others; left; left &= left - 1)
        bus_reply(l, (uint32_t)__builtin_ctzll(left), request);
    return l && l->holders & ~(1ull << running);
}

/* ---- references ---- */

/* The core uses the line for the first time. */
static void core_first_use(struct core_line *l)
{
    l->users |= 1ull << running;
    if (!l->copies && l->users & (l->users - 1))
        l->copies = (struct core_copy *)(l + 1);
}

/* The core refers to these bytes: may they say what the miss was? */
static void core_use_bytes(struct core_line *l, uint64_t bytes, bool writes)
{
    struct core_copy *mine = &l->copies[running];

    if (mine->open && mine->stale & bytes) {
        core_count_for(mine->missed_site, event_true);
        mine->open = false;
        mine->stale = 0;
    }
    if (!writes)
        return;
    mine->stale &= ~bytes;
    for (uint64_t left = l->users & ~(1ull << running); left; left &= left - 1)
        l->copies[__builtin_ctzll(left)].stale |= bytes;
}

/* A line of this state leaves the core by itself: a dirty one is written back. */
static void core_give_up(uint32_t core, uint64_t line, uint8_t state)
{
    const bool dirty = COHERENCE_DIRTY >> (state & CORE_STATE) & 1;

    core_sums.write_backs += dirty;
    if (CHECKS && dirty)
        check_reply(line, core, SIM_WRITES_BACK);
    core_leave(core, state & CORE_SHARED ? core_line_in(core_page_of(line), (uint32_t)(line >> sim.line_bits) & (PAGE_LINES - 1)) : NULL);
}

/* A line leaves the D1 of the core that runs.  Its L2 may have it, too. */
static void core_evict(struct core *c, uint32_t at)
{
    const uint64_t line = c->entry[at].line & ~CORE_BITS;
    const uint8_t state = c->state[at];
    struct core_way *way;

    if (!c->entry[at].stamp)
        return; /* a free entry */
    way = core_L2_find(&c->L2, line);
    if (way)
        *way = (struct core_way){line, c->site[at], state & (CORE_STATE | CORE_SHARED)};
    core_empty(running, at);
    if (!way)
        core_give_up(running, line, state);
}

/* A miss on a line that was taken is open; any other brings all bytes anew. */
static void core_begin_copy(struct core_copy *copy)
{
    copy->open = copy->lost;
    copy->missed_site = sim_reference.site;
    copy->stale = copy->lost ? copy->stale : 0;
    copy->lost = false;
}

/* The core that runs asks for the line, which it has not, if `brings`.  Returns whether another core (still) has it. */
static bool core_ask(struct core_line *l, enum sim_bus request, uint32_t size, bool brings)
{
    bool shared;

    if (brings && l)
        core_first_use(l);
    if (brings && l && l->copies)
        core_begin_copy(&l->copies[running]);
    shared = bus_ask(l, request, size);
    core_sums.bus_bytes += brings ? sim.line : 0;
    if (l)
        l->holders |= 1ull << running;
    return shared;
}

static void core_swap(struct core *c, uint32_t a, uint32_t b)
{
    struct qn_filter_entry entry = c->entry[a];
    uint8_t state;
    uint32_t site = c->site[a];

    core_forget_repeats(c, a);
    core_forget_repeats(c, b);
    state = c->state[a];
    c->entry[a] = c->entry[b], c->state[a] = c->state[b], c->site[a] = c->site[b];
    c->entry[b] = entry, c->state[b] = state, c->site[b] = site;
    core_publish(running, a);
}

/* Returns 1 on a miss. */
static unsigned core_touch(uint64_t line, uint64_t bytes, uint32_t size, bool writes)
{
    struct core *c = &cores[running];
    struct core_line *l = core_line_of(line);
    uint32_t victim = 0, home = core_home(line), at = core_find(c, line, &victim);
    const unsigned miss = at == slots;
    const struct core_way *way = miss ? core_L2_find(&c->L2, line) : NULL;
    const struct sim_bus_access *a = &coherence_access[(!miss ? c->state[at] : way ? way->state : 0) & CORE_STATE][writes];
    bool shared;

    if (miss)
        core_evict(c, at = victim);
    shared = core_ask(l, a->request, size, miss && !way);
    if (at != home)
        core_swap(c, at, home);
    if (l && l->copies)
        core_use_bytes(l, bytes, writes);
    c->entry[home].stamp = QN_DEFINES(QN_SIM_SHADOW) ? ++shadow_clock : ++qn_ctx.now;
    c->site[home] = sim_reference.site;
    core_set_state(running, home, line, l, shared ? a->shared : a->alone);
    if (QN_DEFINES(BESIDE))
        core_set_settled(home, beside_settled(line));
    core_recent = l;
    if (CHECKS)
        check_touch(line, l, miss && !way, writes, a->request);
    return miss;
}

/* A bit for each byte from first to last of a line. */
static uint64_t core_bytes(uint64_t first, uint64_t last)
{
    return ~0ull >> (63 - ((last - first) >> grain_bits)) << (first >> grain_bits);
}

static SIM_NCSR unsigned unit_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    const uint64_t last = addr + size - 1;
    unsigned miss = 0;

    core_sums.references++;
    beside_ref(addr, size, kind);
    for (uint64_t line = addr & ~(uint64_t)(sim.line - 1);; line += sim.line) {
        uint64_t from = addr > line ? addr - line : 0, to = last - line < sim.line ? last - line : sim.line - 1;

        from &= ~((1ull << grain_bits) - 1);
        miss |= core_touch(line, core_bytes(from, to), (uint32_t)(to - from + 1), sim_writes(kind));
        if (last - line >= sim.line)
            continue;
        if (addr >= line)
            core_note_repeat(addr, size, sim_writes(kind), &cores[running], core_home(line));
        return miss;
    }
}

/* ---- the L2s ---- */

/* The core has neither in its D1 nor in its L2 what a fetch asks for: a read like others. */
static void core_fetch(struct core_way *way, uint64_t bytes)
{
    const struct sim_bus_access *a = &coherence_access[0][false];
    struct core_line *l = core_line_of(way->line);
    bool shared = core_ask(l, a->request, 0, true);

    if (l && l->copies)
        core_use_bytes(l, bytes, false);
    way->state = (shared ? a->shared : a->alone) | (l ? CORE_SHARED : 0);
    if (CHECKS)
        check_touch(way->line, l, true, false, a->request);
}

/* Returns 1 on a miss. */
static unsigned core_L2_touch(uint64_t line, uint64_t bytes)
{
    struct core *c = &cores[running];
    struct core_way *way = core_L2_find(&c->L2, line), out;
    const unsigned miss = !way;
    uint32_t unused;

    out = core_L2_to_front(&c->L2, way, line);
    way = core_L2_row(&c->L2, line);
    if (miss && out.line != QN_NO_LINE && core_find(c, out.line, &unused) == slots)
        core_give_up(running, out.line, out.state);
    way->site = sim_reference.site;
    if (miss && core_find(c, line, &unused) == slots)
        core_fetch(way, bytes);
    return miss;
}

/* A reference has missed the D1 or I1 of the core that runs.  Returns whether it misses the L2. */
static __attribute__((unused)) SIM_NCSR unsigned unit_L2(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    const uint64_t last = addr + size - 1;
    unsigned miss = 0;

    (void)kind;
    LINES_OF(line, addr, size)
        miss |= core_L2_touch(line, core_bytes((addr > line ? addr - line : 0) & ~((1ull << grain_bits) - 1),
                                               last - line < sim.line ? last - line : sim.line - 1));
    return miss;
}

/* The entries of the core that ran are put away, and the others' become the filter's table. */
static void unit_turn(uint32_t core)
{
    struct core *from = &cores[running], *to = &cores[core];

    qn_bank_turn(&unit_bank, core);
    if (QN_DEFINES(QN_SIM_SHADOW)) {
        running = core;
        return;
    }
    __builtin_memcpy(from->away, from->entry, slots * sizeof *from->entry);
    from->entry = from->away;
    __builtin_memcpy(READ_TABLE, to->away, slots * sizeof *to->away);
    to->entry = READ_TABLE;
    running = core;
    if (any_repeats)
        core_forget_all_repeats();
    for (uint32_t i = 0; i < slots; i++)
        core_publish(core, i);
}

/* ---- what else a unit has ---- */

static __attribute__((unused)) SIM_NCSR void unit_drop(uint64_t line)
{
    for (uint32_t core = 0, unused; core < sim.cores; core++) {
        uint32_t at = core_find(&cores[core], line, &unused);
        const struct core_way *way = core_L2_find(&cores[core].L2, line);
        const uint8_t state = at < slots ? cores[core].state[at] : way ? way->state : 0;

        if (at < slots)
            core_empty(core, at);
        core_L2_remove(&cores[core].L2, line);
        if (state)
            core_give_up(core, line, state);
    }
}

/* The D1 that `quern watch` shows is that of the core of the option, else of the one that runs. */
static uint32_t shown_core;
/* The entries of this line's set that are not surplus, the one used last first, free ones last. */
static __attribute__((unused)) const struct core *shown(uint64_t line, uint32_t at[64], unsigned *n)
{
    const struct core *c = &cores[shown_core < sim.cores ? shown_core : running];

    for (uint32_t i = (uint32_t)(line >> sim.line_bits) & (sim.sets - 1), k; i < slots && *n < 64; i += sim.sets)
        if (c->entry[i].stamp != CORE_TAKEN) {
            for (k = (*n)++; k && c->entry[at[k - 1]].stamp < c->entry[i].stamp; k--)
                at[k] = at[k - 1];
            at[k] = i;
        }
    return c;
}

static __attribute__((unused)) SIM_NCSR unsigned unit_show(uint64_t line, uint64_t *lines)
{
    uint32_t at[64], n = 0;
    const struct core *c = shown(line, at, &n);

    for (unsigned i = 0; i < n; i++)
        lines[i] = c->entry[at[i]].stamp ? c->entry[at[i]].line & ~CORE_BITS : QN_NO_LINE;
    return n;
}

#define UNIT_HAS_STATE 1 /* the letters of the states */
static __attribute__((unused)) SIM_NCSR void unit_state(uint64_t line, uint64_t *ways, unsigned most, uint64_t *set)
{
    uint32_t at[64], n = 0;
    const struct core *c = shown(line, at, &n);

    *set = 0;
    for (unsigned i = 0; i < n && i < most; i++)
        ways[i] = c->state[at[i]] & CORE_STATE;
}

/* Requests about lines that several cores have used. */
static uint64_t unit_shared(void) { return core_sums.shared_requests; }

static uint64_t unit_reference(void) { return core_sums.references; }

/* What is open at the end was of no use. */
static void core_end_copies(void)
{
    for (uint64_t i = 0; i < core_pages_size; i++)
        for (uint32_t n = 0; core_pages[i].page != QN_NO_LINE && core_pages[i].lines && n < PAGE_LINES * sim.cores; n++)
            if (core_line_in(&core_pages[i], n / sim.cores)->copies)
                core_end_copy(&core_line_in(&core_pages[i], n / sim.cores)->copies[n % sim.cores]);
}

static void unit_finish(void)
{
    core_end_copies();
    sim_total(sim.slot, "bus-requests", core_sums.bus_requests, "requests on the bus");
    sim_total(sim.slot, "bus-bytes", core_sums.bus_bytes, "bytes of lines and updates on the bus");
    sim_total(sim.slot, "write-backs", core_sums.write_backs, "dirty lines that gave way to another");
}

/* Does a write of the protocol make one of these requests?  Then it has the event. */
static unsigned core_event_of(enum sim_bus request, enum sim_bus or, const char *name, const char *text)
{
    for (unsigned state = 0; state < sizeof coherence_access / sizeof coherence_access[0]; state++)
        if (coherence_access[state][true].request == request || coherence_access[state][true].request == or)
            return sim_event(sim.slot, name, text);
    return 0; /* not used */
}

static void core_init(struct core *c)
{
    c->away = sim_alloc(slots * sizeof *c->away);
    c->state = sim_alloc(slots);
    c->site = sim_alloc(slots * sizeof *c->site);
    for (uint32_t i = 0; i < slots; i++)
        c->away[i] = (struct qn_filter_entry){QN_NO_LINE, i < sim.sets * sim.ways ? 0 : CORE_TAKEN};
    c->entry = c->away;
    core_L2_init(&c->L2);
}

/* Who takes lines from whom: a row for each pair of cores. */
static void core_declare(void)
{
    taken_from = sim_cells((uint64_t)sim.cores * sim.cores);
    if (sim.cores > CORES_IN_TABLE || CHECKS)
        return;
    sim_table(sim.slot, "cores", "core lines from");
    for (uint32_t i = 0; i < sim.cores * sim.cores; i++)
        if (i / sim.cores != i % sim.cores)
            sim_row(&(struct sim_term){.cells = taken_from + i, .n = 1, .times = 1, .needed = true}, 1, "%s: core {%u} took {%%U} lines from core {%u}",
                    sim.slot, i / sim.cores, i % sim.cores);
}

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    uint32_t per_set = config->ways == 1 ? 1 : CORE_SLOTS_MIN;

    while (per_set < config->ways)
        per_set *= 2;
    slots = config->sets * per_set;
    if (2 * slots > QN_FILTER_ENTRIES)
        sim_fail(sim.slot, COHERENCE, "init", 0, "the D1 of a core has more lines than there is room for");
    sim.cores = sim.cores ? sim.cores : 1;
    grain_bits = sim.line_bits > 6 ? sim.line_bits - 6 : 0;
    all_bytes = core_bytes(0, sim.line - 1);
    cores = sim_alloc(sim.cores * sizeof *cores);
    for (uint32_t core = 0; core < sim.cores; core++)
        core_init(&cores[core]);
    core_declare();
    event_true = sim_event(sim.slot, "true", "misses on lines that another core has taken: true sharing");
    event_false = sim_event(sim.slot, "false", "... false sharing");
    event_upgrades = core_event_of(SIM_BUS_UPGRADE, SIM_BUS_UPGRADE, "upgrades", "writes that had to take a line away from other cores");
    event_updates = core_event_of(SIM_BUS_UPDATE, SIM_BUS_READ_UPDATE, "updates", "writes that were sent to other cores");
    event_taken = sim_event(sim.slot, "taken", "copies of other cores that were taken away");
    event_lost = sim_event(sim.slot, "lost", "lines that another core has taken away");
    event_supplied = sim_event(sim.slot, "supplied", "lines that another core's D1 supplied");
    if (sim.L2_ways)
        event_supplied_L2 = sim_event("L2", "supplied", "lines that another core's L2 supplied, as its D1 had them not");
    event_written = sim_event(sim.slot, "written", "write-backs that another core's request forced");
#ifndef QN_SIM_HOSTED
    if (config->cores) { /* the collector has the counts of these two (cost/count.h); a trace has none */
        sim_event(sim.slot, "locks", "locked instructions");
        sim_event(sim.slot, "fences", "lfence, mfence, sfence");
    }
#endif
    facts->reference = unit_reference;
    facts->name = COHERENCE BESIDE_NAME;
    facts->kinds = facts->wants_site = facts->can_drop = true;
    facts->shows = QN_SHOW_RECENT;
    shown_core = (uint32_t)sim_option(sim.slot, "watch-core", sim.cores);
    facts->way_state = "state of " COHERENCE_LETTERS;
    facts->hit = QN_HIT_CALL;
    facts->filter = (struct qn_filter){.line = config->line};
    if (!QN_DEFINES(QN_SIM_SHADOW)) {
        __builtin_memcpy(READ_TABLE, cores[0].away, slots * sizeof *READ_TABLE);
        cores[0].entry = READ_TABLE;
        for (uint32_t i = 0; i < slots; i++)
            core_publish(0, i);
        facts->filter = qn_filter_of(READ_TABLE, slots, config->line);
        core_forget_all_repeats();
        facts->filter.repeats = facts->filter.entries ? (uintptr_t)repeats : 0;
        facts->filter.writes = facts->filter.entries ? (uintptr_t)WRITE_TABLE : 0;
        facts->filter.stamps = true;
    }
    if (QN_DEFINES(BESIDE) && sim.cores > 1)
        unit_open_bank();
    beside_start(config);
    if (QN_DEFINES(BESIDE) && sim.cores > 1)
        qn_bank_close(&unit_bank);
}
