/* tests/unit/sim/draw.h - a policy in a D1 of one set and four ways, its state drawn beside each access.
 *
 *   #define POLICY_FILE "sim/policy/srrip.c"
 *   #define DRAW(way) way_state(0, way)          a number behind each line's letter; * = settled (drawn by this file)
 *   #include "draw.h"
 *
 *   step("AAB", "A0* B2 . .");                   references to lines A, A, B; then the set is as drawn
 */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT D1
#define QN_SLOT_FILE POLICY_FILE
#include "sim/unit.c"

#include "alone.h"

#define LINE 64
#ifndef SETS_WAYS
#define SETS_WAYS 4
#endif

bool qn_up_wants_evictions;
void qn_up_missed(const struct qn_log_entry *e, unsigned outcome) { (void)e, (void)outcome; }
void qn_up_seen_below(const struct qn_log_entry *e, unsigned outcome) { (void)e, (void)outcome; }
void qn_up_set_pc(const struct qn_log_entry *e) { (void)e; }
void qn_up_charge(uint32_t site) { (void)site; }
bool qn_up_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return addr + size + kind != 0; }
void qn_up_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
struct qn_code_line *qn_up_code_line(uint64_t line) { return (void)line, NULL; }

static char drawing[256];

static void begin(uint32_t sets)
{
    struct sim_config config = {
        .slot = "D1", .size = sets * SETS_WAYS * LINE, .ways = SETS_WAYS, .line = LINE, .sets = sets, .line_bits = 6, .seed = 1};
    struct qn_unit_facts facts = {.name = NULL};

    UNIT_OBJECT.init(&config, &facts);
}

static const char *draw(void)
{
    char *p = drawing;

    for (unsigned way = 0; way < SETS_WAYS; way++) {
        uint64_t tag = level_tag(0, way);

        if (tag == QN_NO_LINE)
            p += sprintf(p, "%s.", way ? " " : "");
        else
            p += sprintf(p, "%s%c%u%s", way ? " " : "", (char)('A' + tag / LINE), (unsigned)DRAW(way),
                         level_settled(0, way) ? "*" : "");
    }
    return drawing;
}

/* What the hit filter holds must be resident and settled, and nothing else. */
static bool filter_true(void)
{
    for (unsigned i = 0; i <= filter_mask; i++) {
        bool good = filter_entries[i].line == QN_NO_LINE;

        for (unsigned way = 0; way < SETS_WAYS; way++)
            good |= level_tag(0, way) == filter_entries[i].line && level_settled(0, way);
        if (!good)
            return false;
    }
    return true;
}

/* A letter is a reference to that line; misses are counted. */
static __attribute__((unused)) void step(const char *refs, unsigned misses, const char *wanted)
{
    unsigned missed = 0;

    for (const char *r = refs; *r; r++) {
        missed += UNIT_OBJECT.ref((uint64_t)(*r - 'A') * LINE, 8, SIM_READ) & QN_UNIT_MISS;
        if (!filter_true())
            ok(false, "after %c of %s the filter holds only settled lines", *r, refs);
    }
    is_str(draw(), wanted, "after %s: %s", refs, wanted);
    is_int(missed, misses, "%s: %u misses", refs, misses);
}
