/* tests/models/model.c - writes a trace and, in the same order, what should become of each reference.
 *
 *   model TRACE OUTCOMES kind=random seed=3 n=10000 policy=lru I1=1024,2,32 D1=1024,2,32 LL=4096,4,64 bc=gshare bi=btb
 *
 * A line of OUTCOMES: I or D and 0 hit, 1 miss, 3 LL miss too; B or J and 1 if mispredicted.  TRACE ends in .lk for lackey
 * text, else it is quern's binary format. */
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
                                    {"bi", "cachegrind"},  {"modelseed", "1"}};

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

static struct cache *make(const char *level, const char *policy)
{
    unsigned size, ways, line;

    if (sscanf(get(level), "%u,%u,%u", &size, &ways, &line) != 3)
        abort();
    return cache_make(policy, size, ways, line, strtoull(get("modelseed"), NULL, 10));
}

static void run(const struct trace_ops *t, FILE *out)
{
    const char *policy = get("policy"), *ll_policy = *get("llpolicy") ? get("llpolicy") : policy;
    struct cache *l1[2] = {make("D1", policy), make("I1", policy)}, *ll = make("LL", ll_policy);

    for (size_t i = 0; i < t->n; i++) {
        const struct op_record *o = &t->ops[i];
        bool code = o->op == OP_FETCH;
        unsigned outcome = 0;

        if (o->op == OP_COND) {
            fprintf(out, "B%d\n", predict_cond(get("bc"), o));
        } else if (o->op == OP_INDIRECT) {
            fprintf(out, "J%d\n", predict_indirect(get("bi"), o));
        } else {
            if (cache_touch(l1[code], o->addr, o->size, i, t, code))
                outcome = cache_touch(ll, o->addr, o->size, i, t, code) ? 3 : 1;
            fprintf(out, "%c%u\n", code ? 'I' : 'D', outcome);
        }
    }
}

int main(int argc, char **argv)
{
    struct trace_ops t = {0};
    bool text = argc > 2 && strlen(argv[1]) > 3 && !strcmp(argv[1] + strlen(argv[1]) - 3, ".lk");
    FILE *out;

    for (int i = 3; i < argc; i++)
        if (!set(argv[i]))
            return 2;
    if (argc < 3 || !generate(&t, get("kind"), strtoull(get("seed"), NULL, 10), strtoull(get("n"), NULL, 10)))
        return 2;
    if (!(text ? write_lackey(&t, argv[1]) : write_binary(&t, argv[1])) || !(out = fopen(argv[2], "w")))
        return 1;
    run(&t, out);
    return fclose(out) != 0;
}
