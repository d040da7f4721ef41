/* Does a table give back the lines of a file, or of a function, summed and in order? */
#include "tap.h"

#include "prof/counts.h"
#include "prof/table/table.h"

enum { FILES = 3, PLACES = 500 };

/* Two functions for each file, which have lines in common. */
static void test_sums(void)
{
    static const char *const names[FILES] = { "a.c", "b.c", "c.c" }, *const functions[2] = { "f", "g" };
    struct qn_prof_table *t = qn_prof_new_table(2);
    int64_t counts[2], x = 1, wanted[PLACES] = {0}, got[PLACES] = {0};
    uint32_t line, last = 0, ordered = 1, b, c;

    for (int i = 0; i < 300000; i++) {
        x = (x * 1103515245 + 12345) % 2147483648;
        uint32_t place = (uint32_t)(x >> 12) % PLACES, file = (uint32_t)(x >> 7) % FILES, function = (uint32_t)(x >> 22) % 2;
        uint32_t fn = qn_prof_table_fn(t, names[file], functions[function]);
        qn_prof_table_add_line(t, fn, place, (int64_t[2]){i, file == 1 ? QN_PROF_NONE : -i}, NULL);
        if (file == 2)
            wanted[place] += i;
    }
    b = qn_text_find_name(&qn_prof_table_fns(t)->files, "b.c", 3);
    c = qn_text_find_name(&qn_prof_table_fns(t)->files, "c.c", 3);
    struct qn_prof_lines lines = qn_prof_table_lines(t, 0, c);
    for (int n = 0; qn_prof_next_line(&lines, &line, counts) > 0; n++) {
        ordered &= n == 0 || line > last;
        last = line;
        got[line] = counts[1] == -counts[0] ? counts[0] : -1;
    }
    ok(ordered, "each line once, ascending");
    is_mem(got, wanted, sizeof got, "with the sums of one file");
    lines.at = lines.first;
    is_int(qn_prof_next_line(&lines, &line, counts), 1, "it can be started again");
    lines = qn_prof_table_lines(t, 0, b);
    qn_prof_next_line(&lines, &line, counts);
    ok(counts[1] == QN_PROF_NONE, "a count that was never given stays so in sums");
    lines = qn_prof_table_lines(t, 0, FILES);
    is_int(qn_prof_next_line(&lines, &line, counts), 0, "a file that was never seen has no lines");
    qn_prof_free_table(t);
}

static void test_functions(void)
{
    struct qn_prof_table *t = qn_prof_new_table(1);
    uint32_t f = qn_prof_table_fn(t, "a.c", "f"), g = qn_prof_table_fn(t, "a.c", "g"), line;
    static const uint32_t odd[] = { 0, 5, UINT32_MAX };
    struct qn_prof_insn insn = { .address = 0x1000, .length = 1 };
    int64_t count;

    for (int i = 2; i >= 0; i--)
        qn_prof_table_add_line(t, f, odd[i], (int64_t[1]){ i + 1 }, NULL);
    qn_prof_table_add_line(t, g, 5, (int64_t[1]){ 100 }, NULL);
    qn_prof_table_add_insn(t, f, 5, &insn, (int64_t[1]){ 1000 }, NULL);
    struct qn_prof_lines lines = qn_prof_table_lines(t, 1, f);
    for (int i = 0; i < 3; i++) {
        is_int(qn_prof_next_line(&lines, &line, &count), 1, "line %d of three", i);
        is_int(line, odd[i], "in order");
        is_int(count, i + 1, "with the count of this function's lines, not of instructions");
    }
    is_int(qn_prof_next_line(&lines, &line, &count), 0, "then the end");
    lines = qn_prof_table_lines(t, 1, g);
    ok(qn_prof_next_line(&lines, &line, &count) == 1 && line == 5 && count == 100, "the other function's line");
    qn_prof_free_table(t);
}

static void test_overflow(void)
{
    struct qn_prof_table *t = qn_prof_new_table(1);
    struct qn_prof_lines lines;
    int64_t most = INT64_MAX, least = -INT64_MAX, count;
    uint32_t line;

    qn_prof_table_add(t, "a.c", "f", 1, &most, NULL);
    qn_prof_table_add(t, "b.c", "f", 1, &least, NULL);
    qn_prof_table_add(t, "a.c", "g", 1, &most, NULL);
    lines = qn_prof_table_lines(t, 0, 0);
    is_int(qn_prof_next_line(&lines, &line, &count), -1, "a sum beyond 64 bits is an error");
    qn_prof_free_table(t);
}

int main(void)
{
    test_sums();
    test_functions();
    test_overflow();
    return done_testing();
}
