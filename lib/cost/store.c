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

#include "cost/calls/call_records.h"
#include "cost/data/objects.h"
#include "cost/events.h"
#include "text/output.h"

static uint64_t at_most(uint64_t n, uint64_t bytes, size_t size)
{
    return n < bytes / size ? n : bytes / size;
}

static size_t charge_bytes(const struct qn_cost_store *s)
{
    uint32_t events = ((const volatile struct qn_arena_header *)qn_cost_header(s))->sim_output.events;

    return (1 + (events < QN_SIM_EVENTS_MAX ? events : QN_SIM_EVENTS_MAX)) * sizeof(uint64_t);
}

size_t qn_cost_set_row_bytes(const struct qn_cost_store *s)
{
    const volatile struct qn_table_head *t = &qn_cost_header(s)->sim_output.tables;
    uint64_t groups = 0;

    for (uint32_t i = 0; i < t->set_caches && i < QN_SET_CACHES_MAX; i++)
        groups += qn_set_groups(at_most(t->set_cells[i].sets, QN_TABLE_CELLS_SIZE, sizeof(uint64_t)));
    return groups * sizeof(uint64_t);
}

/* ---- the tables of the arena: each is a row here ---- */

#define COUNT(field) offsetof(struct qn_arena_header, field)
#define ROWS(field) offsetof(struct qn_cost_extent, field)
#define NEVER SIZE_MAX
#define AT_OF(area, name) area##_##name##_OFF, area##_##name##_SIZE
#define TABLE(name, count, rows, type, adds) { AT_OF(QN_ARENA, name), COUNT(count), ROWS(rows), sizeof(type), 0, adds }
#define TABLE_BY_RUN(name, count, rows, bytes, adds) { AT_OF(QN_ARENA, name), COUNT(count), ROWS(rows), 0, ROWS(bytes), adds }
#define TABLE_OF_MODULES(name, count, rows, type) \
    { QN_ARENA_TABLES_OFF + AT_OF(QN_TABLE, name), COUNT(sim_output.tables.count), ROWS(rows), sizeof(type), 0, NEVER }

static const struct table {
    uint64_t at, room;  /* bytes: where it begins in the arena, how long it may get */
    size_t count, rows; /* offsets of the number of its rows: in the header, in the extent */
    size_t row, by_run; /* bytes of a row; 0: they depend on the run, and stand at this offset in the extent */
    size_t adds;        /* columns from this byte of a row on are counts, which add up; NEVER: none, or results of the whole run */
} tables[] = {
    TABLE(STRINGS, n_strings, strings, char, NEVER),
    TABLE(MAPS, n_maps, maps, struct qn_map_rec, NEVER),
    TABLE(SIDE_EXITS, n_side_exits, side_exits, struct qn_side_exit, offsetof(struct qn_side_exit, count)),
    TABLE(BLOCKS, n_blocks, blocks, struct qn_block_rec, NEVER),
    TABLE(INSNS, n_insns, insns, qn_insn_desc, NEVER),
    TABLE(COUNTERS, n_counters, counters, uint64_t, 0),
    TABLE_BY_RUN(CHARGES, sim_output.charges, charges, charge_bytes, sizeof(uint64_t)),
    TABLE_BY_RUN(INTERVALS, n_intervals, intervals, interval_bytes, NEVER),
    TABLE(PROBES, n_probes, probes, struct qn_probe, NEVER),
    TABLE(FINDINGS, n_findings, findings, struct qn_finding, NEVER),
    TABLE_BY_RUN(VALUES, n_value_lists, value_lists, value_list_bytes, NEVER),
    TABLE(OBJECTS, n_objects, objects, struct qn_object, NEVER),
    TABLE(DATA, n_data, data, struct qn_data_row, offsetof(struct qn_data_row, misses)),
    TABLE(PAIRS, n_pairs, pairs, struct qn_data_pair, offsetof(struct qn_data_pair, misses)),
    TABLE(USES, n_data, uses, struct qn_data_use, 0),
    TABLE_BY_RUN(USED_LINES, n_used_lines, used_lines, used_lines_bytes, offsetof(struct qn_used_lines, lines)),
    TABLE(FRAMES, n_frames, frames, struct qn_frame_rec, NEVER),
    TABLE(FRAME_VARIABLES, n_frame_variables, frame_variables, struct qn_frame_variable, NEVER),
    TABLE_OF_MODULES(CELLS, cells, cells, uint64_t),
    TABLE_OF_MODULES(TERMS, terms, terms, struct qn_term),
    TABLE_OF_MODULES(ROWS, rows, rows, struct qn_table_row),
    TABLE_OF_MODULES(TEXT, text, text, char),
    TABLE_OF_MODULES(SHARED, shared, shared, struct qn_shared_row),
    { QN_ARENA_TABLES_OFF + AT_OF(QN_TABLE, SETS), COUNT(sim_output.tables.set_rows), ROWS(set_rows), 0, ROWS(set_row_bytes), NEVER },
};

