/* lib/sim/cells.c - tables of modules: the cells in which they count, and the rows of text that print sums of cells (cost/side_tables/cells.c).
 *
 * In a run they lie in the counts arena, so they are printed even if the program is killed; in a replay they lie in memory. */
#include "sim/service.h"

#include "base/format.h"
#include "base/ready.h"
#include "sim/module.h"

#define TEXT_BYTES 512 /* of a line */

_Static_assert((int)SIM_SUM_MISSES == QN_SUM_MISSES && (int)SIM_SUM_STORES == QN_SUM_STORES && (int)SIM_SUM_LOADS_LL == QN_SUM_LOADS_LL, "module.h and arena.h");
_Static_assert(SIM_LIST_MAX == QN_TABLE_LIST_MAX, "module.h and arena.h");

static uint8_t *row_tables;
static struct qn_table_head nowhere, *head = &nowhere; /* nowhere: used until qn_sim_rows_init */
static uint32_t open_table;        /* number of the row that heads the table, + 1; 0: there is none */
static unsigned columns;      /* of it */

struct sim_undo sim_undo[SIM_UNDO_MAX], sim_reference;
uint64_t sim_undo_count;

void qn_sim_rows_init(uint8_t *where, struct qn_table_head *head_there)
{
    row_tables = where;
    head = head_there;
    open_table = 0;
}

static void *take(uint64_t used, uint64_t n, uint64_t bytes, uint64_t offset, uint64_t size)
{
    if (!row_tables || n > size / bytes || used + n > size / bytes)
        sim_fail("?", "?", "sim_row, sim_cells", 0, "more cells or lines than there is room for");
    return row_tables + offset + used * bytes;
}

uint64_t *sim_cells(uint64_t n)
{
    uint64_t *cells = take(head->cells, n, sizeof *cells, QN_TABLE_CELLS_OFF, QN_TABLE_CELLS_SIZE);

    qn_ready(cells, n * sizeof *cells);
    head->cells += n;
    return cells;
}

uint64_t qn_sim_cell_number(const uint64_t *cell) { return (uint64_t)(cell - (uint64_t *)(void *)(row_tables + QN_TABLE_CELLS_OFF)); }

static uint64_t add_text(const char *format, va_list args)
{
    char *text = take(head->text, TEXT_BYTES, 1, QN_TABLE_TEXT_OFF, QN_TABLE_TEXT_SIZE);
    uint64_t at = head->text;

    head->text += qn_format_v(text, TEXT_BYTES, format, args) + 1;
    return at;
}

static const char *text_at(uint64_t at) { return (const char *)row_tables + QN_TABLE_TEXT_OFF + at; }

static unsigned count_char(const char *text, char c)
{
    unsigned n = 0;

    for (; *text; text++)
        n += *text == c;
    return n;
}

/* The table that the row belongs to. */
static uint32_t table_of(const char *text)
{
    unsigned cells = open_table ? count_char(text, '{') : 0;

    if (cells && (cells != columns || count_char(text, '}') != cells))
        sim_fail("?", "?", "sim_row", 0, "has another number of cells than its table has columns");
    return cells ? open_table : 0;
}

static void add_row(const struct sim_term *terms, unsigned n, unsigned list, uint64_t text, uint32_t of)
{
    struct qn_term *to = take(head->terms, n, sizeof *to, QN_TABLE_TERMS_OFF, QN_TABLE_TERMS_SIZE);
    struct qn_table_row *row = take(head->rows, 1, sizeof *row, QN_TABLE_ROWS_OFF, QN_TABLE_ROWS_SIZE);

    *row = (struct qn_table_row){(uint32_t)text, (uint32_t)head->terms, n, of, list};
    for (unsigned i = 0; i < n; i++)
        to[i] = (struct qn_term){.first = terms[i].cells ? qn_sim_cell_number(terms[i].cells) : 0,
                                 .count = terms[i].n, .times = terms[i].times, .of = terms[i].of, .plus = terms[i].plus,
                                 .needed = terms[i].needed, .hidden = terms[i].hidden, .shift = terms[i].shift};
    head->terms += n;
    head->rows++;
}

