/* lib/run/core/arena.c - the engine's side of the counts arena.  It only appends, and makes a record visible when it is complete. */
#include "base/hash.h"
#include "base/ready.h"
#include "base/tree.h"
#include "cost/count.h"
#include "guest/exec_map.h"
#include "run/kernel/kernel.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"
#include "sim/service.h"
#include "sim/shadow.h"
#include "sim/stream.h"

struct qn_arena_header *qn_arena;
int qn_arena_fd = -1, qn_socket_fd = -1;
_Static_assert(SIM_FINDING_NAME == QN_FINDING_NAME && sizeof(struct sim_finding) == offsetof(struct qn_finding, map), "module.h and arena.h");

static struct {
    uint64_t blocks, insns, counters, findings, values, shared;
} ready;

/* Maps the sections that are in use, except the counters and the sections before them. */
static void map_sections(int fd, unsigned sections)
{
    for (unsigned section = 0; section < QN_SECTIONS; section++) {
        uint64_t begin = section == QN_SECTION_FIRST ? QN_ARENA_CHARGES_OFF : qn_section_begin(section);

        if (sections >> section & 1)
            qn_map_shared(QN_ARENA_ALIAS_BASE + begin, qn_section_begin(section + 1) - begin, 3, fd, begin);
    }
}

/* Maps the arena.  A forked child replaces its parent's arena by its own in the same way. */
void qn_arena_attach(int fd)
{
    struct qn_arena_header *new = qn_map_shared(QN_ARENA_ALIAS_BASE, QN_ARENA_COUNTERS_OFF, 3, fd, 0);

    qn_map_shared(QN_COUNTERS_BASE, QN_ARENA_COUNTERS_SIZE, 3, fd, QN_ARENA_COUNTERS_OFF);
    map_sections(fd, qn_sections_of(&new->config));
    if (new->magic != QN_ARENA_MAGIC || new->version != QN_ARENA_VERSION)
        qn_die_fatal(QN_FATAL_LOAD, 0, "this simulator was built for another version of quern: build it again");
    qn_arena = new;
    qn_arena_fd = fd;
    __builtin_memset(&ready, 0, sizeof ready);
    if (!qn_sim_executions)
        qn_sim_executions = qn_engine_alloc(QN_ARENA_COUNTERS_SIZE / sizeof(uint64_t) * sizeof *qn_sim_executions);
}

uint32_t qn_arena_string(const char *text)
{
    uint64_t at = qn_arena->n_strings ? qn_arena->n_strings : 1, len = qn_strlen(text) + 1;

    if (at + len > QN_ARENA_STRINGS_SIZE)
        return 0;
    __builtin_memcpy((char *)qn_arena_at(QN_ARENA_STRINGS_OFF) + at, text, len);
    qn_arena->n_strings = at + len;
    return (uint32_t)at;
}

bool qn_arena_unsupported(const char *text)
{
    uint32_t n = qn_arena->n_unsupported;

    for (uint32_t i = 0; i < n; i++)
        if (qn_streq(qn_arena_text(qn_arena->unsupported[i]), text))
            return false;
    if (n == QN_UNSUPPORTED_MAX)
        return false;
    qn_arena->unsupported[n] = qn_arena_string(text);
    qn_arena->n_unsupported = n + 1;
    return true;
}

void qn_unsupported(const char *text)
{
    if (qn_arena_unsupported(text))
        qn_message_note(QN_MESSAGE_NOTE, text);
}

/* ---- maps: asked for when code of a mapping is first translated ---- */

/* The time of the file's last change; the collector checks whether it has changed since (lib/collect/fold.c). */
static uint64_t time_of(const char *path, uint64_t ino)
{
    enum { INO = 1, SECONDS = 11, NANOSECONDS = 12, WORDS = 18 };
    uint64_t st[WORDS]; /* struct stat */

    if (path[0] != '/' || qn_sys2(__NR_stat, (long)path, (long)st) || st[INO] != ino)
        return 0;
    return st[SECONDS] * 1000000000u + st[NANOSECONDS];
}