#define EACH_TABLE(t) (const struct table *t = tables; t < tables + sizeof tables / sizeof tables[0]; t++)

static uint64_t field(const void *of, size_t offset) { return *(const volatile uint64_t *)((const uint8_t *)of + offset); }

static size_t row_bytes(const struct table *t, const struct qn_cost_extent *e) { return t->row ? t->row : field(e, t->by_run); }

static bool is_mapped(const struct qn_cost_store *s, uint64_t offset)
{
    unsigned section = 0;

    while (section + 1 < QN_SECTIONS && qn_section_begin(section + 1) <= offset)
        section++;
    return qn_cost_has(s, section);
}

struct qn_cost_extent qn_cost_get_extent(const struct qn_cost_store *s)
{
    const volatile struct qn_arena_header *h = qn_cost_header(s);
    struct qn_cost_extent e = { .charge_bytes = charge_bytes(s) };

    e.interval_bytes = e.charge_bytes + (QN_COST_EVENTS - 1) * sizeof(uint64_t);
    e.used_lines_bytes = qn_used_lines_bytes(h->config.D1.line);
    e.value_list_bytes = qn_value_list_bytes(at_most(h->value_entries, QN_VALUE_ENTRIES_MAX, 1));
    e.set_row_bytes = qn_cost_has(s, QN_SECTION_INTERVALS) ? qn_cost_set_row_bytes(s) : 0;
    for EACH_TABLE (t) {
        size_t bytes = row_bytes(t, &e);

        *(uint64_t *)((uint8_t *)&e + t->rows) = bytes && is_mapped(s, t->at) ? at_most(field(qn_cost_header(s), t->count), t->room, bytes) : 0;
    }
    if (h->config.data != QN_DATA_USE)
        e.uses = 0;
    e.notes = qn_cost_has(s, QN_SECTION_EXPLAIN) ? at_most(qn_cost_explain(s)->notes, QN_NOTES_MAX, 1) : 0;
    return e;
}

void qn_cost_subtract_tables(const struct qn_cost_store *s, const struct qn_cost_store *less)
{
    const struct qn_cost_extent e = qn_cost_get_extent(s), l = qn_cost_get_extent(less);

    for EACH_TABLE (t) {
        size_t bytes = row_bytes(t, &e), end = bytes == row_bytes(t, &l) ? bytes : 0;
        uint64_t rows = field(&e, t->rows) < field(&l, t->rows) ? field(&e, t->rows) : field(&l, t->rows);

        for (uint64_t i = 0; t->adds < end && i < rows; i++)
            for (uint64_t at = t->at + i * bytes + t->adds; at < t->at + (i + 1) * bytes; at += sizeof(uint64_t))
                *(uint64_t *)(s->base + at) -= *(const uint64_t *)(less->base + at);
    }
}

/* ---- making and closing ---- */

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

/* A section has its place, which nobody else takes: the kernel gives out addresses far above, and another arena tries the next. */
#define FIRST_BASE 0x200000000000ull
#define BETWEEN_BASES (1ull << 33)
#define BASES 4096u
_Static_assert(QN_ARENA_SIZE <= BETWEEN_BASES, "arenas do not overlap");

static bool map_section(const struct qn_cost_store *s, uint64_t base, unsigned section)
{
    uint64_t begin = qn_section_begin(section), bytes = qn_section_begin(section + 1) - begin;
    void *wanted = (void *)(uintptr_t)(base + begin), *got;

    got = mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, s->fd, (off_t)begin);
    if (got == wanted)
        return true;
    if (got != MAP_FAILED) { /* a kernel before 4.17 */
        munmap(got, bytes);
        errno = EEXIST;
    }
    return false;
}

int qn_cost_map_sections(struct qn_cost_store *s, unsigned sections)
{
    for (unsigned section = 0; section < QN_SECTIONS; section++) {
        if (!(sections & ~s->sections & 1u << section))
            continue;
        if (!map_section(s, (uintptr_t)s->base, section))
            return errno;
        s->sections |= 1u << section;
    }
    return 0;
}

