/* lib/run/observe/data/uses.c - --data=use: how much of each line that came into the D1 was used until it left?
 *
 *   a reference at site 4711 to byte 8 of an element of object 3 misses   its line gets the row { 4711, 3, 8 }, and the lines
 *                                                                         that begin 0 bytes behind the beginning of such an element
 *   ... byte 8 to 15 of each element are used ...
 *   the line leaves                                                       row: a line, 8 bytes used; lines: bytes 8 to 15 once
 *
 * Both are of the object in which the byte lies for which the line came, at that time.  Lines that are in the D1 at the end of the process
 * leave then; those of one that is killed, or executes another program, are not told.  By line of source these are the events D1.filled and
 * D1.used, in bytes.
 */
#include "base/ready.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "sim/contract.h"
#include "sim/module.h"

#define INDEX_FIRST 1024u
#define NO_ROW (1ull << 63) /* of a word: there was no room for a row; below: the site.  Else: row | (lines + 1) << LINES_SHIFT */
#define LINES_SHIFT 32

static uint32_t *index_of_lines, index_size; /* lines + 1 by hash, 0 = free */
static uint64_t ready_uses, ready_lines;
static unsigned filled, used;        /* events */
static struct {
    uint64_t address;
    uint32_t site, row, object;
    bool valid;
} last;                              /* what came */

static uint32_t line_bytes(void) { return qn_cfg()->D1.line; }

static struct qn_data_use *use_at(uint32_t row)
{
    return (struct qn_data_use *)(QN_ARENA_ALIAS_BASE + QN_ARENA_USES_OFF) + row;
}

static struct qn_used_lines *lines_at(uint64_t number)
{
    return (struct qn_used_lines *)(QN_ARENA_ALIAS_BASE + QN_ARENA_USED_LINES_OFF + number * qn_used_lines_bytes(line_bytes()));
}

/* ---- used lines ---- */

static bool is_same(const struct qn_used_lines *a, const struct qn_used_lines *b)
{
    return a->at == b->at && a->object == b->object && a->element == b->element && a->first == b->first && a->end == b->end;
}

static uint32_t free_or_same(const struct qn_used_lines *p)
{
    uint64_t h = ((uint64_t)p->at ^ (uint64_t)p->object << 32 ^ (uint64_t)p->end << 20) * 0x9e3779b97f4a7c15ull;
    uint32_t at = (uint32_t)(h >> 32) & (index_size - 1);

    while (index_of_lines[at] && !is_same(lines_at(index_of_lines[at] - 1), p))
        at = (at + 1) & (index_size - 1);
    return at;
}

static void enlarge_index(void)
{
    index_size = index_size ? 2 * index_size : INDEX_FIRST;
    index_of_lines = qn_engine_alloc(index_size * sizeof *index_of_lines);
    for (uint32_t i = 0; i < qn_arena->n_used_lines; i++)
        index_of_lines[free_or_same(lines_at(i))] = i + 1;
}

/* + 1; 0: there is no room. */
static uint32_t number_of(const struct qn_used_lines *p)
{
    uint64_t n = qn_arena->n_used_lines;
    uint32_t at;

    if (n >= index_size / 2)
        enlarge_index();
    at = free_or_same(p);
    if (!index_of_lines[at] && (n + 1) * qn_used_lines_bytes(line_bytes()) <= QN_ARENA_USED_LINES_SIZE) {
        qn_ready_until(&ready_lines, lines_at(n + 1));
        *lines_at(n) = *p;
        qn_arena->n_used_lines = n + 1;
        index_of_lines[at] = (uint32_t)n + 1;
    }
    return index_of_lines[at];
}

/* Where the line of this byte lies in what the byte is of, + 1; 0: offsets in that do not tell. */
static uint32_t find_lines(uint64_t address, const struct qn_data_place *in)
{
    const uint64_t line = address & ~(uint64_t)(line_bytes() - 1);
    const int64_t at = (int64_t)(line - in->start), left = (int64_t)in->size - at;
    uint32_t element = in->start ? qn_data_element(in) : 0, number;

    if (!in->start || (!element && in->size > QN_OFFSET_EXACT))
        return 0;
    number = number_of(&(struct qn_used_lines){.at = at > 0 && element ? at % element : at, .object = in->object, .element = element,
                                               .first = at < 0 ? (uint16_t)-at : 0,
                                               .end = (uint16_t)(left < line_bytes() ? left : line_bytes())});
    qn_arena->used_lost += !number;
    return number;
}

/* ---- told ---- */

static QN_NCSR uint64_t came(uint64_t address, uint32_t site)
{
    struct qn_data_place place;
    uint32_t row;

    if (!qn_rows_recall(address, site, &place, &row))
        row = qn_data_find_row(address, site, &place);
    last.address = address;
    last.site = site;
    last.row = row;
    last.object = place.object;
    last.valid = true;
    if (row == QN_NO_OBJECT)
        return NO_ROW | site;
    qn_ready_until(&ready_uses, use_at(row + 1));
    return row | (uint64_t)find_lines(address, &place) << LINES_SHIFT;
}

bool qn_uses_has_found(uint64_t address, uint32_t site, uint32_t *row, uint32_t *object)
{
    bool valid = last.valid && last.address == address && last.site == site;

    last.valid = false;
    *row = last.row;
    *object = last.object;
    return valid;
}

static unsigned count_used(const uint8_t *bytes)
{
    unsigned n = 0;

    for (uint32_t i = 0; i < line_bytes(); i += sizeof(uint64_t)) {
        uint64_t word;

        __builtin_memcpy(&word, bytes + i, sizeof word);
        n += (unsigned)((word & 0x0101010101010101ull) * 0x0101010101010101ull >> 56);
    }
    return n;
}

static QN_NCSR void left(uint64_t word, const uint8_t *bytes)
{
    const uint32_t row = (uint32_t)word, number = word & NO_ROW ? 0 : (uint32_t)(word >> LINES_SHIFT);
    const uint32_t site = word & NO_ROW ? row : qn_data_row(row)->site;
    const unsigned n = count_used(bytes);
    struct qn_used_lines *p = number ? lines_at(number - 1) : NULL;

    qn_sim_charge_to(site, filled, line_bytes());
    qn_sim_charge_to(site, used, n);
    if (word & NO_ROW)
        return;
    use_at(row)->lines++;
    use_at(row)->bytes += n;
    if (!p)
        return;
    p->lines++;
    for (uint32_t i = p->first; i < p->end; i++)
        ((uint64_t *)(p + 1))[i] += bytes[i] & 1;
}

void qn_uses_finish(void) { qn_sim_end_uses(); }

void qn_uses_init(void)
{
    static const struct qn_use_hooks hooks = {came, left};

    filled = sim_event("D1", "filled", "bytes of lines that came into the D1, and left");
    used = sim_event("D1", "used", "bytes of these that were used in between");
    enlarge_index();
    if (!qn_sim_tell_uses(&hooks))
        qn_die_fatal(QN_FATAL_LOAD, 0, "--data=use: needs the D1 that quern has by default");
}
