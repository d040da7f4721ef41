/* lib/cost/store.c - makes, copies and closes arenas.  See store.h. */
#define _GNU_SOURCE
#include "cost/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cost/call_records.h"
#include "cost/events.h"
#include "cost/objects.h"

static uint64_t at_most(uint64_t n, uint64_t bytes, size_t size)
{
    return n < bytes / size ? n : bytes / size;
}

size_t qn_cost_charge_bytes(const struct qn_cost_store *s)
{
    uint32_t events = ((const volatile struct qn_arena_header *)qn_cost_header(s))->sim_output.events;

    return (1 + (events < QN_SIM_EVENTS_MAX ? events : QN_SIM_EVENTS_MAX)) * sizeof(uint64_t);
}

size_t qn_cost_interval_bytes(const struct qn_cost_store *s)
{
    return qn_cost_charge_bytes(s) + (QN_COST_EVENTS - 1) * sizeof(uint64_t);
}

size_t qn_cost_set_row_bytes(const struct qn_cost_store *s)
{
    const struct qn_table_head *t = &qn_cost_header(s)->sim_output.tables;
    uint64_t groups = 0;

    for (uint32_t i = 0; i < t->set_caches && i < QN_SET_CACHES_MAX; i++)
        groups += qn_set_groups(at_most(t->set_cells[i].sets, QN_TABLE_CELLS_SIZE, sizeof(uint64_t)));
    return groups * sizeof(uint64_t);
}

uint64_t qn_cost_set_rows(const struct qn_cost_store *s)
{
    size_t bytes = qn_cost_set_row_bytes(s);

    return bytes ? at_most(qn_cost_header(s)->sim_output.tables.set_rows, QN_TABLE_SETS_SIZE, bytes) : 0;
}

void qn_cost_get_extent(const struct qn_cost_store *s, struct qn_cost_extent *e)
{
    const volatile struct qn_arena_header *h = qn_cost_header(s);

    e->strings = at_most(h->n_strings, QN_ARENA_STRINGS_SIZE, 1);
    e->maps = at_most(h->n_maps, QN_ARENA_MAPS_SIZE, sizeof(struct qn_map_rec));
    e->leaves = at_most(h->n_leaves, QN_ARENA_LEAVES_SIZE, sizeof(struct qn_leave_rec));
    e->blocks = at_most(h->n_blocks, QN_ARENA_BLOCKS_SIZE, sizeof(struct qn_block_rec));
    e->insns = at_most(h->n_insns, QN_ARENA_INSNS_SIZE, sizeof(qn_insn_desc));
    e->counters = at_most(h->n_counters, QN_ARENA_COUNTERS_SIZE, sizeof(uint64_t));
    e->charges = at_most(h->sim_output.charges, QN_ARENA_CHARGES_SIZE, qn_cost_charge_bytes(s));
    e->points = at_most(h->n_points, QN_ARENA_POINTS_SIZE, sizeof(struct qn_point));
    e->notes = qn_cost_explain(s)->notes < QN_NOTES_MAX ? qn_cost_explain(s)->notes : QN_NOTES_MAX;
    e->findings = at_most(h->n_findings, QN_ARENA_FINDINGS_SIZE, sizeof(struct qn_finding));
    e->objects = at_most(h->n_objects, QN_ARENA_OBJECTS_SIZE, sizeof(struct qn_object));
    e->data = at_most(h->n_data, QN_ARENA_DATA_SIZE, sizeof(struct qn_data_row));
    e->pairs = at_most(h->n_pairs, QN_ARENA_PAIRS_SIZE, sizeof(struct qn_data_pair));
    e->used_places = at_most(h->n_used_places, QN_ARENA_USED_PLACES_SIZE, qn_used_place_bytes(h->config.D1.line));
    e->shared = at_most(h->sim_output.tables.shared, QN_TABLE_SHARED_SIZE, sizeof(struct qn_shared_row));
    e->intervals = at_most(h->n_intervals, QN_ARENA_INTERVALS_SIZE, qn_cost_interval_bytes(s));
}

