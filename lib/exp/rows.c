/* lib/exp/rows.c - see rows.h. */
#define _GNU_SOURCE
#include "exp/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "cost/events.h"
#include "prof/read.h"
#include "text/names.h"

static const char *const event_names[] = {
#define X(id, name) name,
    QN_EVENT_LIST(X)
#undef X
};

/* 100 or 1000 * (a + b + c) / (x + y + z) */
static const struct rate {
    const char *name;
    const char *part[3], *whole[3];
    double scale;
} rates[] = {
    { "I1_miss_percent", { "I1mr" }, { "Ir" }, 100 },
    { "D1_miss_percent", { "D1mr", "D1mw" }, { "Dr", "Dw" }, 100 },
    { "LL_miss_percent", { "ILmr", "DLmr", "DLmw" }, { "Ir", "Dr", "Dw" }, 100 },
    { "Bc_miss_percent", { "Bcm" }, { "Bc" }, 100 },
    { "Bi_miss_percent", { "Bim" }, { "Bi" }, 100 },
    { "I1_mpki", { "I1mr" }, { "Ir" }, 1000 },
    { "D1_mpki", { "D1mr", "D1mw" }, { "Ir" }, 1000 },
    { "LL_mpki", { "ILmr", "DLmr", "DLmw" }, { "Ir" }, 1000 },
    { "L2_miss_percent", { "I2mr", "D2mr", "D2mw" }, { "Ir", "Dr", "Dw" }, 100 }, /* this and the next only with an L2 */
    { "L2_mpki", { "I2mr", "D2mr", "D2mw" }, { "Ir" }, 1000 },
    { "Bc_mpki", { "Bcm" }, { "Ir" }, 1000 },
    { "Bi_mpki", { "Bim" }, { "Ir" }, 1000 },
};

/* Estimated time, if a machine has latencies: as lib/out/columns.c has it. */
static const char *const times[] = { "CPI", "AMAT" };

/* ---- columns ---- */

static int levels_of(const struct qn_exp *e) { return qn_exp_has_L2(e) ? QN_EXP_LEVELS : QN_EXP_L2; }
static bool is_of_L2(const struct rate *rate) { return !strncmp(rate->name, "L2_", 3); }

static void add_identity_columns(struct qn_text_table *t, const struct qn_exp *e)
{
    static const char *const first[] = { "quern", "program", "command", "input" };
    static const char *const last[] = { "options", "seed", "counting", "build_id" };

    for (size_t i = 0; i < QN_ARRAY_LEN(first); i++)
        qn_text_add_column(t, first[i]);
    for (int i = 0; i < e->axis_count; i++)
        if (qn_exp_is_parameter(&e->axes[i]))
            qn_text_add_column(t, e->axes[i].name.text);
    qn_text_add_column(t, "sim");
    for (int i = 0; i < levels_of(e); i++) {
        qn_text_add_column(t, qn_text_format(&t->memory, "%s_size", qn_exp_level_names[i]));
        qn_text_add_column(t, qn_text_format(&t->memory, "%s_ways", qn_exp_level_names[i]));
        qn_text_add_column(t, qn_text_format(&t->memory, "%s_line", qn_exp_level_names[i]));
    }
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        qn_text_add_column(t, qn_text_format(&t->memory, "%s_module", qn_exp_slot_names[i]));
    for (size_t i = 0; i < QN_ARRAY_LEN(last); i++)
        qn_text_add_column(t, last[i]);
    if (e->has_input)
        qn_text_add_column(t, "input_hash");
}

static void add_result_columns(struct qn_text_table *t, const struct qn_exp *e)
{
    static const char *const of_L2[] = QN_L2_EVENT_NAMES;

    qn_text_add_column(t, "status");
    for (size_t i = 0; i < QN_ARRAY_LEN(event_names); i++)
        qn_text_add_column(t, event_names[i]);
    for (size_t i = 0; i < QN_L2_EVENTS && qn_exp_has_L2(e); i++)
        qn_text_add_column(t, of_L2[i]);
    for (size_t i = 0; i < QN_ARRAY_LEN(rates); i++)
        if (!is_of_L2(&rates[i]) || qn_exp_has_L2(e))
            qn_text_add_column(t, rates[i].name);
    for (size_t i = 0; i < QN_ARRAY_LEN(times) && e->machine_has_time; i++)
        qn_text_add_column(t, times[i]);
}