static void find_map(uint64_t pc, struct qn_map_rec *rec)
{
    static struct qn_mapping m;

    if (qn_maps_find(pc, &m))
        *rec = (struct qn_map_rec){.start = m.start, .end = m.end, .offset = m.offset, .dev = m.dev, .ino = m.ino,
                                   .path = *m.path ? qn_arena_string(m.path) : 0};
}

static bool same_map(const struct qn_map_rec *a, const struct qn_map_rec *b)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset && a->dev == b->dev && a->ino == b->ino &&
           qn_streq(qn_arena_text(a->path), qn_arena_text(b->path));
}

/* A file that is mapped again at the same address keeps its record, and so its cost centres. */
static uint32_t append_map(const struct qn_map_rec *rec)
{
    static struct qn_tree by_hash = {.alloc = qn_engine_alloc}; /* value: number of a record */
    uint64_t i = qn_arena->n_maps, key = qn_hash_mix(rec->start ^ qn_hash_mix(rec->end ^ qn_hash_mix(rec->offset ^ rec->ino)));
    const struct qn_tree_node *n;

    for (; (n = qn_tree_find(&by_hash, key)); key++)
        if (same_map(qn_arena_map_rec(n->value), rec)) {
            if (rec->path)
                qn_arena->n_strings = rec->path; /* removes the newest string, which is not needed */
            return n->value;
        }

    if ((i + 1) * sizeof *rec > QN_ARENA_MAPS_SIZE)
        return (uint32_t)(i - 1);
    ((struct qn_map_rec *)qn_arena_at(QN_ARENA_MAPS_OFF))[i] = *rec;
    qn_arena->n_maps = i + 1;
    qn_tree_add(&by_hash, key, key + 1, (uint32_t)i);
    return (uint32_t)i;
}

uint32_t qn_arena_map_of(uint64_t pc)
{
    struct qn_tree_node *range = qn_exec_find(pc);
    struct qn_map_rec rec = {0};

    if (!range)
        return 0;
    if (range->value != QN_NO_MAP)
        return range->value;
    find_map(pc, &rec);
    rec.mtime = time_of(qn_arena_text(rec.path), rec.ino);
    return range->value = append_map(&rec);
}

/* ---- findings of analysis modules ---- */

struct sim_finding *qn_engine_finding(const struct sim_finding *f, bool kept, uint32_t of_cell)
{
    uint64_t n = qn_arena->n_findings;
    struct qn_finding *to = (struct qn_finding *)qn_arena_at(QN_ARENA_FINDINGS_OFF) + n;

    if ((n + 1) * sizeof *to > QN_ARENA_FINDINGS_SIZE)
        return NULL;
    qn_ready_until(&ready.findings, to + 1);
    *to = (struct qn_finding){.map = qn_arena_map_of(f->pc), .other_map = f->other ? qn_arena_map_of(f->other) : 0, .kept = kept, .of_cell = of_cell};
    __builtin_memcpy(to, f, sizeof *f);
    qn_arena->n_findings = n + 1;
    return (struct sim_finding *)to;
}

void *qn_engine_values(uint64_t pc, const char *what, unsigned entries)
{
    uint64_t n = qn_arena->n_value_lists, bytes = qn_value_list_bytes(entries);
    struct qn_value_list *to = qn_arena_at(QN_ARENA_VALUES_OFF + n * bytes);

    if ((n + 1) * bytes > QN_ARENA_VALUES_SIZE)
        return NULL;
    qn_ready_until(&ready.values, (uint8_t *)to + bytes);
    *to = (struct qn_value_list){.pc = pc, .map = qn_arena_map_of(pc)};
    __builtin_memcpy(to->what, what, sizeof to->what);
    qn_arena->value_entries = entries;
    qn_arena->n_value_lists = n + 1;
    return to;
}

_Static_assert(sizeof(struct sim_shared) == offsetof(struct qn_shared_row, offset), "module.h and arena.h");

struct sim_shared *qn_engine_shared(const struct sim_shared *row)
{
    uint64_t n = qn_arena->sim_output.tables.shared;
    struct qn_shared_row *to = (struct qn_shared_row *)(void *)((uint8_t *)qn_arena_at(QN_ARENA_TABLES_OFF) + QN_TABLE_SHARED_OFF) + n;

