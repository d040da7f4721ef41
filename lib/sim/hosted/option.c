/* sim/hosted/option.c - the command line of a hosted simulator.
 *
 *   mysim --D1=1024,1,32 --sim-opt=key=value --check TRACE */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hosted/hosted.h"
#include "sim/option.h"

static const char help[] =
    "usage: quern replay [OPTIONS] TRACE        (or the program that `quern sim build --replay` made)\n"
    "Feeds the references of TRACE (\"-\": standard input) to the simulators and prints a summary.\n\n"
    "  --I1= --D1= --LL=SIZE,ASSOC,LINE   geometry, lines of 1 byte and more\n"
    "                                     [65536,2,64  65536,2,64  262144,8,64]\n"
    "  --sim-opt=KEY=VALUE                option of a module; may be repeated; SLOT.KEY=VALUE for one slot\n"
    "  --seed=N                           of random policies [1]\n"
    "  --branch-sim=yes|no                simulate the branches that the trace has [yes]\n"
    "  --split-modify=yes|no              a modify is a read and then a write [no]\n"
    "  --filter=yes|no                    use the hit filter, as emitted code does [no]\n"
    "  --check=yes|no                     compare filtered and unfiltered simulation [no]\n"
    "  --from=N                           leave out the first N instructions [0]\n"
    "  --count=N                          feed N instructions [all]\n"
    "  --outcomes=FILE                    a line per reference: kind, 0 hit, 1 miss, 3 LL miss; B, J, R: 1 if\n"
    "                                     mispredicted\n"
    "  --format=outcomes|text|lackey|din  of this file: text has pc, address, bytes, and hit or miss of each\n"
    "                                     level; lackey and din have the references alone [outcomes]\n"
    "  --watch=N --watch-file=FILE        N data references with what the D1 held, as CSV (quern watch --trace)\n"
    "  --watch-of=D1|BC|BI                or N conditional (BC) or indirect branches (BI) with what the\n"
    "                                     predictor held [D1]\n"
    "  --watch-from=N                     from the Nth of them on [1]\n"
    "  --watch-at=ADDRESS,...             from the first of them on that the instruction at one of these\n"
    "                                     addresses makes\n";

static bool parse_geometry(struct qn_geometry *g, const char *name, const char *text)
{
    unsigned long long size, ways, line;
    char rest;

    if (sscanf(text, "%llu,%llu,%llu%c", &size, &ways, &line, &rest) != 3 || size > UINT32_MAX || ways > UINT32_MAX
        || line > UINT32_MAX) {
        hosted_complain("--%s: got '%s', wanted SIZE,ASSOC,LINE", name, text);
        return false;
    }
    if (!line || (line & (line - 1)) || !ways || size % (ways * line) || !size
        || (size / (ways * line) & (size / (ways * line) - 1))) {
        hosted_complain("--%s=%s: the line must be a power of two and SIZE = sets * ASSOC * line with a power of two of sets", name,
                        text);
        return false;
    }
    *g = (struct qn_geometry){(uint32_t)size, (uint32_t)ways, (uint32_t)line};
    return true;
}

static bool parse_yesno(bool *field, const char *name, const char *text)
{
    if (strcmp(text, "yes") && strcmp(text, "no")) {
        hosted_complain("--%s: got '%s', wanted yes or no", name, text);
        return false;
    }
    *field = *text == 'y';
    return true;
}

static bool parse_number(uint64_t *field, const char *name, const char *text, const char *what)
{
    char *end;

    errno = 0;
    *field = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno)
        return true;
    hosted_complain("--%s: got '%s', wanted a number of %s", name, text, what);
    return false;
}

static bool parse_watch_of(enum sim_slot *slot, const char *text)
{
    static const char *const names[] = SIM_SLOT_NAMES;

    for (*slot = SLOT_D1; *slot < SLOTS; ++*slot)
        if (!strcmp(text, names[*slot]) && *slot != SLOT_LL && *slot != SLOT_AN)
            return true;
    hosted_complain("--watch-of: got '%s', wanted D1, BC or BI", text);
    return false;
}

static bool parse_format(enum hosted_format *format, const char *text)
{
    static const char *const names[] = { "outcomes", "text", "lackey", "din" };

    for (*format = HOSTED_OUTCOMES; *format <= HOSTED_DIN; ++*format)
        if (!strcmp(text, names[*format]))
            return true;
    hosted_complain("--format: got '%s', wanted outcomes, text, lackey or din", text);
    return false;
}

static void add_option(const char *text)
{
    char *joined = malloc(strlen(hosted_options) + strlen(text) + 2);

    if (!joined)
        abort();
    sprintf(joined, "%s%s%s", hosted_options, *hosted_options ? "," : "", text);
    hosted_options = joined;
}

