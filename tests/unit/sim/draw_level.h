/* tests/unit/sim/draw_level.h - a whole level on its own, its lines drawn beside each access.
 *
 *   #define LEVEL_FILE "sim/level/writeback.c"
 *   #define MARKS "!"                              a mark for each bit of a line's flags
 *   #include "draw_level.h"
 *
 *   static const char *draw(void) { return draw_lines(&lines); }
 *
 *   begin(1, 2);                                   one set of two ways, lines of 64 bytes: A, B, C ...
 *   step("A B! C", "mmm", "A B C", "C B!");        references; what became of each; what the next level was asked; the lines
 *
 * References: A reads the line, A! writes it, A- is given up by level 1 (slot LL), A> covers A and the line behind it.
 * Outcomes: . hit, m miss.  Asked: A a reference, A+ a prefetch, A- given up, A! written back, (A) taken out of level 1;
 * only what the level asks by itself, and the reference that missed.  Lines: newest first, a dot is free, / between sets.
 */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#ifdef IN_SLOT_LL
#define QN_SLOT LL
#else
#define QN_SLOT D1
#endif
#define QN_SLOT_FILE LEVEL_FILE
#include "sim/unit.c"

#include "alone.h"

#define LINE 64

static char asked[256], drawing[512];
bool qn_up_wants_evictions, qn_up_wants_writebacks;
void qn_up_missed(const struct qn_log_entry *e, unsigned outcome) { (void)e, (void)outcome; }
void qn_up_seen_below(const struct qn_log_entry *e, unsigned outcome) { (void)e, (void)outcome; }
void qn_up_set_pc(const struct qn_log_entry *e) { (void)e; }
void qn_up_charge(uint32_t site) { (void)site; }

static void ask(const char *format, uint64_t addr)
{
    sprintf(asked + strlen(asked), format, *asked ? " " : "", (char)('A' + addr / LINE));
}

bool qn_up_next(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    (void)size;
    ask(kind == SIM_PREFETCH ? "%s%c+" : kind == SIM_EVICT ? "%s%c-" : kind == SIM_WRITEBACK ? "%s%c!" : "%s%c", addr);
    return false;
}

bool qn_up_beyond(uint64_t addr, uint32_t size, enum sim_kind kind) { return addr + size + kind != 0; }

void qn_up_back_invalidate(uint64_t line, uint32_t bytes)
{
    (void)bytes;
    ask("%s(%c)", line);
}

static void begin(uint32_t sets, uint32_t ways)
{
    struct sim_config config = {
        .slot = QN_SLOT_NAME, .size = sets * ways * LINE, .ways = ways, .line = LINE, .sets = sets, .line_bits = 6, .seed = 1};
    struct qn_unit_facts facts = {.name = NULL};

    event_count = 0; /* a test may begin again */
    memset(sim_event_new, 0, sizeof sim_event_new);
    UNIT_OBJECT.init(&config, &facts);
}

/* Each set's lines, newest first. */
static __attribute__((unused)) const char *draw_lines(const struct lines *l)
{
    char *p = drawing + strlen(drawing);
    const char *start = p;

    for (uint64_t i = 0; i < (uint64_t)l->sets * l->ways; i++) {
        p += sprintf(p, "%s", i == 0 ? "" : i % l->ways ? " " : " / ");
        if (l->line[i] == LINES_NONE) {
            p += sprintf(p, ".");
            continue;
        }
        p += sprintf(p, "%c", (char)('A' + (l->line[i] >> l->bits)));
        for (unsigned bit = 0; MARKS[bit]; bit++)
            p += sprintf(p, "%.*s", l->flags[i] >> bit & 1, &MARKS[bit]);
    }
    return start;
}

static const char *draw(void);

/* What the hit filter holds must be settled. */
static bool filter_true(void)
{
#if defined(QN_SLOT_D1) && defined(LEVEL_SETTLED)
    for (uint32_t i = 0; i <= filter_mask; i++)
        if (filter_entries[i].line != QN_NO_LINE && !(cachesim_X_settled(filter_entries[i].line) && beside_settled(filter_entries[i].line)))
            return false;
#endif
    return true;
}

/* One reference: its outcome. */
static char refer(char letter, char how)
{
    uint64_t addr = (uint64_t)(letter - 'A') * LINE;
    enum sim_kind kind = how == '!' ? SIM_WRITE : how == '-' ? SIM_EVICT : SIM_READ;
    uint32_t size = how == '>' ? 2 * LINE : how == '-' ? LINE : 8;
    unsigned outcome = UNIT_OBJECT.ref(addr, size, kind);

    if ((outcome & QN_UNIT_MISS) && !(outcome & QN_UNIT_NEXT_DONE))
        ask("%s%c", addr);
    return how == '-' ? '-' : outcome & QN_UNIT_MISS ? 'm' : '.';
}

static __attribute__((unused)) void step(const char *refs, const char *outcomes, const char *wanted_asked, const char *wanted)
{
    char got[64] = "", *o = got;

    *asked = 0;
    for (const char *r = refs; *r; r++) {
        if (*r < 'A' || *r > 'Z')
            continue;
        *o++ = refer(*r, r[1]);
        if (!filter_true())
            ok(false, "after %c of %s the filter holds only settled lines", *r, refs);
    }
    *drawing = 0;
    is_str(draw(), wanted, "after %s: %s", refs, wanted);
    is_str(got, outcomes, "  outcomes %s", outcomes);
    is_str(asked, wanted_asked, "  the next level was asked: %s", *wanted_asked ? wanted_asked : "nothing");
}

/* How often the module has counted an event of its own. */
static __attribute__((unused)) uint64_t events_of(const char *name)
{
    for (unsigned i = 0; i < event_count; i++)
        if (!strcmp(event_names[i], name))
            return sim_counted(i);
    return UINT64_MAX;
}