/* ---- what a run is ---- */

static char *join(struct qn_text_memory *m, const char *const *argv)
{
    char *text = qn_text_copy(m, "");

    for (int i = 0; argv[i]; i++)
        text = qn_text_format(m, "%s%s%s", text, i ? " " : "", argv[i]);
    return text;
}

/* Fills the cells before `status`, in the order of the columns; returns how many. */
static int fill_identity(struct qn_text_memory *m, char **cells, const struct qn_exp *e, const struct qn_exp_run *run,
                         const struct qn_exp_provenance *p)
{
    int n = 0;

    cells[n++] = qn_text_copy(m, p->version);
    cells[n++] = qn_text_copy(m, run->program->name.text);
    cells[n++] = join(m, run->argv);
    cells[n++] = qn_text_copy(m, run->input ? run->input : "");
    for (int i = 0; i < e->axis_count; i++)
        if (qn_exp_is_parameter(&e->axes[i]))
            cells[n++] = qn_text_copy(m, run->values[i]);
    cells[n++] = qn_text_copy(m, run->sim.text);
    for (int i = 0; i < levels_of(e); i++) {
        cells[n++] = qn_text_format(m, "%u", run->geometry[i].size);
        cells[n++] = qn_text_format(m, "%u", run->geometry[i].assoc);
        cells[n++] = qn_text_format(m, "%u", run->geometry[i].line);
    }
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        cells[n++] = qn_text_copy(m, p->modules[i]);
    cells[n++] = qn_text_copy(m, p->options);
    cells[n++] = qn_text_format(m, "%llu", (unsigned long long)run->seed);
    cells[n++] = qn_text_copy(m, p->counting);
    cells[n++] = qn_text_copy(m, p->build_id);
    if (e->has_input)
        cells[n++] = qn_text_copy(m, p->input_hash);
    return n;
}

/* ---- what it came to ---- */

static double sum(const struct qn_exp_result *r, const char *const names[3], bool *known)
{
    double total = 0;

    for (int i = 0; i < 3 && names[i]; i++) {
        const char *value = qn_exp_find_count(r, names[i]);

        *known = *known && value;
        total += value ? strtod(value, NULL) : 0;
    }
    return total;
}

static char *format_rate(struct qn_text_memory *m, const struct qn_exp_result *r, const struct rate *rate)
{
    bool known = true;
    double part = sum(r, rate->part, &known), whole = sum(r, rate->whole, &known);

    return known && whole > 0 ? qn_text_format(m, "%.4f", rate->scale * part / whole) : qn_text_copy(m, "");
}

/* Events that are not counted cost nothing. */
static double count(const struct qn_exp_result *r, const char *a, const char *b, const char *c)
{
    bool known = true;

    return sum(r, (const char *[]){ a, b, c }, &known);
}

static void fill_times(struct qn_text_table *t, char **cells, const struct qn_exp_result *r, const struct qn_exp_time *time)
{
    double Ir = count(r, "Ir", NULL, NULL), data = count(r, "Dr", "Dw", NULL);
    double cycles = Ir / time->width + time->L1 * count(r, "I1mr", "D1mr", "D1mw") + time->L2 * count(r, "I2mr", "D2mr", "D2mw")
                    + time->LL * count(r, "ILmr", "DLmr", "DLmw") + time->branch * count(r, "Bcm", "Bim", NULL);
    double access = time->hit * data + time->L1 * count(r, "D1mr", "D1mw", NULL) + time->L2 * count(r, "D2mr", "D2mw", NULL)
                    + time->LL * count(r, "DLmr", "DLmw", NULL);

    if (Ir > 0)
        cells[qn_text_find_column(t, times[0])] = qn_text_format(&t->memory, "%.4f", cycles / Ir);
    if (data > 0)
        cells[qn_text_find_column(t, times[1])] = qn_text_format(&t->memory, "%.4f", access / data);
}

static bool is_rate(const char *name)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(times); i++)
        if (!strcmp(times[i], name))
            return true;
    for (size_t i = 0; i < QN_ARRAY_LEN(rates); i++)
        if (!strcmp(rates[i].name, name))
            return true;
    return false;
}

