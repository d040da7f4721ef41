/* Are estimated cycles, CPI and its parts, and AMAT what one works out by hand, with any latencies and whatever events there are? */
#include "tap.h"

#include <stdlib.h>

#include "out/columns.h"

static char *names[] = { (char *)"Ir", (char *)"I1mr", (char *)"ILmr", (char *)"Dr",   (char *)"D1mr", (char *)"DLmr", (char *)"Dw",
                         (char *)"D1mw", (char *)"DLmw", (char *)"Bc", (char *)"Bcm", (char *)"Bi", (char *)"Bim" };
static const struct qn_prof_header all = { .events = names, .event_count = 13 }, no_branches = { .events = names, .event_count = 9 },
                                   only_Ir = { .events = names, .event_count = 1 }, none = { .events = names + 1, .event_count = 1 };
/*                               Ir  I1mr ILmr Dr  D1mr DLmr Dw  D1mw DLmw Bc  Bcm Bi Bim */
static const int64_t counts[] = { 1000, 7, 2, 300, 40, 5, 100, 10, 3, 90, 8, 10, 4 };

/* The value as text; "none": no such column. */
static const char *value_of(const char *column, const struct qn_prof_header *h)
{
    static char result[64];
    struct qn_text_error err = { .status = QN_TEXT_OK };
    char *text = qn_out_write_timing(column, h);
    struct qn_out_expr *e = text ? qn_out_parse_expr(text, h, &err) : NULL;
    double value;

    if (!e)
        snprintf(result, sizeof result, "none");
    else if (qn_out_eval_expr(e, counts, &value))
        snprintf(result, sizeof result, "%.10g", value);
    qn_out_free_expr(e);
    free(text);
    return result;
}

int main(void)
{
    ok(!qn_out_timing_chosen(), "at first nobody has asked for it");
    is_str(value_of("cycles", &all), "2690", "CEst: 1000 + 10 x 57 + 100 x 10 + 10 x 12");
    is_str(value_of("CPI", &all), "2.69", "by instruction");
    is_str(value_of("CPI.issue", &all), "1", "issue");
    is_str(value_of("CPI.I1", &all), "0.07", "I1 misses");
    is_str(value_of("CPI.D1", &all), "0.5", "D1 misses");
    is_str(value_of("CPI.LL", &all), "1", "LL misses");
    is_str(value_of("CPI.branch", &all), "0.12", "mispredicts: the parts are the whole");
    is_str(value_of("AMAT", &all), "4.25", "AMAT: 1 + (10 x 50 + 100 x 8) / 400");
    is_str(value_of("cycles", &no_branches), "2570", "without branches they cost nothing");
    is_str(value_of("cycles", &only_Ir), "1000", "without caches, instructions");
    is_str(value_of("AMAT", &only_Ir), "none", "... and no AMAT");
    is_str(value_of("cycles", &none), "none", "without instructions, nothing");
    is_str(value_of("CPI.L3", &all), "none", "no such column");

    names[2] = (char *)"I2mr", names[5] = (char *)"D2mr", names[8] = (char *)"D2mw";
    is_str(value_of("cycles", &all), "2690", "the names of Cachegrind 3.5: I2mr, D2mr, D2mw");
    is_str(value_of("CPI.LL", &all), "1", "... LL misses");
    is_str(value_of("AMAT", &all), "4.25", "... AMAT");
    is_str(qn_out_choose_timing("width=4,LL=200,hit=3"), NULL, "another machine");
    ok(qn_out_timing_chosen(), "... is asked for");
    is_str(value_of("cycles", &all), "2940", "250 + 10 x 57 + 200 x 10 + 10 x 12");
    is_str(value_of("CPI.issue", &all), "0.25", "four at a time");
    is_str(value_of("AMAT", &all), "8.25", "3 + (10 x 50 + 200 x 8) / 400");
    is_str(qn_out_choose_timing("branch=0.5"), NULL, "what is not named");
    is_str(value_of("cycles", &all), "2576", "... is as usual");

    is_str(qn_out_choose_timing("l2=5"), "width=N,hit=N,L1=N,L2=N,LL=N,branch=N, or some of them", "refused: l2");
    is_str(qn_out_choose_timing("L1"), "width=N,hit=N,L1=N,L2=N,LL=N,branch=N, or some of them", "refused: a name alone");
    is_str(qn_out_choose_timing("width=0"), "numbers of cycles from 0 to 1000000, and a width above 0", "refused: width 0");
    is_str(qn_out_choose_timing("L1=-1"), "numbers of cycles from 0 to 1000000, and a width above 0", "refused: -1");
    is_str(qn_out_choose_timing("L1=nan"), "numbers of cycles from 0 to 1000000, and a width above 0", "refused: nan");
    is_str(qn_out_choose_timing("L1=1x"), "numbers of cycles from 0 to 1000000, and a width above 0", "refused: 1x");
    is_str(value_of("cycles", &all), "2576", "... and nothing has changed");
    return done_testing();
}
