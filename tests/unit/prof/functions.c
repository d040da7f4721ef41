/* Rows by function: the parts that several files have of one are one row. */
#include "prof/table/functions.h"

#include "tap.h"

static void add(struct qn_prof_table *t, const char *object, const char *file, const char *function, uint32_t line, int64_t a, int64_t b)
{
    qn_prof_table_enter_object(t, object);
    qn_prof_table_add(t, file, function, line, (int64_t[]){a, b}, NULL);
}

static const char *text_of(const struct qn_prof_table *t)
{
    static char text[2000];
    size_t n = 0;

    text[0] = 0;
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row r = qn_prof_table_at(t, i);

        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s %s %u %" PRId64 " %" PRId64 "\n", r.object, r.file, r.function, r.line, r.counts[0],
                              r.counts[1]);
    }
    return text;
}

int main(void)
{
    struct qn_text_error err = {.status = QN_TEXT_OK};
    struct qn_prof_table *t = qn_prof_new_table(2), *functions;

    add(t, "/bin/p", "a.c", "main", 1, 5, 1);
    add(t, "/bin/p", "a.c", "main", 2, 5, 1);
    add(t, "/bin/p", "v.h", "main", 7, 9, 3);
    add(t, "/bin/p", "v.h", "f", 7, 4, 1);
    add(t, "/bin/p", "w.h", "f", 7, 4, 1);
    add(t, "/lib/l", "a.c", "main", 1, 1, 1);
    add(t, "/lib/l", NULL, NULL, 0, 2, 0);
    add(t, "/lib/l", "s.S", NULL, 4, 3, 0);
    add(t, "/bin/p", "i.h", "leaf (inlined in mid at a.c:9, in main at a.c:20)", 3, 7, 0);
    add(t, "/bin/p", "i.h", "leaf (inlined in main at a.c:30)", 3, 1, 1);
    add(t, "/bin/p", "j.h", "leaf (inlined in f at a.c:31)", 3, 1, 0);
    qn_prof_table_sort(t);
    functions = qn_prof_sum_functions(t, 2, &err);
    is_str(text_of(functions),
           "/lib/l ??? ??? 0 2 0\n"
           "/bin/p a.c main 0 19 5\n" /* a.c has 10 of the 19, in two lines */
           "/lib/l a.c main 0 1 1\n"
           "/bin/p i.h leaf (inlined in main) 0 8 1\n" /* by two ways */
           "/bin/p j.h leaf (inlined in f) 0 1 0\n"
           "/lib/l s.S ??? 0 3 0\n"
           "/bin/p v.h f 0 8 2\n", /* v.h and w.h have the same: the first by name */
           "functions of two objects");
    is_mem(qn_prof_table_totals(functions), qn_prof_table_totals(t), 2 * sizeof(int64_t), "the totals are the same");
    qn_prof_free_table(functions);
    add(t, "/bin/p", "a.c", "main", 3, INT64_MAX - 100, 0);
    add(t, "/bin/p", "v.h", "huge", 3, -200, 0);
    add(t, "/bin/p", "x.h", "main", 3, 200, 0);
    qn_prof_table_sort(t);
    ok(!qn_prof_sum_functions(t, 2, &err), "a sum beyond 64 bits");
    is_int(err.status, QN_TEXT_BAD, "is an error");
    qn_prof_free_table(t);
    return done_testing();
}