static void fill_result(struct qn_text_table *t, char **cells, const struct qn_exp_result *r)
{
    cells[qn_text_find_column(t, "status")] = qn_text_copy(&t->memory, r->status);
    for (int i = 0; i < r->count; i++)
        cells[qn_text_find_column(t, r->counts[i].name)] = qn_text_copy(&t->memory, r->counts[i].value);
    for (size_t i = 0; i < QN_ARRAY_LEN(rates); i++)
        if (qn_text_find_column(t, rates[i].name) >= 0)
            cells[qn_text_find_column(t, rates[i].name)] = format_rate(&t->memory, r, &rates[i]);
}

/* Adds columns for other counts than the thirteen, sorted by name, so that their order does not depend on which runs are done. */
static void add_module_columns(struct qn_text_table *t, const struct qn_exp_result *results, int count)
{
    int first = t->column_count;

    for (int i = 0; i < count; i++)
        for (int k = 0; results[i].status && k < results[i].count; k++)
            if (qn_text_find_column(t, results[i].counts[k].name) < 0)
                qn_text_add_column(t, results[i].counts[k].name);
    qsort(t->columns + first, (size_t)(t->column_count - first), sizeof *t->columns, qn_text_compare);
}

void qn_exp_fill_table(struct qn_text_table *t, const struct qn_exp *e, const struct qn_exp_runs *runs,
                       const struct qn_exp_provenance *provenance, const struct qn_exp_result *results)
{
    add_identity_columns(t, e);
    add_result_columns(t, e);
    add_module_columns(t, results, runs->count);
    for (int i = 0; i < runs->count; i++) {
        char **cells;

        if (!results[i].status)
            continue;
        cells = qn_text_add_row(t);
        fill_identity(&t->memory, cells, e, &runs->at[i], &provenance[i]);
        fill_result(t, cells, &results[i]);
        if (runs->at[i].machine && runs->at[i].machine->time.width)
            fill_times(t, cells, &results[i], &runs->at[i].machine->time);
    }
}

/* ---- back ---- */

static void take_result(struct qn_text_memory *m, const struct qn_text_table *t, int row, int status, struct qn_exp_result *r)
{
    r->status = qn_text_copy(m, t->rows[row][status]);
    for (int c = status + 1; c < t->column_count; c++)
        if (*t->rows[row][c] && !is_rate(t->columns[c]))
            qn_exp_add_count(m, r, t->columns[c], t->rows[row][c]);
}

static bool same_columns(const struct qn_text_table *a, const struct qn_text_table *wanted)
{
    for (int i = 0; i < wanted->column_count; i++)
        if (i >= a->column_count || strcmp(a->columns[i], wanted->columns[i]))
            return false;
    return true;
}

/* The first column in which they differ, or `n`. */
static int first_difference(char *const *a, char *const *b, int n)
{
    int i = 0;

    while (i < n && !strcmp(a[i], b[i]))
        i++;
    return i;
}

static enum qn_text_status refuse(const struct qn_text_table *t, const char *path, int row, int column,
                                  struct qn_text_error *err)
{
    return qn_text_fail(err, QN_TEXT_BAD, "%s: row %d is of another sweep: %s is '%s'; remove the file, or name another with -o",
                        path, row + 1, t->columns[column], t->rows[row][column]);
}

enum qn_text_status qn_exp_take_rows(const struct qn_text_table *t, const char *path, struct qn_exp *e,
                                     const struct qn_exp_runs *runs, const struct qn_exp_provenance *provenance,
                                     struct qn_exp_result *results, struct qn_text_error *err)
{
    struct qn_text_table wanted = { 0 };
    int row = 0, worst = 0;

    add_identity_columns(&wanted, e);
    add_result_columns(&wanted, e);
    if (!same_columns(t, &wanted))
        qn_text_fail(err, QN_TEXT_BAD, "%s: has other columns than this sweep; remove it, or name another file with -o", path);
    /* Rows stand in the order of the runs, so one pass over both finds all. */
    for (int i = 0; i < runs->count && row < t->row_count && err->status == QN_TEXT_OK; i++) {
        char **cells = qn_text_alloc(&wanted.memory, (size_t)wanted.column_count * sizeof *cells);
        int n = fill_identity(&wanted.memory, cells, e, &runs->at[i], &provenance[i]);
        int same = first_difference(t->rows[row], cells, n);

        if (same == n) {
            take_result(&e->memory, t, row++, n, &results[i]);
            worst = 0;
        }
        worst = same > worst && same < n ? same : worst;
    }
    if (err->status == QN_TEXT_OK && row < t->row_count)
        refuse(t, path, row, worst, err);
    qn_text_free_table(&wanted);
    return err->status;
}

