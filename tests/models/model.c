/* tests/models/model.c - writes a trace and, in the same order, what should become of each reference.
 *
 *   model TRACE OUTCOMES kind=random seed=3 n=10000 policy=lru I1=1024,2,32 D1=1024,2,32 LL=4096,4,64 bc=gshare bi=btb
 *   model TRACE OUTCOMES kind=random d1=victim ll=l2 opt=victim-lines=4,l2-size=8192       whole levels (levels.c)
 *   model TRACE OUTCOMES kind=recorded an=3c                                                TRACE is read, not written
 *
 * A line of OUTCOMES: I or D and 0 hit, 1 miss, 3 LL miss too, plus 4 if it misses a middle level (L2=); B or J and 1 if mispredicted.  Events of levels and what
 * analyses say go to stdout.  TRACE ends in .lk for lackey text, else it is quern's binary format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

struct setting {
    const char *key, *value;
};

static struct setting settings[] = {{"kind", "mixed"},     {"seed", "1"},          {"n", "10000"},
                                    {"policy", "lru"},     {"llpolicy", ""},       {"I1", "1024,2,32"},
                                    {"D1", "1024,2,32"},   {"LL", "4096,4,64"},    {"bc", "cachegrind"},
                                    {"bi", "cachegrind"},  {"modelseed", "1"},     {"d1", ""},
                                    {"L2", ""},            {"ll", "lru"},         {"an", ""},             {"opt", ""}};

static const char *get(const char *key)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (!strcmp(settings[i].key, key))
            return settings[i].value;
    abort();
}

static bool set(char *text)
{
    char *equals = strchr(text, '=');

    for (size_t i = 0; equals && i < sizeof settings / sizeof *settings; i++)
        if (!strncmp(settings[i].key, text, (size_t)(equals - text)) && !settings[i].key[equals - text]) {
            settings[i].value = equals + 1;
            return true;
        }
    fprintf(stderr, "model: %s?\n", text);
    return false;
}

uint64_t model_seed(void) { return strtoull(get("modelseed"), NULL, 10); }

uint64_t option(const char *key, uint64_t otherwise)
{
    const char *at = get("opt");
    size_t length = strlen(key);

    while (at && *at) {
        if (!strncmp(at, key, length) && at[length] == '=')
            return strtoull(at + length + 1, NULL, 10);
        at = strchr(at, ',');
        at += at != NULL;
    }
    return otherwise;
}

static struct cache *make(const char *level, const char *policy)
{
    unsigned size, ways, line;

    if (sscanf(get(level), "%u,%u,%u", &size, &ways, &line) != 3)
        abort();
    return cache_make(policy, size, ways, line, strtoull(get("modelseed"), NULL, 10));
}

/* A reference to policies in all slots. */
static unsigned touch(const struct trace_ops *t, size_t i)
{
    static struct cache *l1[2], *ll;
    const struct op_record *o = &t->ops[i];
    bool code = o->op == OP_FETCH;

    if (!ll) {
        l1[0] = make("D1", get("policy"));
        l1[1] = make("I1", get("policy"));
        ll = make("LL", *get("llpolicy") ? get("llpolicy") : get("policy"));
    }
    if (!cache_touch(l1[code], o->addr, o->size, i, t, code))
        return 0;
    return cache_touch(ll, o->addr, o->size, i, t, code) ? 3 : 1;
}

/* Where there is no return stack, calls and returns pass unseen. */
static bool stack_only(const struct op_record *o, FILE *out)
{
    if (o->op < OP_CALL)
        return false;
    if (o->op == OP_CALL)
        predict_call(o);
    else if (!strcmp(get("bi"), "ras"))
        fprintf(out, "R%d\n", predict_return(o));
    return true;
}

static void run(const struct trace_ops *t, FILE *out)
{
    bool levels = *get("d1") != 0;

    if (levels)
        levels_make(get("I1"), get("D1"), get("L2"), get("LL"), get("d1"), get("ll"));
    analysis_make(get("an"), get("D1"));
    for (size_t i = 0; i < t->n; i++) {
        const struct op_record *o = &t->ops[i];
        bool passed = stack_only(o, out);
        unsigned outcome = passed                 ? 0
                           : o->op == OP_COND       ? predict_cond(get("bc"), o)
                           : o->op == OP_INDIRECT ? predict_indirect(get("bi"), o)
                           : levels               ? levels_touch(o)
                                                  : touch(t, i);

        if (o->op >= OP_COND)
            predict_pass(o);
        if (passed)
            continue;
        outcome |= levels && levels_middle_missed() ? 4 : 0;
        fprintf(out, "%c%u\n", "IDDDBJ"[o->op], outcome);
        analysis_see(o, outcome);
    }
    if (levels)
        levels_print(stdout);
    analysis_print(stdout);
}

static bool make_trace(struct trace_ops *t, const char *path)
{
    size_t length = strlen(path);

    if (!strcmp(get("kind"), "recorded"))
        return read_text(t, path);
    if (!generate(t, get("kind"), strtoull(get("seed"), NULL, 10), strtoull(get("n"), NULL, 10)))
        return false;
    return length > 3 && !strcmp(path + length - 3, ".lk") ? write_lackey(t, path) : write_text(t, path);
}

int main(int argc, char **argv)
{
    struct trace_ops t = {0};
    FILE *out;

    for (int i = 3; i < argc; i++)
        if (!set(argv[i]))
            return 2;
    if (argc < 3 || !make_trace(&t, argv[1]) || !(out = fopen(argv[2], "w")))
        return 2;
    run(&t, out);
    return fclose(out) != 0;
}