/* 0, or errno. */
static int map_first(struct qn_cost_store *s)
{
    static unsigned next;

    s->sections = 0;
    errno = EEXIST;
    for (unsigned i = 0; i < BASES && errno == EEXIST; i++) {
        uint64_t base = FIRST_BASE + next++ % BASES * BETWEEN_BASES;

        if (!map_section(s, base, QN_SECTION_FIRST))
            continue;
        s->base = (uint8_t *)(uintptr_t)base;
        s->sections = 1u << QN_SECTION_FIRST;
        return qn_cost_map_sections(s, qn_sections_of(&(struct qn_config){.interval = 0}));
    }
    return errno;
}

bool qn_cost_map(struct qn_cost_store *s)
{
    s->base = NULL;
    return !map_first(s) && !qn_cost_map_sections(s, qn_sections_of(&qn_cost_header(s)->config));
}

static uint64_t now(void)
{
    struct timespec t = { 0 };

    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int qn_cost_create_first(struct qn_cost_store *s)
{
    int error;

    *s = (struct qn_cost_store){ .base = NULL };
    s->fd = qn_text_nameless_file("quern-arena");
    if (s->fd < 0)
        return errno;
    if ((error = set_size(s->fd)))
        return fail(s, error);
    if (fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) && errno != EINVAL && errno != EPERM) /* no file in memory */
        return fail(s, errno);
    if ((error = map_first(s)))
        return fail(s, error);
    qn_cost_header(s)->made = now();
    qn_cost_header(s)->magic = QN_ARENA_MAGIC;
    qn_cost_header(s)->version = QN_ARENA_VERSION;
    qn_cost_header(s)->n_strings = 1;
    return 0;
}

static int create(struct qn_cost_store *s, unsigned sections)
{
    int error = qn_cost_create_first(s);

    if (!error && (error = qn_cost_map_sections(s, sections)))
        return fail(s, error);
    return error;
}

int qn_cost_create(struct qn_cost_store *s) { return create(s, ~0u); }

void qn_cost_close(struct qn_cost_store *s)
{
    for (unsigned section = 0; section < QN_SECTIONS; section++)
        if (qn_cost_has(s, section))
            munmap(s->base + qn_section_begin(section), qn_section_begin(section + 1) - qn_section_begin(section));
    s->sections = 0;
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
    struct qn_cost_extent e;
    uint64_t from_explain, calls = QN_ARENA_CALLS_OFF;
    int error = create(to, from->sections);

    if (error)
        return error;
    e = qn_cost_get_extent(from);
    from_explain = h->config.explain ? QN_NOTES_OFF + e.notes * sizeof(struct qn_note) : 0;
    const struct {
        uint64_t offset, bytes;
    } others[] = {
        { QN_ARENA_HEADER_OFF, sizeof(struct qn_arena_header) },
        { QN_ARENA_EXPLAIN_OFF, from_explain },
        { calls + QN_CALL_RANGES_OFF, h->calls.ranges * sizeof(struct qn_call_range) },
        { calls + QN_CALL_MAPS_OFF, h->calls.maps * sizeof(struct qn_call_map) },
        { calls + QN_CALL_STACKS_OFF, h->calls.stacks * sizeof(struct qn_call_stack) },
        { calls + QN_CALL_FUNCTIONS_OFF, h->calls.functions * sizeof(struct qn_call_function) },
        { calls + QN_CALL_EDGES_OFF, h->calls.edges * qn_call_edge_bytes(h->calls.columns) },
        { calls + QN_CALL_FRAMES_OFF, h->calls.frames * qn_call_frame_bytes(h->calls.columns) },
        { calls + QN_CALL_NODES_OFF, h->calls.nodes * qn_call_node_bytes(h->calls.columns) },
    };

    for (size_t i = 0; i < sizeof others / sizeof others[0] && !error; i++)
        if (is_mapped(from, others[i].offset))
            error = others[i].offset + others[i].bytes > QN_ARENA_SIZE ? EINVAL : copy_range(to, from, others[i].offset, others[i].bytes);
    for EACH_TABLE (t)
        if (!error)
            error = copy_range(to, from, t->at, field(&e, t->rows) * row_bytes(t, &e));
    return error ? fail(to, error) : 0;
}

int qn_cost_create_like(struct qn_cost_store *to, const struct qn_cost_store *from)
{
    struct qn_cost_extent e;
    int error = create(to, from->sections);

    if (error)
        return error;
    e = qn_cost_get_extent(from);
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
    struct qn_cost_extent e = qn_cost_get_extent(s);
    size_t left, n = 0;

    left = at < e.strings ? e.strings - at : 0;
    while (n < left && n < size - 1) {
        char c = ((const volatile char *)s->base)[QN_ARENA_STRINGS_OFF + at + n];

        if (!c)
            break;
        text[n++] = c;
    }
    text[n] = 0;
}