/* ---- tables beside a profile ---- */

enum qn_text_status qn_exp_read_intervals(struct qn_text_table *t, const char *path, const struct qn_prof_header *h, struct qn_text_error *err)
{
    bool counts = false;

    if (qn_text_read_table(t, path, err) != QN_TEXT_OK)
        return err->status;
    for (int i = 0; i < h->event_count; i++)
        counts |= qn_text_find_column(t, h->events[i]) >= 0;
    if (counts && qn_text_find_column(t, "start") >= 0 && qn_text_find_column(t, "end") >= 0)
        return QN_TEXT_OK;
    return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no columns `start`, `end` and an event of the profile, wanted the counts of `quern run --interval=N`",
                        path);
}

/* A table with these columns, the last of which is NULL; all but the first `names` have numbers. */
static enum qn_text_status read_numbers(struct qn_text_table *t, const char *path, const char *const *columns, int names, const char *wanted,
                                        struct qn_text_error *err)
{
    if (qn_text_read_table(t, path, err) != QN_TEXT_OK)
        return err->status;
    for (int i = 0; columns[i]; i++) {
        int column = qn_text_find_column(t, columns[i]);
        double number;

        if (column < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got no column `%s`, wanted %s", path, columns[i], wanted);
        for (int row = 0; row < t->row_count && i >= names; row++)
            if (!qn_text_cell_number(t, row, column, &number) || number < 0)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got `%.60s` as %s, wanted a number", path, row + 2, t->rows[row][column], columns[i]);
    }
    return QN_TEXT_OK;
}

enum qn_text_status qn_exp_read_sets(struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    static const char *const columns[] = { "cache", "interval", "start", "end", "set", "sets", "misses", NULL };

    return read_numbers(t, path, columns, 1, "PROFILE.sets.csv of the analysis sets", err);
}

static double number_in(const struct qn_text_table *t, int row, const char *column) { return qn_text_number(t, row, qn_text_find_column(t, column)); }

enum qn_text_status qn_exp_read_curve(struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    static const char *const columns[] = { "size", "lines", "misses", "touched", NULL };

    read_numbers(t, path, columns, 0, "PROFILE.mattson.csv of the analysis mattson", err);
    for (int row = 0; row < t->row_count && err->status == QN_TEXT_OK; row++)
        if (number_in(t, row, "misses") > number_in(t, row, "touched"))
            qn_text_fail(err, QN_TEXT_BAD, "%s:%d: got %.0f misses, wanted no more than lines touched", path, row + 2, number_in(t, row, "misses"));
    return err->status;
}

void qn_exp_fill_curve(struct qn_text_table *t, const struct qn_text_table *curve)
{
    qn_text_add_column(t, "size");
    qn_text_add_column(t, "miss_percent");
    for (int row = 0; row < curve->row_count; row++) {
        double touched = number_in(curve, row, "touched");
        char **cells = qn_text_add_row(t);

        cells[0] = qn_text_format(&t->memory, "%.0f", number_in(curve, row, "size"));
        cells[1] = qn_text_format(&t->memory, "%.4f", touched ? 100 * number_in(curve, row, "misses") / touched : 0);
    }
}

#define SETS_MAX (1 << 22)

void qn_exp_fill_sets(struct qn_text_table *t, const struct qn_text_table *sets)
{
    int cache = qn_text_find_column(sets, "cache"), set = qn_text_find_column(sets, "set"), together = 1;
    double most = -1, *misses;

    qn_text_add_column(t, "set");
    qn_text_add_column(t, "misses");
    for (int row = 0; row < sets->row_count; row++)
        if (!strcmp(qn_text_cell(sets, row, cache), "D1") && qn_text_number(sets, row, set) > most && qn_text_number(sets, row, set) < SETS_MAX)
            most = qn_text_number(sets, row, set);
    misses = QN_NEEDED(calloc((size_t)(most + 1), sizeof *misses));
    for (int row = sets->row_count - 1; row >= 0; row--)
        if (!strcmp(qn_text_cell(sets, row, cache), "D1") && qn_text_number(sets, row, set) <= most) {
            misses[(size_t)qn_text_number(sets, row, set)] += number_in(sets, row, "misses");
            together = number_in(sets, row, "sets") > 1 ? (int)number_in(sets, row, "sets") : 1;
        }
    for (int i = 0; i <= most; i += together) {
        char **cells = qn_text_add_row(t);

        cells[0] = qn_text_format(&t->memory, "%d", i);
        cells[1] = qn_text_format(&t->memory, "%.0f", misses[i]);
    }
    free(misses);
}

/* ---- result ---- */

#define COMPLAINT "quern: run: "

const char *qn_exp_find_count(const struct qn_exp_result *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (!strcmp(r->counts[i].name, name))
            return r->counts[i].value;
    return NULL;
}

void qn_exp_add_count(struct qn_text_memory *m, struct qn_exp_result *r, const char *name, const char *value)
{
    if (qn_exp_find_count(r, name))
        return;
    r->counts = qn_text_grow(m, r->counts, (size_t)r->count, sizeof *r->counts);
    r->counts[r->count++] = (struct qn_exp_count){ qn_text_copy(m, name), qn_text_copy(m, value) };
}

void qn_exp_add_total(struct qn_text_memory *m, struct qn_exp_result *r, const char *name, const char *value)
{
    bool bits = strlen(name) == strlen("BC.bits") && !strcmp(name + 2, ".bits");

    qn_exp_add_count(m, r, bits ? qn_text_format(m, "%.2s_bits", name) : name, value);
}

enum qn_text_status qn_exp_read_beside(struct qn_text_table *t, const char *profile, const char *name, struct qn_text_error *err)
{
    const char *path = qn_text_format(&t->memory, "%s.%s.csv", profile, name);