void sim_row(const struct sim_term *terms, unsigned n, const char *format, ...)
{
    uint64_t text;
    va_list args;

    va_start(args, format);
    text = add_text(format, args);
    va_end(args);
    add_row(terms, n, 0, text, table_of(text_at(text)));
}

void sim_list(const uint64_t *pairs, unsigned n, const char *format, ...)
{
    uint64_t text;
    uint32_t of;
    va_list args;

    if (n > SIM_LIST_MAX)
        sim_fail("?", "?", "sim_list", 0, "a list of more lines than it may have");
    va_start(args, format);
    text = add_text(format, args);
    va_end(args);
    of = table_of(text_at(text));
    for (unsigned i = 0; i < n; i++)
        add_row((struct sim_term[]){{.cells = pairs + 2 * i, .n = 1, .times = 1}, {.cells = pairs + 2 * i + 1, .n = 1, .times = 1, .needed = true}},
                2, n - i, text, of);
}

bool qn_sim_good_name(const char *s)
{
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '-' || *s == '_'))
            return false;
    return true;
}

static uint64_t add_line(const char *format, ...)
{
    uint64_t text;
    va_list args;

    va_start(args, format);
    text = add_text(format, args);
    va_end(args);
    return text;
}

/* Those of the files that a run writes beside its profile anyway. */
static const char *const taken[] = {"totals", "stats", "findings", "culprits", "takers", "sharing"};

static bool same(const char *a, const char *b)
{
    for (; *a && *a == *b; a++)
        b++;
    return (!*a || *a == ' ') && (!*b || *b == ' ');
}

static bool is_taken(const char *name)
{
    bool found = false;

    for (unsigned i = 0; i < QN_ARRAY_LEN(taken); i++)
        found |= same(name, taken[i]);
    for (uint64_t i = 0; i < head->rows; i++) {
        const struct qn_table_row *row = (const struct qn_table_row *)(void *)(row_tables + QN_TABLE_ROWS_OFF) + i;

        found |= row->table == QN_TABLE_HEAD && same(name, text_at(row->text));
    }
    return found;
}

/* That of a shadow model has no name, and no file. */
void sim_table(const char *slot, const char *name, const char *names)
{
    bool analysis = slot[0] == 'A', shadow = qn_sim_events_hidden || qn_sim_events_of_shadow;
    uint64_t text;

    if (!*name || !qn_sim_good_name(name))
        sim_fail("?", "?", "sim_table", 0, "a name needs letters, digits, - and _");
    text = add_line("%s%s%s %s", analysis ? "" : slot, analysis ? "" : ".", shadow ? "" : name, names);
    if (!shadow && is_taken(text_at(text)))
        sim_fail("?", "?", "sim_table", 0, "there is a table of this name");
    add_row(NULL, 0, 0, text, QN_TABLE_HEAD);
    open_table = (uint32_t)head->rows;
    columns = 1 + count_char(names, ' ');
}

void sim_total(const char *slot, const char *name, uint64_t count, const char *text)
{
    add_row(NULL, 0, 0, add_line("{%s.%s} {%lu}  {%s}", slot, name, count, text), QN_TABLE_TOTALS);
}

void sim_sets_by_time(const char *cache, const uint64_t *misses, uint64_t sets)
{
    struct qn_set_cells *to = &head->set_cells[head->set_caches];

    if (head->set_caches == QN_SET_CACHES_MAX)
        sim_fail("?", "?", "sim_sets_by_time", 0, "more caches than there is room for");
    *to = (struct qn_set_cells){.first = qn_sim_cell_number(misses), .sets = sets};
    qn_format(to->name, sizeof to->name, "%s", cache);
    head->set_caches++;
}
