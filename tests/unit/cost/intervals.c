/* Intervals as text: rows of an arena written by hand, the rest, rates, damage. */
#include "cost/side_tables/intervals.h"

#include <unistd.h>

#include "tap.h"

static struct qn_cost_store store;
static struct qn_cost_event_set events;

static void add_row(int64_t ir, int64_t dr, int64_t d1mr, int64_t own)
{
    struct qn_arena_header *h = qn_cost_header(&store);
    int64_t *row = (int64_t *)(store.base + QN_ARENA_INTERVALS_OFF) + (QN_COST_EVENTS + 1) * h->n_intervals++;

    memset(row, 0, (QN_COST_EVENTS + 1) * sizeof *row);
    row[QN_COST_IR] = ir;
    row[QN_COST_DR] = dr;
    row[QN_COST_D1MR] = d1mr;
    row[QN_COST_EVENTS] = own;
}

static const char *write_all(const int64_t *totals)
{
    static char text[4000];
    struct qn_text_error err = { .status = QN_TEXT_OK };
    size_t n = 0;
    char path[300];
    FILE *f;

    snprintf(path, sizeof path, "%s/intervals", getenv("SCRATCH") ? getenv("SCRATCH") : "/tmp");
    if (qn_cost_write_intervals(path, &store, &events, totals, &err) != QN_TEXT_OK)
        bail("%s", err.text);
    f = fopen(path, "r");
    n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    unlink(path);
    text[n] = 0;
    return text;
}

#define HEAD "interval,start,end,Ir,I1mr,ILmr,Dr,D1mr,DLmr,Dw,D1mw,DLmw,D1.x,I1mr%,D1m%,LLmr%,MPKI,of_rows\n"

int main(void)
{
    static int64_t totals[QN_COST_COLUMNS];
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_cost_store copy;

    if (qn_cost_create(&store))
        bail("no arena");
    qn_cost_header(&store)->sim_output.events = 1;
    strcpy(qn_cost_header(&store)->sim_output.names[0], "D1.x");
    qn_cost_choose_events(&events, true, false);
    qn_cost_add_module_events(&events, &qn_cost_header(&store)->sim_output, false);
    is_str(write_all(totals), HEAD, "nothing counted, no row");
    totals[QN_COST_IR] = 10;
    is_str(write_all(totals), HEAD "1,0,10,10,0,0,0,0,0,0,0,0,0,0.0000,,0.0000,0.0000,1\n", "one that has not ended: what there is");
    totals[QN_COST_IR] = 25;
    totals[QN_COST_DR] = 9;
    totals[QN_COST_D1MR] = 4;
    totals[QN_COST_EVENTS] = 7;
    add_row(10, 3, 2, 5);
    add_row(10, 6, 1, 0);
    is_str(write_all(totals), HEAD "1,0,10,10,0,0,3,2,0,0,0,0,5,0.0000,66.6667,0.0000,0.0000,3\n"
                                   "2,10,20,10,0,0,6,1,0,0,0,0,0,0.0000,16.6667,0.0000,0.0000,3\n"
                                   "3,20,25,5,0,0,0,1,0,0,0,0,2,0.0000,,0.0000,0.0000,3\n", "two and the rest");
    totals[QN_COST_IR] = 20;
    totals[QN_COST_DR] = 9;
    totals[QN_COST_D1MR] = 3;
    totals[QN_COST_EVENTS] = 5;
    is_int(strstr(write_all(totals), "\n3,") != NULL, 0, "no rest, no row");
    is_int(qn_cost_copy(&copy, &store), 0, "a forked guest inherits them");
    is_int(memcmp(copy.base + QN_ARENA_INTERVALS_OFF, store.base + QN_ARENA_INTERVALS_OFF, 2 * 14 * 8), 0, "all");
    qn_cost_close(&copy);
    ok(!qn_cost_intervals_full(&store), "there is room for more");
    qn_cost_header(&store)->n_intervals = QN_ARENA_INTERVALS_SIZE / (14 * 8);
    ok(qn_cost_intervals_full(&store), "until there is none");
    qn_cost_header(&store)->n_intervals = 3;
    add_row(INT64_MIN, INT64_MAX, INT64_MIN, -1);
    ok(strlen(write_all(totals)) > 100, "nonsense is written as it stands");
    is_int(qn_cost_write_intervals("/nosuch/file", &store, &events, totals, &err), QN_TEXT_IO, "a file that cannot be made");
    ok(strstr(err.text, "/nosuch/file") != NULL, "is named");
    qn_cost_close(&store);
    return done_testing();
}
