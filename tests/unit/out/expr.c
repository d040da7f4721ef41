/* Does an expression over events give the number that school arithmetic gives, and is nothing else taken for one? */
#include "tap.h"

#include "out/columns.h"

static char *names[] = {(char *)"Ir", (char *)"Dr", (char *)"D1mr", (char *)"zero"};
static const struct qn_prof_header header = {.events = names, .event_count = 4};
static const int64_t counts[] = {1000, 200, 7, 0};

/* The value as text; "none"; or the message where the text is no expression. */
static const char *value_of(const char *text)
{
    static char result[QN_TEXT_MAX];
    struct qn_text_error err = {0};
    double value;
    struct qn_out_expr *e = qn_out_parse_expr(text, &header, &err);

    if (!e)
        snprintf(result, sizeof result, "%s", err.text);
    else if (qn_out_eval_expr(e, counts, &value))
        snprintf(result, sizeof result, "%g", value);
    else
        snprintf(result, sizeof result, "none");
    qn_out_free_expr(e);
    return result;
}

static void refused(const char *text, const char *message)
{
    is_str(value_of(text), message, "refused: %.40s", text);
}

int main(void)
{
    char deep[300], many[2000] = "Ir";

    is_str(value_of("Ir"), "1000", "an event");
    is_str(value_of(" 2.5e3 "), "2500", "a number");
    is_str(value_of("1+2*3"), "7", "products before sums");
    is_str(value_of("(1+2)*3"), "9", "parentheses first");
    is_str(value_of("10-4-3"), "3", "differences from the left");
    is_str(value_of("100/10/5"), "2", "quotients from the left");
    is_str(value_of("-Ir+-2*-3"), "-994", "signs");
    is_str(value_of("2*-(Dr - D1mr)"), "-386", "a sign before parentheses");
    is_str(value_of("100*D1mr/Dr"), "3.5", "a ratio");
    is_str(value_of("Ir/zero"), "none", "division by zero has no value");
    is_str(value_of("zero/zero"), "none", "nor has this");
    is_str(value_of("Ir/(Dr-200)+1"), "none", "wherever it stands");
    is_str(value_of("zero/Ir"), "0", "zero divided is zero");
    is_str(value_of("1e308*1e308"), "none", "infinity is no value");

    refused("", "malformed expression, got `` at ``, wanted a number, an event, - or (");
    refused("Ir+", "malformed expression, got `Ir+` at ``, wanted a number, an event, - or (");
    refused("(Ir", "malformed expression, got `(Ir` at ``, wanted a closing )");
    refused("Ir)", "malformed expression, got `Ir)` at `)`, wanted the end or an operator");
    refused("Ir Dr", "malformed expression, got `Ir Dr` at `Dr`, wanted the end or an operator");
    refused("Nope", "malformed expression, got `Nope` at `Nope`, wanted an event of the `events:` line");
    refused("Ir%2", "malformed expression, got `Ir%2` at `%2`, wanted the end or an operator");
    refused("1e999", "malformed expression, got `1e999` at `1e999`, wanted a number");

    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    ok(strstr(value_of(deep), "wanted less nesting") != NULL, "299 parentheses are too many");
    for (int i = 0; i < 300; i++)
        strcat(many, "+Ir");
    ok(strstr(value_of(many), "wanted a shorter one") != NULL, "so are 301 terms");
    return done_testing();
}
