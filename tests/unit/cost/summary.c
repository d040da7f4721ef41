/* The printed summary, compared with what Cachegrind 3.19 printed for the same counts. */
#include "cost/summary.h"
#include "tap.h"

static char text[4000];

static void put(void *data, const char *line)
{
    (void)data;
    sprintf(text + strlen(text), "%s\n", line);
}

int main(void)
{
    const int64_t t[QN_COST_EVENTS] = { 158766, 1250, 1231, 35433, 1148, 1002, 16472, 372, 348, 28071, 3478, 296, 158 };
    const int64_t no_caches[QN_COST_EVENTS] = { [QN_COST_IR] = 70241, [QN_COST_DR] = 99999999, [QN_COST_BC] = 12645,
                                                [QN_COST_BCM] = 1529, [QN_COST_BI] = 73, [QN_COST_BIM] = 49 };

    qn_cost_print_summary(t, NULL, true, true, false, put, NULL);
    is_str(text, "I   refs:      158,766\n"
                 "I1  misses:      1,250\n"
                 "LLi misses:      1,231\n"
                 "I1  miss rate:    0.79%\n"
                 "LLi miss rate:    0.78%\n"
                 "\n"
                 "D   refs:       51,905  (35,433 rd   + 16,472 wr)\n"
                 "D1  misses:      1,520  ( 1,148 rd   +    372 wr)\n"
                 "LLd misses:      1,350  ( 1,002 rd   +    348 wr)\n"
                 "D1  miss rate:     2.9% (   3.2%     +    2.3%  )\n"
                 "LLd miss rate:     2.6% (   2.8%     +    2.1%  )\n"
                 "\n"
                 "LL refs:         2,770  ( 2,398 rd   +    372 wr)\n"
                 "LL misses:       2,581  ( 2,233 rd   +    348 wr)\n"
                 "LL miss rate:      1.2% (   1.1%     +    2.1%  )\n"
                 "\n"
                 "Branches:       28,367  (28,071 cond +    296 ind)\n"
                 "Mispredicts:     3,636  ( 3,478 cond +    158 ind)\n"
                 "Mispred rate:     12.8% (  12.4%     +   53.4%   )\n",
           "caches and branches");
    text[0] = 0;
    qn_cost_print_summary(no_caches, NULL, false, true, false, put, NULL);
    is_str(text, "I   refs:      70,241\n"
                 "\n"
                 "Branches:      12,718  (12,645 cond + 73 ind)\n"
                 "Mispredicts:    1,578  ( 1,529 cond + 49 ind)\n"
                 "Mispred rate:    12.4% (  12.1%     + 67.1%   )\n",
           "branches alone");
    text[0] = 0;
    qn_cost_print_summary(no_caches, NULL, false, false, false, put, NULL);
    is_str(text, "I   refs:      70,241\n", "neither");
    text[0] = 0;
    qn_cost_print_summary(t, NULL, true, false, true, put, NULL);
    ok(strstr(text, "LL local rate:    93.2% (  93.1%     +   93.5%  )\n"), "rates over the L1 misses on demand");
    text[0] = 0;
    qn_cost_print_summary(t, (const int64_t[]){ 700, 600, 400 }, true, false, true, put, NULL);
    ok(strstr(text, "L2i misses:") && strstr(text, "L2d misses:      1,000  (   600 rd   +    400 wr)\n"), "an L2");
    ok(strstr(text, "LL refs:         1,700  ( 1,300 rd   +    400 wr)\n"), "... whose misses are the references of the LL");
    return done_testing();
}
