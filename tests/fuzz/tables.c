/* tests/fuzz/tables.c - any bytes as a table: module findings, the rows of a sweep, and what plot reads (intervals, too).
 *
 * The last byte says which.  Refused with file and line; or findings can be shown, and rows are the same after writing.
 */
#include "fuzz.h"

#include <ctype.h>

#include "exp/rows.h"
#include "exp/rows.h"
#include "text/csv.h"
#include "out/findings.h"
#include "plot/input.h"
#include "prof/kind.h"

/* A table that has no row at all is refused as a whole, and so is a profile where plot reads it. */
static void check(enum qn_text_status status, const struct qn_text_error *err, const char *path)
{
    size_t n = strlen(path);
    fuzz_check_error(status, err);
    if (status != QN_TEXT_OK)
        must(strncmp(err->text, path, n) == 0 && err->text[n] == ':', "the message names the file");
    if (status == QN_TEXT_BAD)
        must(isdigit((unsigned char)err->text[n + 1]) || strstr(err->text, "empty") || strstr(err->text, "rows: got none")
                 || strstr(err->text, ": got a profile,")
                 || strstr(err->text, ": got data of ") /* packed, and damaged */,
             "and the line");
}

static void findings(const char *path)
{
    struct qn_out_findings f = {0};
    struct qn_text_error err = {0};
    char text[120];
    check(qn_out_read_findings(&f, path, &err), &err, path);
    for (size_t i = 0; err.status == QN_TEXT_OK && i < f.count; i++) {
        const struct qn_out_finding *r = &f.rows[i];
        must(i == 0 || strcmp(r[-1].object, r->object) < 0
                 || (strcmp(r[-1].object, r->object) == 0 && r[-1].address <= r->address), "rows in order");
        qn_out_format_findings(&f, r->object, r->address, text, sizeof text);
        must(text[0], "what was found can be shown");
    }
    qn_out_free_findings(&f);
}

static void compare(const struct qn_text_table *a, const struct qn_text_table *b)
{
    must(a->column_count == b->column_count && a->row_count == b->row_count, "as large as before");
    for (int c = 0; c < a->column_count; c++)
        must(strcmp(a->columns[c], b->columns[c]) == 0, "the same names");
    for (int r = 0; r < a->row_count; r++)
        for (int c = 0; c < a->column_count; c++)
            must(strcmp(a->rows[r][c], b->rows[r][c]) == 0, "the same cells");
}

static void rows(const char *path)
{
    static const char written[] = "/dev/shm/quern-fuzz-table";
    struct qn_text_table t = { 0 }, again = { 0 };
    struct qn_text_error err = {0};
    double number;
    check(qn_text_read_table(&t, path, &err), &err, path);
    if (err.status == QN_TEXT_OK) {
        for (int r = 0; r < t.row_count; r++)
            for (int c = 0; c < t.column_count; c++)
                qn_text_cell_number(&t, r, c, &number);
        must(qn_text_write_table(&t, written, &err) == QN_TEXT_OK, "it can be written");
        must(qn_text_read_table(&again, written, &err) == QN_TEXT_OK, "and read again");
        compare(&t, &again);
    }
    qn_text_free_table(&t);
    qn_text_free_table(&again);
}

static void plotted(const char *path, int asked)
{
    const struct qn_plot_request q = {.kind = "time", .where = {"a=1"}, .where_count = asked};
    struct qn_plot_input in;
    struct qn_text_error err = {0};
    double number;
    qn_prof_is_profile(path);
    check(qn_plot_read_input(&in, &q, path, &err), &err, path);
    if (err.status == QN_TEXT_OK)
        for (int r = 0; r < in.t.row_count; r++)
            for (int c = 0; c < in.t.column_count; c++) {
                struct qn_text_error cell = {0};
                check(qn_plot_need_number(&in, r, c, &number, &cell), &cell, path);
            }
    qn_plot_free_input(&in);
}

static void table_of_run(const char *path)
{
    struct qn_text_table sets = { 0 }, curve = { 0 }, picture = { 0 };
    struct qn_text_error err = { .status = QN_TEXT_OK }, other = err;
    check(qn_exp_read_sets(&sets, path, &err), &err, path);
    check(qn_exp_read_curve(&curve, path, &other), &other, path);
    if (err.status == QN_TEXT_OK)
        qn_exp_fill_sets(&picture, &sets);
    else if (other.status == QN_TEXT_OK)
        qn_exp_fill_curve(&picture, &curve);
    qn_text_free_table(&sets);
    qn_text_free_table(&curve);
    qn_text_free_table(&picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t mode = size ? data[size - 1] : 0;
    const char *path = fuzz_file(0, data, size ? size - 1 : 0);
    switch (mode % 4) {
    case 0: findings(path); break;
    case 1: rows(path); break;
    case 2: plotted(path, mode / 4 % 2); break;
    default: table_of_run(path); break;
    }
    return 0;
}
