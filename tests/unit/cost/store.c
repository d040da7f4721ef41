/* The arena on the collector's side: sealed, copied by its used ranges, read with care. */
#define _GNU_SOURCE
#include "cost/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost/data/objects.h"
#include "cost/events.h"
#include "tap.h"

static void test_create(struct qn_cost_store *s)
{
    struct stat st;
    char text[64];
    uint32_t at;

    is_int(qn_cost_create(s), 0, "an arena is made");
    is_int(fstat(s->fd, &st) ? -1 : (int64_t)st.st_size, QN_ARENA_SIZE, "of full size");
    ok(ftruncate(s->fd, 4096) != 0, "that cannot shrink");
    ok(ftruncate(s->fd, QN_ARENA_SIZE + 4096) != 0, "nor grow");
    ok(fcntl(s->fd, F_GETFD) & FD_CLOEXEC, "its descriptor is not inherited");
    ok(qn_cost_header(s)->magic == QN_ARENA_MAGIC && qn_cost_header(s)->version == QN_ARENA_VERSION, "magic, version");
    at = qn_cost_put_string(s, "hello");
    is_int(at, 1, "string 0 is the empty one");
    qn_cost_get_string(s, at, text, sizeof text);
    is_str(text, "hello", "a string comes back");
    qn_cost_get_string(s, at, text, 3);
    is_str(text, "he", "cut to the room there is");
    qn_cost_get_string(s, 0xfffffff0, text, sizeof text);
    is_str(text, "", "an index out of range is the empty string");
    memset(s->base + QN_ARENA_STRINGS_OFF + 10, 'x', 20);
    qn_cost_header(s)->n_strings = 20;
    qn_cost_get_string(s, 10, text, sizeof text);
    is_str(text, "xxxxxxxxxx", "a string without end stops at the end of all strings");
}

static void test_copy(struct qn_cost_store *s)
{
    struct qn_cost_store copy;
    struct stat st;
    uint64_t *counters = (uint64_t *)(s->base + QN_ARENA_COUNTERS_OFF);

    counters[0] = 7;
    counters[99] = 8;
    counters[100] = 9;
    qn_cost_header(s)->n_counters = 100;
    qn_cost_header(s)->config.seed = 5;
    is_int(qn_cost_copy(&copy, s), 0, "a copy is made");
    counters = (uint64_t *)(copy.base + QN_ARENA_COUNTERS_OFF);
    ok(counters[0] == 7 && counters[99] == 8, "with what is in use");
    is_int(counters[100], 0, "and no more");
    is_int(qn_cost_header(&copy)->config.seed, 5, "with the header");
    ok(fstat(copy.fd, &st) == 0 && st.st_blocks * 512 < 1 << 20, "it takes no more memory than it must");
    qn_cost_close(&copy);
    is_int(qn_cost_create_like(&copy, s), 0, "a fresh one for an exec is made");
    is_int(qn_cost_header(&copy)->config.seed, 5, "with the same config");
    is_int(qn_cost_header(&copy)->n_counters, 0, "and nothing counted");
    qn_cost_close(&copy);
    is_int(copy.fd, -1, "closed");
}

/* The sections that options ask for are not mapped before: whatever the header says lies there. */
static void test_sections(void)
{
    struct qn_cost_store s, copy;
    struct qn_cost_extent e;
    struct qn_arena_header *h;

    is_int(qn_cost_create_first(&s), 0, "an arena is made of what each run needs");
    ok(qn_cost_has(&s, QN_SECTION_TABLES) && !qn_cost_has(&s, QN_SECTION_CALLS) && !qn_cost_has(&s, QN_SECTION_DATA), "and no more");
    h = qn_cost_header(&s);
    h->n_objects = h->n_data = h->n_pairs = h->n_used_lines = h->n_intervals = h->calls.edges = 5;
    h->calls.columns = QN_COST_EVENTS;
    e = qn_cost_get_extent(&s);
    ok(!e.objects && !e.data && !e.pairs && !e.used_lines && !e.intervals && !e.notes, "nothing lies in the others");
    is_int(qn_cost_copy(&copy, &s), 0, "it is copied");
    ok(!qn_cost_has(&copy, QN_SECTION_CALLS), "as it is");
    qn_cost_close(&copy);
    h->config.calls = QN_CALLS_YES;
    is_int(qn_cost_map_sections(&s, qn_sections_of(&h->config)), 0, "an option asks for another");
    ok(qn_cost_has(&s, QN_SECTION_CALLS) && !qn_cost_has(&s, QN_SECTION_DATA), "which is mapped then");
    s.base[QN_ARENA_CALLS_OFF + QN_ARENA_CALLS_SIZE - 1] = 1;
    qn_cost_close(&s);
}

