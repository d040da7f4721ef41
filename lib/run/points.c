/* lib/run/points.c - addresses that the user has named, by source line (--explain) or function.
 *
 *   code of a mapping is executed for the first time:
 *     engine     -- RESOLVE map -->   collector, which reads the file's debug information
 *     engine    <-- RESOLVED     --   and has appended to the points of the arena:  401136..40113d explain, line 0
 *
 * So libraries that are loaded later are found, too, and the engine knows no debug information.  A point holds only while
 * its mapping is there: another file at the same address is another mapping.
 */
#include "run/points.h"

#include "guest/exec_map.h"
#include "run/run.h"

#define OVERLAPS 64u /* points at one address: options that name the same line, mappings that came and went */

static struct qn_point *sorted; /* by start */
static uint64_t nsorted;

static void insert(const struct qn_point *p)
{
    uint64_t i = nsorted++;

    for (; i > 0 && sorted[i - 1].start > p->start; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = *p;
}

static void take_new_points(void)
{
    if (!sorted)
        sorted = qn_engine_alloc(QN_ARENA_POINTS_SIZE);
    while (nsorted < qn_arena->n_points && nsorted < QN_ARENA_POINTS_SIZE / sizeof *sorted)
        insert(&qn_arena_points()[nsorted]);
}

void qn_points_learn(uint64_t pc)
{
    const struct qn_exec_range *range;
    uint32_t map;

    if (QN_LIKELY(!qn_cfg()->explain && !qn_cfg()->toggle))
        return;
    range = qn_exec_find(pc);
    if (!range || range->map != QN_NO_MAP)
        return;
    map = qn_arena_map_of(pc);
    if (qn_arena_text(qn_arena_map_rec(map)->path)[0] != '/')
        return; /* no file */
    qn_wire_resolve(map);
    take_new_points();
}

/* The last point of this kind that begins at or before pc and reaches beyond it. */
static const struct qn_point *find(uint64_t pc, unsigned what)
{
    const struct qn_exec_range *range;
    uint64_t low = 0, high = nsorted;

    while (low < high) {
        uint64_t middle = (low + high) / 2;

        if (sorted[middle].start <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    range = low ? qn_exec_find(pc) : NULL;
    for (uint64_t i = low; range && i > 0 && i + OVERLAPS > low; i--)
        if (sorted[i - 1].what == what && pc < sorted[i - 1].end && sorted[i - 1].map == range->map)
            return &sorted[i - 1];
    return NULL;
}

unsigned qn_points_explain(uint64_t pc)
{
    const struct qn_point *p = find(pc, QN_POINT_EXPLAIN);

    return p ? p->which + 1u : 0;
}

bool qn_points_toggle(uint64_t pc) { return find(pc, QN_POINT_TOGGLE) != NULL; }