    return access(path, F_OK) ? QN_TEXT_OK : qn_text_read_table(t, path, err);
}

/* ---- the profile ---- */

enum qn_text_status qn_exp_read_totals(struct qn_text_memory *m, struct qn_exp_result *r, const char *path,
                                       struct qn_text_error *err)
{
    struct qn_prof_reader *reader = qn_prof_open_reader(path, err);
    const struct qn_prof_header *header;
    struct qn_prof_item item;
    int more;

    if (!reader)
        return err->status;
    header = qn_prof_reader_header(reader);
    while ((more = qn_prof_read_next(reader, &item, err)) > 0)
        for (int i = 0; item.kind == QN_PROF_SUMMARY && i < header->event_count; i++)
            qn_exp_add_count(m, r, header->events[i],
                             qn_text_format(m, "%lld", item.counts[i] == QN_PROF_NONE ? 0 : (long long)item.counts[i]));
    qn_prof_close_reader(reader);
    return more < 0 ? err->status : QN_TEXT_OK;
}

/* ---- the end ---- */

/* The line in which quern run says why it failed. */
static const char *find_complaint(struct qn_text_memory *m, const char *errors)
{
    FILE *file = fopen(errors, "r");
    const char *found = NULL;
    char *text = NULL;
    size_t room = 0;

    while (file && !found && getline(&text, &room, file) > 0)
        if (!strncmp(text, COMPLAINT, strlen(COMPLAINT)))
            found = qn_text_copy_part(m, text + strlen(COMPLAINT), strcspn(text, "\n") - strlen(COMPLAINT));
    free(text);
    if (file)
        fclose(file);
    return found;
}

const char *qn_exp_describe_end(struct qn_text_memory *m, int status, const char *errors)
{
    const char *complaint;

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return QN_EXP_OK;
    complaint = find_complaint(m, errors);
    if (complaint)
        return complaint;
    if (WIFSIGNALED(status))
        return sigabbrev_np(WTERMSIG(status)) ? qn_text_format(m, "SIG%s", sigabbrev_np(WTERMSIG(status)))
                                              : qn_text_format(m, "signal %d", WTERMSIG(status));
    return qn_text_format(m, "exit status %d", WEXITSTATUS(status));
}