    if (n == QN_SHARED_MAX)
        return NULL;
    qn_ready_until(&ready.shared, to + 1);
    __builtin_memcpy(to, row, sizeof *row);
    to->map = qn_arena_map_of(row->pc);
    to->object = UINT32_MAX;
    QN_TELL(shared_row, to);
    qn_arena->sim_output.tables.shared = n + 1;
    return (struct sim_shared *)to;
}

/* ---- blocks ---- */

static uint32_t next_execution, executions_left; /* execution counters are allocated from pages of their own */

static uint32_t take_execution(void)
{
    if (!executions_left) {
        next_execution = (uint32_t)qn_round_up(qn_arena->n_counters, 8);
        executions_left = QN_ARENA_EXECUTIONS;
        qn_arena->n_counters = next_execution + QN_ARENA_EXECUTIONS;
    }
    executions_left--;
    return next_execution++;
}

/* Of which events the counters are, in the order of cost/arena.h. */
static void note_events(uint32_t at, const qn_insn_desc *desc, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t d = desc[i];

        if (d & QN_INSN_IMISS)
            qn_sim_event_of[at++] = QN_COST_I1MR, qn_sim_event_of[at++] = QN_COST_ILMR;
        for (unsigned k = 0; k < QN_INSN_NREAD(d); k++)
            qn_sim_event_of[at++] = QN_COST_D1MR, qn_sim_event_of[at++] = QN_COST_DLMR;
        for (unsigned k = 0; k < QN_INSN_NWRITE(d); k++)
            qn_sim_event_of[at++] = QN_COST_D1MW, qn_sim_event_of[at++] = QN_COST_DLMW;
        at += d & QN_INSN_VARIABLE ? 3 : 0;
        at += ((d & QN_INSN_BC) != 0) + ((d & QN_INSN_BI) != 0) + ((d & QN_INSN_STACK) != 0);
    }
}

/* ncounters: of the whole cost centre, execution counter included. */
struct qn_cost_place qn_arena_add_block(uint64_t pc, unsigned ninsns, const qn_insn_desc *desc, uint32_t ncounters,
                                        uint32_t region)
{
    uint64_t i = qn_arena->n_blocks, first = qn_arena->n_insns;
    struct qn_block_rec *rec = (struct qn_block_rec *)qn_arena_at(QN_ARENA_BLOCKS_OFF) + i;
    struct qn_cost_place place = {.record = (uint32_t)i};

    if ((i + 1) * sizeof *rec > QN_ARENA_BLOCKS_SIZE || (first + ninsns) * sizeof *desc > QN_ARENA_INSNS_SIZE ||
        (qn_arena->n_counters + ncounters + QN_ARENA_EXECUTIONS + 8) * 8 > QN_ARENA_COUNTERS_SIZE)
        qn_die_fatal(QN_FATAL_RESOURCE, pc, "counts arena is full");
    qn_ready_until(&ready.blocks, rec + 1);
    qn_ready_until(&ready.insns, (qn_insn_desc *)qn_arena_at(QN_ARENA_INSNS_OFF) + first + ninsns + 1);
    __builtin_memcpy((qn_insn_desc *)qn_arena_at(QN_ARENA_INSNS_OFF) + first, desc, ninsns * sizeof *desc);
    place.counter = take_execution();
    place.centre = (uint32_t)qn_arena->n_counters - 1;
    qn_arena->n_counters += ncounters - 1;
    qn_ready_until(&ready.counters, qn_arena_counters() + qn_arena->n_counters + 1);
    for (uint32_t site = place.centre + 1; site < qn_arena->n_counters; site++)
        qn_sim_executions[site] = (uint32_t)(uintptr_t)(qn_arena_counters() + place.counter);
    *rec = (struct qn_block_rec){.pc = pc, .map = qn_arena_map_of(pc), .first_insn = (uint32_t)first, .counter = place.counter,
                                 .ninsns = (uint16_t)ninsns, .misses = place.centre + 1, .region = (uint16_t)region};
    if (qn_sim_event_of)
        note_events(place.centre + 1, desc, ninsns);
    QN_TELL(centre, rec, (uint32_t)qn_arena->n_counters);
    qn_arena->n_insns = first + ninsns;
    qn_arena->n_blocks = i + 1;
    return place;
}

