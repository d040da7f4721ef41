/* lib/cost/part.c - subtracts an earlier copy of an arena from it.  See part.h.
 *
 * Results of the whole run are not subtracted: those of --interval, --explain, --watch and analyses, and the amounts allocated.
 */
#include "cost/part.h"

#include "cost/calls/calls.h"
#include "cost/data/objects.h"

#define AT(store, type, offset) ((type *)((store)->base + (offset)))

static uint64_t lower(uint64_t a, uint64_t b) { return a < b ? a : b; }

int qn_cost_take_part(struct qn_cost_store *to, const struct qn_cost_store *from)
{
    int error = qn_cost_copy(to, from);

    if (!error)
        qn_cost_close_calls(to);
    return error;
}

static void subtract_words(uint64_t *words, const uint64_t *less, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        words[i] -= less[i];
}

/* Rows of charges begin with their site. */
static void subtract_charges(const struct qn_cost_store *store, const struct qn_cost_store *then, size_t bytes, uint64_t count)
{
    uint64_t words = bytes / sizeof(uint64_t);
    uint64_t *rows = AT(store, uint64_t, QN_ARENA_CHARGES_OFF);
    const uint64_t *less = AT(then, const uint64_t, QN_ARENA_CHARGES_OFF);

    for (uint64_t i = 0; i < count; i++)
        subtract_words(rows + i * words + 1, less + i * words + 1, words - 1);
}

static void subtract_pairs(const struct qn_cost_store *store, const struct qn_cost_store *then, uint64_t count)
{
    struct qn_data_pair *pairs = AT(store, struct qn_data_pair, QN_ARENA_PAIRS_OFF);
    const struct qn_data_pair *less = AT(then, const struct qn_data_pair, QN_ARENA_PAIRS_OFF);

    for (uint64_t i = 0; i < count; i++) {
        pairs[i].misses -= less[i].misses;
        pairs[i].conflicts -= less[i].conflicts;
    }
}

static void subtract_data(const struct qn_cost_store *store, const struct qn_cost_store *then, uint64_t count)
{
    struct qn_data_row *rows = AT(store, struct qn_data_row, QN_ARENA_DATA_OFF);
    const struct qn_data_row *less = AT(then, const struct qn_data_row, QN_ARENA_DATA_OFF);

    for (uint64_t i = 0; i < count; i++) {
        rows[i].misses -= less[i].misses;
        rows[i].ll_misses -= less[i].ll_misses;
        subtract_words(rows[i].classes, less[i].classes, QN_MISS_CLASSES);
    }
    subtract_words(qn_cost_header(store)->data_lost, qn_cost_header(then)->data_lost, 2);
    qn_cost_header(store)->evicted_lost -= qn_cost_header(then)->evicted_lost;
    qn_cost_header(store)->used_lost -= qn_cost_header(then)->used_lost;
}

static void subtract_uses(const struct qn_cost_store *store, const struct qn_cost_store *then, uint64_t rows, size_t place_bytes, uint64_t places)
{
    const size_t words = (place_bytes - sizeof(struct qn_used_lines)) / sizeof(uint64_t);

    if (qn_cost_header(store)->config.data != QN_DATA_USE)
        return;
    subtract_words(AT(store, uint64_t, QN_ARENA_USES_OFF), AT(then, const uint64_t, QN_ARENA_USES_OFF), rows * sizeof(struct qn_data_use) / sizeof(uint64_t));
    for (uint64_t i = 0, at = QN_ARENA_USED_LINES_OFF; i < places; i++, at += place_bytes) {
        AT(store, struct qn_used_lines, at)->lines -= AT(then, const struct qn_used_lines, at)->lines;
        subtract_words(AT(store, uint64_t, at + sizeof(struct qn_used_lines)), AT(then, const uint64_t, at + sizeof(struct qn_used_lines)), words);
    }
}

void qn_cost_begin_at(const struct qn_cost_store *store, const struct qn_cost_store *then)
{
    struct qn_side_exit *leaves = AT(store, struct qn_side_exit, QN_ARENA_SIDE_EXITS_OFF);
    const struct qn_side_exit *less = AT(then, const struct qn_side_exit, QN_ARENA_SIDE_EXITS_OFF);
    struct qn_cost_extent now, before;

    qn_cost_close_calls(store);
    qn_cost_subtract_calls(store, then);
    now = qn_cost_get_extent(store);
    before = qn_cost_get_extent(then);
    subtract_words(AT(store, uint64_t, QN_ARENA_COUNTERS_OFF), AT(then, const uint64_t, QN_ARENA_COUNTERS_OFF), lower(now.counters, before.counters));
    for (uint64_t i = 0; i < lower(now.side_exits, before.side_exits); i++)
        leaves[i].count -= less[i].count;
    if (now.charge_bytes == before.charge_bytes)
        subtract_charges(store, then, now.charge_bytes, lower(now.charges, before.charges));
    subtract_data(store, then, lower(now.data, before.data));
    subtract_pairs(store, then, lower(now.pairs, before.pairs));
    subtract_uses(store, then, lower(now.data, before.data), now.used_lines_bytes,
                  now.used_lines_bytes == before.used_lines_bytes ? lower(now.used_lines, before.used_lines) : 0);
}