static bool set(struct hosted_options *o, const char *name, const char *value)
{
    if (!strcmp(name, "I1"))
        return parse_geometry(&o->config.I1, name, value);
    if (!strcmp(name, "D1"))
        return parse_geometry(&o->config.D1, name, value);
    if (!strcmp(name, "LL"))
        return parse_geometry(&o->config.LL, name, value);
    if (!strcmp(name, "branch-sim"))
        return parse_yesno(&o->branch_sim, name, value);
    if (!strcmp(name, "split-modify"))
        return parse_yesno(&o->split_modify, name, value);
    if (!strcmp(name, "filter"))
        return parse_yesno(&o->filter, name, value);
    if (!strcmp(name, "check"))
        return parse_yesno(&o->check, name, value);
    if (!strcmp(name, "from"))
        return parse_number(&o->from, name, value, "instructions");
    if (!strcmp(name, "count"))
        return parse_number(&o->count, name, value, "instructions");
    if (!strcmp(name, "watch"))
        return parse_number(&o->config.watch_count, name, value, "data references");
    if (!strcmp(name, "watch-from"))
        return parse_number(&o->config.watch_from, name, value, "data references");
    if (!strcmp(name, "watch-of"))
        return o->watch_of_given = true, parse_watch_of(&o->watch_of, value);
    if (!strcmp(name, "format"))
        return parse_format(&o->format, value);
    if (!strcmp(name, "sim-opt"))
        add_option(value);
    else if (!strcmp(name, "seed"))
        o->config.seed = strtoull(value, NULL, 10);
    else if (!strcmp(name, "outcomes"))
        o->outcomes = value;
    else if (!strcmp(name, "watch-file"))
        o->watch_file = value;
    else if (!strcmp(name, "watch-at"))
        o->watch_at = value;
    else {
        hosted_complain("--%s: unknown option; --help lists them", name);
        return false;
    }
    return true;
}

/* false: a line was printed. */
static bool check_watch(struct hosted_options *o)
{
    struct qn_config *c = &o->config;

    if (!c->watch_count && !c->watch_from && !o->watch_file && !o->watch_at && !o->watch_of_given)
        return true;
    if (o->watch_at && (o->watch_of == SLOT_D1 || c->watch_from))
        return hosted_complain("--watch-at: %s", c->watch_from ? "not with --watch-from, which tells where to begin, too" : "needs --watch-of=BC or BI"), false;
    if (!c->watch_from)
        c->watch_from = 1;
    if (o->watch_of != SLOT_D1 && !o->branch_sim)
        return hosted_complain("--watch-of: not with --branch-sim=no"), false;
    if (c->watch_count && c->watch_count <= QN_NOTES_MAX && o->watch_file)
        return true;
    if (o->watch_of_given && !c->watch_count)
        hosted_complain("--watch-of: needs --watch=N");
    else if (!o->watch_file)
        hosted_complain("--watch: needs --watch-file=FILE");
    else
        hosted_complain("--watch: got %llu, wanted 1 to %llu data references", (unsigned long long)c->watch_count, (unsigned long long)QN_NOTES_MAX);
    return false;
}

static bool parse_one(struct hosted_options *o, const char *text)
{
    char name[32];
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : strlen(text);

    if (n >= sizeof name)
        n = sizeof name - 1;
    memcpy(name, text, n);
    name[n] = 0;
    return set(o, name, equals ? equals + 1 : "yes");
}

bool hosted_check_options(void)
{
    const char *option = sim_option_unasked(hosted_options, hosted_options_asked);

    if (option)
        hosted_complain("--sim-opt=%.*s: no module has this option", (int)strcspn(option, ","), option);
    return !option;
}

int hosted_parse(struct hosted_options *o, int argc, char **argv)
{
    *o = (struct hosted_options){.watch_of = SLOT_D1,
                                 .config = {.I1 = {65536, 2, 64}, .D1 = {65536, 2, 64}, .LL = {262144, 8, 64}, .seed = 1, .cache_sim = 1, .branch_sim = 1},
                                 .branch_sim = true,
                                 .count = UINT64_MAX};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return fputs(help, stdout), 0;
        if (strncmp(argv[i], "--", 2)) {
            if (o->trace)
                return hosted_complain("%s: one trace only", argv[i]), HOSTED_EXIT_USAGE;
            o->trace = argv[i];
        } else if (!parse_one(o, argv[i] + 2)) {
            return HOSTED_EXIT_USAGE;
        }
    }
    if (!o->trace)
        return hosted_complain("no trace given; --help tells how"), HOSTED_EXIT_USAGE;
    if (!check_watch(o))
        return HOSTED_EXIT_USAGE;
    o->filter |= o->check;
    return -1;
}