/* `ulimit -f` also limits memfds; the arena is no file of the user's. */
static int set_size(int fd)
{
    struct rlimit old, wide;
    int status;

    if (ftruncate(fd, QN_ARENA_SIZE) == 0)
        return 0;
    if (errno != EFBIG || getrlimit(RLIMIT_FSIZE, &old))
        return errno;
    wide = old;
    wide.rlim_cur = old.rlim_max;
    setrlimit(RLIMIT_FSIZE, &wide);
    status = ftruncate(fd, QN_ARENA_SIZE) ? errno : 0;
    setrlimit(RLIMIT_FSIZE, &old);
    return status;
}

static int fail(struct qn_cost_store *s, int error)
{
    qn_cost_close(s);
    return error;
}

bool qn_cost_map(struct qn_cost_store *s)
{
    void *base = mmap(NULL, QN_ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);

    s->base = base == MAP_FAILED ? NULL : base;
    return s->base != NULL;
}

static uint64_t now(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int qn_cost_create(struct qn_cost_store *s)
{
    int error;

    s->base = NULL;
    s->fd = memfd_create("quern-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->fd < 0)
        return errno;
    if ((error = set_size(s->fd)))
        return fail(s, error);
    if (fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
        return fail(s, errno);
    if (!qn_cost_map(s))
        return fail(s, errno);
    qn_cost_header(s)->made = now();
    qn_cost_header(s)->magic = QN_ARENA_MAGIC;
    qn_cost_header(s)->version = QN_ARENA_VERSION;
    qn_cost_header(s)->n_strings = 1;
    return 0;
}

void qn_cost_close(struct qn_cost_store *s)
{
    if (s->base)
        munmap(s->base, QN_ARENA_SIZE);
    if (s->fd >= 0)
        close(s->fd);
    s->base = NULL;
    s->fd = -1;
}

/* Through the descriptor, not the mapping: no page faults, and a full /dev/shm is an error. */
static int copy_range(struct qn_cost_store *to, const struct qn_cost_store *from, uint64_t offset, uint64_t bytes)
{
    while (bytes) {
        ssize_t n = pwrite(to->fd, from->base + offset, bytes, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : ENOSPC;
        offset += (uint64_t)n;
        bytes -= (uint64_t)n;
    }
    return 0;
}

int qn_cost_copy(struct qn_cost_store *to, const struct qn_cost_store *from)
{
    const struct qn_arena_header *h = qn_cost_header(from);
    const struct qn_table_head *t = &h->sim_output.tables;
    struct qn_cost_extent e;
    uint64_t from_explain, calls = QN_ARENA_CALLS_OFF, tables = QN_ARENA_TABLES_OFF;
    int error = qn_cost_create(to);

    if (error)
        return error;
    qn_cost_get_extent(from, &e);
    from_explain = h->config.explain ? QN_NOTES_OFF + e.notes * sizeof(struct qn_note) : 0;
    const struct {
        uint64_t offset, bytes;
    } parts[] = {
        { QN_ARENA_HEADER_OFF, sizeof(struct qn_arena_header) },
        { QN_ARENA_STRINGS_OFF, e.strings },
        { QN_ARENA_MAPS_OFF, e.maps * sizeof(struct qn_map_rec) },
        { QN_ARENA_LEAVES_OFF, e.leaves * sizeof(struct qn_leave_rec) },
        { QN_ARENA_BLOCKS_OFF, e.blocks * sizeof(struct qn_block_rec) },
        { QN_ARENA_INSNS_OFF, e.insns * sizeof(qn_insn_desc) },
        { QN_ARENA_COUNTERS_OFF, e.counters * sizeof(uint64_t) },
        { QN_ARENA_CHARGES_OFF, e.charges * qn_cost_charge_bytes(from) },
        { QN_ARENA_INTERVALS_OFF, e.intervals * qn_cost_interval_bytes(from) },
        { QN_ARENA_POINTS_OFF, e.points * sizeof(struct qn_point) },
        { QN_ARENA_EXPLAIN_OFF, from_explain },
        { QN_ARENA_FINDINGS_OFF, e.findings * sizeof(struct qn_finding) },
        { tables + QN_TABLE_CELLS_OFF, at_most(t->cells, QN_TABLE_CELLS_SIZE, sizeof(uint64_t)) * sizeof(uint64_t) },
        { tables + QN_TABLE_TERMS_OFF, at_most(t->terms, QN_TABLE_TERMS_SIZE, sizeof(struct qn_term)) * sizeof(struct qn_term) },
        { tables + QN_TABLE_ROWS_OFF, at_most(t->rows, QN_TABLE_ROWS_SIZE, sizeof(struct qn_table_row)) * sizeof(struct qn_table_row) },
        { tables + QN_TABLE_TEXT_OFF, at_most(t->text, QN_TABLE_TEXT_SIZE, 1) },
        { tables + QN_TABLE_SHARED_OFF, e.shared * sizeof(struct qn_shared_row) },
        { tables + QN_TABLE_SETS_OFF, qn_cost_set_rows(from) * qn_cost_set_row_bytes(from) },
        { QN_ARENA_OBJECTS_OFF, e.objects * sizeof(struct qn_object) },
        { QN_ARENA_DATA_OFF, e.data * sizeof(struct qn_data_row) },
        { QN_ARENA_PAIRS_OFF, e.pairs * sizeof(struct qn_data_pair) },
        { QN_ARENA_USES_OFF, h->config.data == QN_DATA_USE ? e.data * sizeof(struct qn_data_use) : 0 },
        { QN_ARENA_USED_PLACES_OFF, e.used_places * qn_used_place_bytes(h->config.D1.line) },
        { QN_ARENA_FRAMES_OFF, at_most(h->n_frames, QN_ARENA_FRAMES_SIZE, sizeof(struct qn_frame_rec)) * sizeof(struct qn_frame_rec) },
        { QN_ARENA_FRAME_VARIABLES_OFF,
          at_most(h->n_frame_variables, QN_ARENA_FRAME_VARIABLES_SIZE, sizeof(struct qn_frame_variable)) * sizeof(struct qn_frame_variable) },
        { calls + QN_CALL_RANGES_OFF, h->calls.ranges * sizeof(struct qn_call_range) },
        { calls + QN_CALL_MAPS_OFF, h->calls.maps * sizeof(struct qn_call_map) },
        { calls + QN_CALL_STACKS_OFF, h->calls.stacks * sizeof(struct qn_call_stack) },
        { calls + QN_CALL_FUNCTIONS_OFF, h->calls.functions * sizeof(struct qn_call_function) },
        { calls + QN_CALL_EDGES_OFF, h->calls.edges * qn_call_edge_bytes(h->calls.columns) },
        { calls + QN_CALL_FRAMES_OFF, h->calls.frames * qn_call_frame_bytes(h->calls.columns) },
        { calls + QN_CALL_NODES_OFF, h->calls.nodes * qn_call_node_bytes(h->calls.columns) },
    };

    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !error; i++)
        error = parts[i].offset + parts[i].bytes > QN_ARENA_SIZE ? EINVAL : copy_range(to, from, parts[i].offset, parts[i].bytes);
    return error ? fail(to, error) : 0;
}

int qn_cost_create_like(struct qn_cost_store *to, const struct qn_cost_store *from)
{
    struct qn_cost_extent e;
    int error = qn_cost_create(to);

    if (error)
        return error;
    qn_cost_get_extent(from, &e);
    error = copy_range(to, from, QN_ARENA_STRINGS_OFF, e.strings);
    if (error)
        return fail(to, error);
    qn_cost_header(to)->config = qn_cost_header(from)->config;
    qn_cost_header(to)->n_strings = e.strings ? e.strings : 1;
    return 0;
}

uint32_t qn_cost_put_string(struct qn_cost_store *s, const char *text)
{
    struct qn_arena_header *h = qn_cost_header(s);
    uint64_t at = h->n_strings, size = strlen(text) + 1;

    if (size > QN_ARENA_STRINGS_SIZE || at > QN_ARENA_STRINGS_SIZE - size)
        return 0;
    memcpy(s->base + QN_ARENA_STRINGS_OFF + at, text, size);
    h->n_strings = at + size;
    return (uint32_t)at;
}

void qn_cost_get_string(const struct qn_cost_store *s, uint32_t at, char *text, size_t size)
{
    struct qn_cost_extent e;
    size_t left, n = 0;

    qn_cost_get_extent(s, &e);
    left = at < e.strings ? e.strings - at : 0;
    while (n < left && n < size - 1) {
        char c = ((const volatile char *)s->base)[QN_ARENA_STRINGS_OFF + at + n];

        if (!c)
            break;
        text[n++] = c;
    }
    text[n] = 0;
}
