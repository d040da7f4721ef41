/* Does the compact line record give back what went in, summed by line and in order? */
#include "tap.h"

#include "prof/table/ledger.h"
#include "prof/write.h"

static const int64_t odd_counts[] = {0,  1,  -1, 63, 64, -64, -65, 8191, 8192, INT64_MAX, -INT64_MAX, QN_PROF_NONE,
                                     127, 128, 1LL << 33, -(1LL << 40)};
enum { EVENTS = sizeof odd_counts / sizeof *odd_counts };

static void test_values(void)
{
    struct qn_prof_log log = {.events = EVENTS};
    struct qn_prof_log_lines lines;
    int64_t counts[EVENTS];
    uint32_t line;

    qn_prof_log_add(&log, 3, 0, odd_counts);
    qn_prof_log_add(&log, 3, UINT32_MAX, odd_counts);
    qn_prof_log_add(&log, 3, 5, odd_counts);
    qn_prof_log_gather(&log, 3, &lines);
    for (uint32_t wanted = 0; wanted < 3; wanted++) {
        is_int(qn_prof_log_next(&lines, &line, counts), 1, "line %u of three", wanted);
        is_int(line, wanted == 0 ? 0 : wanted == 1 ? 5 : UINT32_MAX, "in order");
        is_mem(counts, odd_counts, sizeof counts, "with its counts");
    }
    is_int(qn_prof_log_next(&lines, &line, counts), 0, "then the end");
    qn_prof_log_free_lines(&lines);
    qn_prof_log_gather(&log, 99, &lines);
    is_int(qn_prof_log_next(&lines, &line, counts), 0, "a file that was never seen has no lines");
    qn_prof_log_free_lines(&lines);
    qn_prof_free_log(&log);
}

static void test_sums(void)
{
    struct qn_prof_log log = {.events = 2};
    struct qn_prof_log_lines lines;
    int64_t counts[2], x = 1, wanted[500] = {0}, got[500] = {0};
    uint32_t line, last = 0, ordered = 1;

    for (int i = 0; i < 300000; i++) { /* several pieces of memory, many changes of file */
        x = (x * 1103515245 + 12345) % 2147483648;
        uint32_t place = (uint32_t)(x >> 12) % 500;
        uint32_t file = (uint32_t)(x >> 7) % 3;
        int64_t c[2] = {i, file == 1 ? QN_PROF_NONE : -i};
        qn_prof_log_add(&log, file, place, c);
        if (file == 2)
            wanted[place] += i;
    }
    qn_prof_log_gather(&log, 2, &lines);
    for (int n = 0; qn_prof_log_next(&lines, &line, counts) > 0; n++) {
        ordered &= n == 0 || line > last;
        last = line;
        got[line] = counts[1] == -counts[0] ? counts[0] : -1;
    }
    ok(ordered, "each line once, ascending");
    is_mem(got, wanted, sizeof got, "with the sums of one file");
    qn_prof_log_free_lines(&lines);
    qn_prof_log_gather(&log, 1, &lines);
    qn_prof_log_next(&lines, &line, counts);
    ok(counts[1] == QN_PROF_NONE, "a count that was never given stays so in sums");
    qn_prof_log_free_lines(&lines);
    qn_prof_free_log(&log);
}

static void test_overflow(void)
{
    struct qn_prof_log log = {.events = 1};
    struct qn_prof_log_lines lines;
    int64_t most = INT64_MAX, count;
    uint32_t line;

    qn_prof_log_add(&log, 0, 1, &most);
    qn_prof_log_add(&log, 0, 1, &most);
    qn_prof_log_gather(&log, 0, &lines);
    is_int(qn_prof_log_next(&lines, &line, &count), -1, "a sum beyond 64 bits is an error");
    qn_prof_log_free_lines(&lines);
    qn_prof_free_log(&log);
}

int main(void)
{
    test_values();
    test_sums();
    test_overflow();
    return done_testing();
}