/* Control left block `record` before instruction insn completed. */
void qn_arena_leave(uint32_t record, unsigned insn)
{
    struct qn_side_exit *all = (struct qn_side_exit *)qn_arena_at(QN_ARENA_SIDE_EXITS_OFF);
    uint64_t n = qn_arena->n_side_exits, from = n > 4096 ? n - 4096 : 0;

    const struct qn_block_rec *b = qn_arena_block(record);

    qn_sim_log_left(insn);
    QN_TELL(undone, b, insn);
    for (uint64_t i = n; i-- > from;)
        if (all[i].block == record && all[i].insn == insn) {
            all[i].count++;
            return;
        }
    if ((n + 1) * sizeof *all > QN_ARENA_SIDE_EXITS_SIZE)
        return;
    all[n] = (struct qn_side_exit){record, insn, 1};
    qn_arena->n_side_exits = n + 1;
}

/* ---- taking back the counts of an instruction that faulted ---- */

uint32_t qn_arena_insn_counters(uint32_t record, unsigned insn)
{
    const struct qn_block_rec *b = qn_arena_block(record);
    uint32_t at = b->misses;

    for (unsigned i = 0; i < insn; i++)
        at += qn_insn_counters(qn_arena_descs(b)[i]);
    return at;
}

/* The checks of instructions from insn on have run, but the instructions have not.  Their misses in this execution of the block are the
 * newest in the ring. */
void qn_arena_undo_misses(uint32_t record, unsigned insn)
{
    const struct qn_block_rec *b = qn_arena_block(record);
    uint64_t *counters = qn_arena_counters();
    struct qn_sim_part part = {counters[b->counter], qn_arena_insn_counters(record, insn), qn_arena_insn_counters(record, b->ninsns)};

    qn_stream_take_back(&part);
    qn_sim_uncharge(&part);
    qn_complex_undo(&part);
    for (uint64_t n = 1; n <= QN_SIM_MISSES && n <= qn_sim_miss_count; n++) {
        const struct qn_sim_miss *m = &qn_sim_misses[(qn_sim_miss_count - n) % QN_SIM_MISSES];

        if (!qn_sim_is_part(&part, m->counter, m->execution))
            continue;
        counters[m->counter]--;
        counters[m->counter + 1] -= m->ll;
        qn_sim_sum_miss(m->counter, -1, -(int64_t)m->ll);
        qn_sim_shadow_undo(m->counter, m->ll);
        QN_TELL(miss_undone, m->counter, m->ll);
    }
}

/* ---- what has been counted so far ---- */

void qn_arena_add_executed(const qn_insn_desc *desc, unsigned n, uint64_t times, int64_t sum[QN_COST_EVENTS])
{
    static const uint64_t none[QN_INSN_COUNTERS_MAX];

    for (unsigned i = 0; i < n; i++)
        qn_cost_count(desc[i], times, none, sum);
}

/* Executions times what the instructions count, less the instructions of executed blocks that control left before (struct qn_side_exit). */
void qn_arena_sum(int64_t sum[QN_COST_EVENTS])
{
    int64_t left[QN_COST_EVENTS] = {0};

    __builtin_memset(sum, 0, QN_COST_EVENTS * sizeof *sum);
    for (uint64_t i = 0; i < qn_arena->n_blocks; i++) {
        const struct qn_block_rec *b = qn_arena_block((uint32_t)i);
        const uint64_t *counters = qn_arena_counters() + b->misses;
        uint64_t executions = qn_arena_counters()[b->counter];

        for (unsigned k = 0; executions && k < b->ninsns; k++) {
            uint32_t d = qn_arena_descs(b)[k];

            qn_cost_count(d, executions, counters, sum);
            counters += qn_insn_counters(d);
        }
    }
    for (uint64_t i = 0; i < qn_arena->n_side_exits; i++) {
        const struct qn_side_exit *l = qn_arena_side_exit(i);
        const struct qn_block_rec *b = qn_arena_block(l->block);

        qn_arena_add_executed(qn_arena_descs(b) + l->insn, b->ninsns - l->insn, l->count, left);
    }
    for (unsigned k = 0; k < QN_COST_EVENTS; k++)
        sum[k] -= left[k];
}
