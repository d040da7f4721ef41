/* Which runs follow from an experiment, and are impossible ones refused with their origin? */
#include "exp/runs.h"
#include "tap.h"

static const struct qn_geometry host[QN_EXP_LEVELS] = { { 32768, 8, 64 }, { 49152, 12, 64 }, { 1048576, 16, 64 } };
static struct qn_exp e;
static struct qn_exp_runs runs;
static struct qn_text_error err;

static void begin(const char *program, const char *argument)
{
    struct qn_exp_program *p;

    err = (struct qn_text_error){ .status = QN_TEXT_OK };
    qn_exp_init(&e);
    p = qn_exp_add_program(&e, program, "test");
    qn_exp_add_text(&e, &p->argv, program, "test");
    qn_exp_add_text(&e, &p->argv, argument, "test");
}

static bool list(const char *text) { return qn_exp_add_list(&e, text, "-L", &err); }

static bool powers(const char *name, const char *from, const char *to)
{
    struct qn_exp_axis *axis = qn_exp_add_axis(&e, name, "-P", &err);

    return axis && qn_exp_add_powers(&e, axis, from, to, "-P", &err);
}

static bool set(const char *name, const char *value) { return qn_exp_set(&e, name, value, "--set", &err); }
static bool make(void) { return qn_exp_make_runs(&e, host, &runs, &err); }

/* "./p 1|srrip|1024,2,64" */
static const char *describe(int i)
{
    static char text[200];
    const struct qn_exp_run *r = &runs.at[i];
    const struct qn_geometry *d = &r->geometry[QN_EXP_D1];

    snprintf(text, sizeof text, "%s %s|%s|%u,%u,%u", r->argv[0], r->argv[1], r->sim.text, d->size, d->assoc, d->line);
    return text;
}

static void test_order(void)
{
    begin("./p", "{n}");
    ok(list("n=1,2") && list("sim=lru,srrip") && powers("size", "1K", "4K") && set("D1", "1024,2,64"), "three axes");
    ok(make(), "make runs");
    is_int(runs.count, 12, "2 x 2 x 3");
    is_str(describe(0), "./p 1|lru|1024,2,64", "the first");
    is_str(describe(1), "./p 1|lru|2048,2,64", "the last axis varies fastest");
    is_str(describe(3), "./p 1|srrip|1024,2,64", "then the one before it");
    is_str(describe(11), "./p 2|srrip|4096,2,64", "the last");
    ok(qn_exp_is_parameter(&e.axes[0]) && !qn_exp_is_parameter(&e.axes[1]) && !qn_exp_is_parameter(&e.axes[2]),
       "only n is a parameter");
    qn_exp_free(&e);
}

/* This machine's D1 has 12 ways: no power of two fits, and eight are taken. */
static void test_ways(void)
{
    begin("./p", "1");
    ok(powers("size", "1024", "4096") && make(), "sizes of a D1 that this machine has with 12 ways");
    is_str(describe(0), "./p 1|default|1024,8,64", "eight ways, so that 1 KiB fits");
    qn_exp_free(&e);
    begin("./p", "1");
    ok(list("sim=lru") && make(), "nothing of the D1 varies");
    is_str(describe(0), "./p 1|lru|49152,12,64", "it stays as it is");
    qn_exp_free(&e);
}

static void test_values(void)
{
    begin("awk", "{print} {n}{n}");
    ok(list("n=8..10") && list("D1=1K,1,16;{n}K,{n},16") && make(), "ranges, and references in geometries");
    is_int(runs.at[5].geometry[QN_EXP_D1].size, 10240, "10 KiB");
    is_int(runs.at[5].geometry[QN_EXP_D1].assoc, 10, "of 10 ways");
    qn_exp_free(&e);

    begin("awk", "{print} {n}{n}");
    ok(list("n=8..10") && list("D1=1K,1,16;16K,{n},16"), "a cache that cannot be");
    ok(!make() && !strcmp(err.text, "-L: D1: got '16384,9,16', wanted a size that is sets * ways * line"), "%s", err.text);
    qn_exp_free(&e);

    begin("awk", "{print} {n}{n}");
    ok(list("n=8..10") && set("options", "bits={n}") && set("options", "x=1") && make(), "no geometry");
    is_str(runs.at[2].argv[1], "{print} 1010", "braces of the program's own stay");
    is_str(runs.at[2].options, "bits=10,x=1", "options are joined");
    is_int(runs.at[0].geometry[QN_EXP_D1].assoc, 12, "a level that nobody gives is the machine's");
    qn_exp_free(&e);
}

static void test_parts(void)
{
    begin("./p", "");
    ok(list("LL.ways=1,2") && list("line=32,64") && list("I1=64K,4,32") && list("seed=7") && make(), "parts of levels");
    is_int(runs.count, 4, "four runs");
    is_int(runs.at[0].geometry[QN_EXP_LL].assoc, 1, "ways of the LL");
    is_int(runs.at[3].geometry[QN_EXP_D1].line, 64, "line is the D1's");
    is_int(runs.at[0].geometry[QN_EXP_I1].size, 65536, "suffixes");
    is_int((int64_t)runs.at[0].seed, 7, "seed");
    qn_exp_free(&e);
}

static void refused(const char *axis, const char *message)
{
    begin("./p", "{n}");
    ok(!(list("n=1") && list(axis) && make()), "%s is refused", axis);
    is_str(err.text, message, "with the reason");
    qn_exp_free(&e);
}

int main(void)
{
    uint64_t size;

    test_order();
    test_ways();
    test_values();
    test_parts();
    refused("m=1,2", "-L: nothing has a {m} that could vary");
    refused("n=2", "-L: n varies already, at -L");
    refused("D1=1024,2", "-L: D1: got '1024,2', wanted SIZE,WAYS,LINE");
    refused("D1=1000,2,64;1,1,1", "-L: D1: got '1000,2,64', wanted a size that is sets * ways * line");
    refused("D1.ways=3", "-L: D1: got '32768,3,64', wanted a size that is sets * ways * line");
    refused("D1.line=8", "-L: D1: got '32768,8,8', wanted a line that is a power of two, at least 16");
    refused("sim", "-L: what varies: got 'sim', wanted NAME=VALUE,VALUE");
    refused("sim=lru,lru", "-L: sim: got 'lru', wanted each value once");
    refused("sim=lru,", "-L: sim: got '', wanted a value");
    refused("seed=x", "-L: seed: got 'x', wanted a number");
    refused("7=1", "-L: name of what varies: got '7', wanted letters, digits, '_', '-' and '.'");
    refused("D1.size=9..5", "-L: D1.size: got '9..5', wanted a range that rises");
    refused("D1.size=1..200000", "-L: D1.size: got '1..200000', wanted fewer values than 10000");
    begin("./p", "{a}{b}");
    ok(!(list("a=1..1000") && list("b=1..1000") && make()), "a million runs");
    is_str(err.text, "more than 100000 runs", "are too many");
    qn_exp_free(&e);
    ok(qn_exp_parse_size("3m", &size) && size == 3 << 20, "3m");
    ok(!qn_exp_parse_size("99999999999G", &size) && !qn_exp_parse_size("1KB", &size) && !qn_exp_parse_size("", &size),
       "no sizes");
    return done_testing();
}
