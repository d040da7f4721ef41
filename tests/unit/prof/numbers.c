/* Are counts, percentages, thresholds and expressions printed and worked out as cg_annotate's readers expect? */
#include "tap.h"

#include "out/columns.h"
#include "out/sink.h"

static const char *commas(int64_t v)
{
    static char text[QN_OUT_COUNT_MAX];
    qn_out_commify(text, v);
    return text;
}

static const char *shortest(double v)
{
    static char text[QN_OUT_PERCENT_MAX];
    qn_out_shortest(text, v);
    return text;
}

/* Compares with printf on a few million values, most of them near where rounding changes. */
static void test_rounding(int decimals)
{
    uint64_t x = 1;
    long wrong = 0;
    for (int i = 0; i < 2000000; i++) {
        char got[QN_OUT_PERCENT_MAX], wanted[400];
        x = x * 6364136223846793005u + 1442695040888963407u;
        double v = i % 2 ? (double)(int64_t)(x >> 40) / 200 : (double)(int64_t)(x >> 30) / (double)((x & 0xffff) + 1);
        v = i % 5 ? v : -v;
        snprintf(wanted, sizeof wanted, "%.*f", decimals, v);
        qn_out_fixed(got, v, decimals);
        wrong += strcmp(got, wanted) != 0;
    }
    is_int(wrong, 0, "2 million numbers with %d decimals, as printf has them", decimals);
}

static const char *value(const char *text)
{
    static char answer[64];
    static char *names[] = {(char *)"Ir", (char *)"D1mr", (char *)"Ir"};
    struct qn_prof_header h = {.events = names, .event_count = 2};
    struct qn_text_error err = {0};
    struct qn_out_expr *e = qn_out_parse_expr(text, &h, &err);
    double v;

    if (!e)
        return "error";
    if (qn_out_eval_expr(e, (const int64_t[]){200, QN_PROF_NONE}, &v))
        snprintf(answer, sizeof answer, "%g", v);
    else
        strcpy(answer, "none");
    qn_out_free_expr(e);
    return answer;
}

static void test_expressions(void)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"Ir", "200"}, {"D1mr", "0"}, {"1+2*3", "7"}, {"(1+2)*3", "9"}, {"-Ir/4", "-50"}, {"--1", "1"}, {"2-3-4", "-5"},
        {"8/4/2", "1"}, {" Ir * .5 ", "100"}, {"1e2", "100"}, {"Ir/D1mr", "none"}, {"Ir/(1-1)+1", "none"}, {"", "error"},
        {"Ir+", "error"}, {"(Ir", "error"}, {"Ir)", "error"}, {"Dr", "error"}, {"Ir Ir", "error"}, {"1**2", "error"},
        {"Ir D1mr", "error"}, {"%", "error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(value(cases[i].text), cases[i].wanted, "expression \"%s\"", cases[i].text);
    char deep[400];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    is_str(value(deep), "error", "nesting is bounded");
}

int main(void)
{
    is_str(commas(0), "0", "0");
    is_str(commas(999), "999", "999");
    is_str(commas(1000), "1,000", "1000");
    is_str(commas(-100), "-100", "-100");
    is_str(commas(-123456), "-123,456", "-123456");
    is_str(commas(INT64_MAX), "9,223,372,036,854,775,807", "the largest");
    is_str(commas(INT64_MIN), "-9,223,372,036,854,775,808", "the smallest");
    is_str(shortest(0.1), "0.1", "the default threshold");
    is_str(shortest(20), "20.0", "a whole number");
    is_str(shortest(0), "0.0", "zero");
    is_str(shortest(0.0001), "0.0001", "the last without an exponent");
    is_str(shortest(0.00001), "1e-05", "the first with one");
    is_str(shortest(1.0 / 3), "0.3333333333333333", "a third");
    is_str(shortest(1e16), "1e+16", "a large number");
    is_str(shortest(123456789.125), "123456789.125", "digits on both sides");
    test_rounding(1);
    test_rounding(2);
    ok(qn_out_percent(INT64_MAX, INT64_MAX) == 100, "100%% of the largest count");
    ok(qn_out_percent(-1, 8) == -12.5, "a negative share");
    test_expressions();
    return done_testing();
}