static bool fits(const struct qn_cost_extent *e)
{
    return e->charges == QN_ARENA_CHARGES_SIZE / e->charge_bytes && e->intervals == QN_ARENA_INTERVALS_SIZE / e->interval_bytes
           && e->used_lines == QN_ARENA_USED_LINES_SIZE / e->used_lines_bytes && e->set_rows == QN_TABLE_SETS_SIZE / e->set_row_bytes
           && e->value_lists == QN_ARENA_VALUES_SIZE / e->value_list_bytes;
}

/* The engine may change the header at any time: the number of rows and their size are given together. */
static void test_rows(void)
{
    struct qn_cost_store s;
    struct qn_cost_extent e, later;
    struct qn_arena_header *h;

    is_int(qn_cost_create(&s), 0, "an arena");
    h = qn_cost_header(&s);
    h->sim_output.charges = h->n_used_lines = h->n_intervals = h->sim_output.tables.set_rows = h->n_value_lists = UINT64_MAX;
    h->config.D1.line = 16;
    h->sim_output.tables.set_caches = 1;
    h->sim_output.tables.set_cells[0].sets = 1;
    e = qn_cost_get_extent(&s);
    h->sim_output.events = QN_SIM_EVENTS_MAX + 1;
    h->config.D1.line = 1u << 20;
    h->sim_output.tables.set_cells[0].sets = 8;
    h->value_entries = UINT64_MAX;
    later = qn_cost_get_extent(&s);
    ok(fits(&e) && fits(&later), "as many rows as there is room for, of the size that is given with them");
    ok(e.charge_bytes == sizeof(uint64_t) && later.charge_bytes == (1 + QN_SIM_EVENTS_MAX) * sizeof(uint64_t) && e.set_row_bytes < later.set_row_bytes
           && e.value_list_bytes == qn_value_list_bytes(0) && later.value_list_bytes == qn_value_list_bytes(QN_VALUE_ENTRIES_MAX)
           && e.used_lines_bytes == qn_used_lines_bytes(16) && later.used_lines_bytes == qn_used_lines_bytes(1u << 20),
       "which is what the header said");
    qn_cost_close(&s);
}

int main(void)
{
    struct qn_cost_store s;
    struct qn_cost_extent e;

    test_create(&s);
    test_copy(&s);
    test_sections();
    memset(&qn_cost_header(&s)->n_strings, 0xff, 6 * sizeof(uint64_t));
    e = qn_cost_get_extent(&s);
    ok(e.strings == QN_ARENA_STRINGS_SIZE && e.maps == QN_ARENA_MAPS_SIZE / sizeof(struct qn_map_rec)
           && e.side_exits == QN_ARENA_SIDE_EXITS_SIZE / sizeof(struct qn_side_exit)
           && e.blocks == QN_ARENA_BLOCKS_SIZE / sizeof(struct qn_block_rec)
           && e.insns == QN_ARENA_INSNS_SIZE / sizeof(qn_insn_desc) && e.counters == QN_ARENA_COUNTERS_SIZE / 8,
       "sizes that cannot be are cut to what fits");
    is_int(qn_cost_put_string(&s, "no room"), 0, "no string is written behind the end");
    qn_cost_close(&s);
    test_rows();
    return done_testing();
}
