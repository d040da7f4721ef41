/* Does the accumulating table add up whatever order rows come in, and write them sorted? */
#include "tap.h"

#include <string.h>

#include "prof/table/table.h"

#define C(a, b) ((const int64_t[]){(a), (b)})

static char written[4096];

/* The body that the table writes, through a temporary file. */
static const char *body(struct qn_prof_table *t)
{
    static const char *const names[] = {"Ir", "Dr"};
    static struct qn_text_error err;
    FILE *f = tmpfile();
    struct qn_prof_writer *w = qn_prof_open_writer_fd(fileno(f), "test");

    qn_prof_put_events(w, names, 2);
    qn_prof_table_write(t, w);
    qn_prof_close_writer(w, &err);
    rewind(f);
    written[fread(written, 1, sizeof written - 1, f)] = '\0';
    fclose(f);
    return err.status == QN_TEXT_OK ? written : err.text;
}

static void test_order(void)
{
    struct qn_text_error err = {0};
    struct qn_prof_table *t = qn_prof_new_table(2);

    qn_prof_table_add(t, "b.c", "main", 7, C(1, 2), &err);
    qn_prof_table_add(t, "a.c", "z", 9, C(1, 0), &err);
    qn_prof_table_add(t, "b.c", "main", 3, C(1, 1), &err);
    qn_prof_table_add(t, "a.c", "f", 100000, C(5, -5), &err);
    qn_prof_table_add(t, "b.c", "main", 7, C(10, 20), &err);
    qn_prof_table_add(t, NULL, "", 0, C(1, 1), &err);
    qn_prof_table_add(t, "a.c", "f", 2, C(QN_PROF_NONE, 4), &err);
    is_int(err.status, QN_TEXT_OK, "rows are added");
    is_str(body(t), "events: Ir Dr\nfl=\?\?\?\nfn=\?\?\?\n0 1 1\nfl=a.c\nfn=f\n2 0 4\n100000 5 -5\nfn=z\n9 1 0\n"
           "fl=b.c\nfn=main\n3 1 1\n7 11 22\nsummary: 19 23\n", "sorted by file, function, line; the sum below");
    is_int((long)qn_prof_table_rows(t), 6, "one row for each place");
    struct qn_prof_row row = qn_prof_table_at(t, 1);
    is_str(row.file, "a.c", "the second row's file");
    is_int(row.line, 2, "its line");
    ok(row.counts[0] == QN_PROF_NONE, "a count that was never given stays so");
    qn_prof_table_add(t, "a.c", "a", 1, C(1, 1), &err);
    is_int((long)qn_prof_table_totals(t)[0], 20, "adding goes on after sorting");
    ok(strstr(body(t), "fl=a.c\nfn=a\n1 1 1\nfn=f\n") != NULL, "and is sorted in");
    qn_prof_free_table(t);
}

static void test_overflow(void)
{
    struct qn_text_error err = {0};
    struct qn_prof_table *t = qn_prof_new_table(2);

    qn_prof_table_add(t, "a.c", "f", 1, C(INT64_MAX, -INT64_MAX), &err);
    is_int(err.status, QN_TEXT_OK, "the largest counts fit");
    qn_prof_table_add(t, "a.c", "f", 1, C(1, 0), &err);
    is_int(err.status, QN_TEXT_BAD, "one more does not");
    is_str(err.text, "a sum of counts does not fit in 64 bits, at a.c:1", "it says where");
    qn_prof_free_table(t);
}

/* Every place from one of two hundred functions, in an order that jumps, against a sum worked out apart. */
static void test_many(void)
{
    enum { PLACES = 200000, ADDS = 600000 };
    struct qn_text_error err = {0};
    struct qn_prof_table *t = qn_prof_new_table(1);
    uint32_t fns[200], x = 1;
    int64_t total = 0;

    for (int i = 0; i < 200; i++) {
        char file[16], name[16];
        snprintf(file, sizeof file, "f%d.c", i % 17);
        snprintf(name, sizeof name, "fn%d", i);
        fns[i] = qn_prof_table_fn(t, file, name);
    }
    for (int i = 0; i < ADDS; i++) {
        x = x * 1664525 + 1013904223;
        uint32_t place = (x >> 8) % PLACES;
        int64_t count = i % 100;
        total += count;
        qn_prof_table_add_line(t, fns[place % 200], place / 200, &count, &err);
    }
    is_int(qn_prof_table_totals(t)[0], total, "the sum of %d adds", ADDS);
    qn_prof_table_sort(t);
    int ordered = 1;
    int64_t sum = 0;
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row a = qn_prof_table_at(t, i), b = qn_prof_table_at(t, i ? i - 1 : 0);
        int d = strcmp(b.file, a.file);
        d = d ? d : strcmp(b.function, a.function);
        ordered &= i == 0 || d < 0 || (d == 0 && b.line < a.line);
        sum += a.counts[0];
    }
    ok(ordered, "all rows are in order, none twice");
    is_int(sum, total, "and their sum is the total");
    qn_prof_free_table(t);
}

int main(void)
{
    test_order();
    test_overflow();
    test_many();
    return done_testing();
}
