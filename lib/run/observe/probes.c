/* lib/run/observe/probes.c - probe points: the addresses of source lines (--explain) and functions that options name.
 *
 *   code of a mapping is executed for the first time:
 *     engine     -- RESOLVE map -->   collector, which reads the file's debug information
 *     engine    <-- RESOLVED     --   and has appended to the probe points of the arena:  401136..40113d explain, line 0
 *
 * A function that is chosen at run time (IFUNC) has a probe point at its resolver, and another one at the address that the resolver returns.
 *
 * So code of libraries that are loaded later is found, too, and the engine needs no debug information.  A probe point is valid only while its
 * mapping exists: another file at the same address is another mapping.
 */

#include "base/tree.h"
#include "guest/exec_map.h"
#include "run/core/core.h"
#include "run/run.h"
#include "sim/explain.h"

#define OVERLAPS 64u /* probe points at one address: options that name the same line, mappings that came and went */

#define PROBES_MAX (QN_ARENA_PROBES_SIZE / sizeof(struct qn_probe))

static struct qn_tree by_start = {.alloc = qn_engine_alloc}; /* value: the newest probe point that begins there */
static struct qn_probe *list;    /* of those of the arena, and those that the engine knows itself */
static uint32_t *older;          /* the point before it that begins at the same address, + 1; 0: none */
static uint64_t count, taken;    /* taken: from the arena */

static void insert(const struct qn_probe *p)
{
    const struct qn_tree_node *same = qn_tree_last(&by_start, p->start);

    list[count] = *p;
    older[count] = same && same->start == p->start ? same->value + 1 : 0;
    qn_tree_add(&by_start, p->start, p->start + 1, (uint32_t)count++);
}

static void take_new_probes(void)
{
    if (!list) {
        list = qn_engine_alloc(QN_ARENA_PROBES_SIZE);
        older = qn_engine_alloc(PROBES_MAX * sizeof *older);
    }
    for (; taken < qn_arena->n_probes && count < PROBES_MAX; taken++)
        insert((const struct qn_probe *)qn_arena_at(QN_ARENA_PROBES_OFF) + taken);
}

void qn_probes_learn(uint64_t pc)
{
    const struct qn_tree_node *range;
    uint32_t map;

    range = qn_exec_find(pc);
    if (!range || range->value != QN_NO_MAP)
        return;
    map = qn_arena_map_of(pc);
    if (qn_arena_text(qn_arena_map_rec(map)->path)[0] != '/')
        return; /* no file */
    qn_message_ask(QN_MESSAGE_RESOLVE, map);
    take_new_probes();
    QN_TELL(learn);
}

/* The last probe point of this kind that begins at or before pc and reaches beyond it. */
static const struct qn_probe *find(uint64_t pc, unsigned what)
{
    const struct qn_tree_node *n = qn_tree_last(&by_start, pc);
    const struct qn_tree_node *range = n ? qn_exec_find(pc) : NULL;
    unsigned looked_at = 0;

    for (; range && n; n = qn_tree_last(&by_start, n->start - 1))
        for (uint32_t i = n->value + 1; i; i = older[i - 1]) {
            const struct qn_probe *p = &list[i - 1];

            if (p->what == what && pc < p->end && p->map == range->value)
                return p;
            if (++looked_at == OVERLAPS)
                return NULL;
        }
    return NULL;
}

unsigned qn_probes_explain(uint64_t pc)
{
    const struct qn_probe *p = find(pc, QN_PROBE_EXPLAIN);

    return p ? p->which + 1u : 0;
}

unsigned qn_probes_triggers(uint64_t pc)
{
    unsigned kinds = 0;

    for (unsigned what = QN_PROBE_TURN; what <= QN_PROBE_ZERO_BEFORE; what++)
        kinds |= find(pc, what) ? 1u << what : 0;
    return kinds;
}

bool qn_probes_toggle(uint64_t pc) { return find(pc, QN_PROBE_TOGGLE) || find(pc, QN_PROBE_CHOOSER); }

bool qn_probes_chooses(uint64_t pc) { return find(pc, QN_PROBE_CHOOSER) && !find(pc, QN_PROBE_TOGGLE); }

uint32_t qn_probes_alloc(uint64_t pc)
{
    const struct qn_probe *p = count ? find(pc, QN_PROBE_ALLOC) : NULL;

    return p && p->start == pc ? p->which + 1u : 0;
}

uint64_t qn_probes_alloc_end(uint64_t pc)
{
    const struct qn_probe *p = find(pc, QN_PROBE_ALLOC);

    return p ? p->end : pc + 1;
}

/* What has been translated there so far does not leave for the dispatcher at its entry. */
void qn_probes_chosen(uint64_t chooser, uint64_t pc)
{
    const struct qn_probe *from = find(chooser, QN_PROBE_CHOOSER);
    const struct qn_tree_node *range = qn_exec_find(pc);
    uint16_t which = from ? from->which : 0;

    if (!from || !range)
        return;
    qn_probes_learn(pc);
    if (qn_probes_toggle(pc) || count == PROBES_MAX)
        return;
    insert(&(struct qn_probe){pc, pc + 1, range->value, QN_PROBE_TOGGLE, which});
    qn_code_changed(pc, pc + 1);
}

/* ---- --explain and --watch ---- */

static void configure(struct qn_emit_hooks *h) { h->which = qn_probes_explain; }

static void start(const struct qn_config *c)
{
    if (c->cache_sim)
        qn_sim_explain(c, qn_arena_at(QN_ARENA_EXPLAIN_OFF));
}

/* A race needs two: the steps begin at the first turn of another core. */
static void thread(struct qn_thread *t)
{
    (void)t;
    if (qn_cfg()->watch_parallel && qn_sim_core)
        qn_explain_watch_now();
}

const struct qn_slice qn_explain_slice = {.configure = configure, .start = start, .code = qn_probes_learn, .thread = thread};
