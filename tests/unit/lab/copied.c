/* Does what ships with quern, copied or with one line changed, and what solves the standard lab, pass any test of a student's variant?  What
 * ships has 20 variants, the rest 8.  The check itself is run, but each file is built once. */
#define _GNU_SOURCE
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/internal.h"

#include "tap.h"

#define SEEDS 20
#define FEWER_SEEDS 8  /* of what does not ship: solutions, and with a line changed */
#define CASE_SEED 7
#define LONG_SEEDS 2
#define MINE_SEEDS 1 /* three programs of 30,000 branches each */

static const char *top, *scratch;

/* A file that is handed in as `name`; of includes from its own folder the text comes along, since the check cannot read that.
 * change: "/from/to/": where the text has `from`, it gets `to`. */
struct copy {
    unsigned lab;
    const char *name, *source, *tests, *change;
    unsigned right; /* so many of these tests pass in the standard lab */
};

static void copy_text(FILE *to, const char *path, const char *change)
{
    char line[1024], included[PATH_MAX], name[256], from[128] = "", with[128] = "", *found;
    FILE *f = fopen(path, "re");

    if (!f)
        bail("%s is not there", path);
    if (change && sscanf(change, "/%127[^/]/%127[^/]/", from, with) < 1)
        bail("no change: %s", change);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "#include \"sim/%255[^\"]\"", name) == 1 && strchr(name, '/')) {
            snprintf(included, sizeof included, "%s/lib/sim/%s", top, name);
            copy_text(to, included, NULL);
        } else if (*from && (found = strstr(line, from))) {
            fprintf(to, "%.*s%s%s", (int)(found - line), line, with, found + strlen(from));
            *from = 0;
        } else {
            fputs(line, to);
        }
    }
    if (*from)
        bail("%s has no '%s'", path, from);
    fclose(f);
}

static void hand_in(const struct copy *k)
{
    char from[PATH_MAX], to[PATH_MAX];
    FILE *f;

    for (const char *const *file = qn_lab_find(k->lab)->files; *file; file++) {
        snprintf(to, sizeof to, "%s/in/%s", scratch, *file);
        unlink(to);
    }
    snprintf(from, sizeof from, "%s/%s", top, k->source);
    snprintf(to, sizeof to, "%s/in/%s", scratch, k->name);
    f = fopen(to, "we");
    if (!f)
        bail("%s cannot be written", to);
    copy_text(f, from, k->change);
    fclose(f);
}

/* Tests that run for long: they are made for a few variants. */
static bool is_long(const char *name)
{
    static const char *const parts[] = { "one pass", "a tree", "a small stream", "every count", "95%", "Zipf", "a counter", "random: ", "lock: ", "queue: ", "mine: at most 9" };
    bool found = false;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        found |= strstr(name, parts[i]) != NULL;
    return found;
}

/* How many of these tests pass with these rules. */
static unsigned count_passed(struct qn_lab_check *c, const char *tests, bool long_ones)
{
    const struct qn_lab *lab = c->request->lab;
    unsigned passed = 0;

    for (c->test = 0; c->test < lab->n_tests; c->test++) {
        bool good;

        if (!strstr(lab->tests[c->test].name, tests) || (!long_ones && is_long(lab->tests[c->test].name)))
            continue;
        c->timed = false;
        c->n_known = 0;
        c->random = CASE_SEED * 0x9e3779b97f4a7c15ull + c->test;
        good = lab->tests[c->test].passes(c);
        if (good && c->request->has_variant)
            diag("passes: %s", lab->tests[c->test].name);
        passed += good;
        if (c->broken)
            bail("the sandbox: %s", c->outcomes[c->test].remarks);
    }
    return passed;
}

static void look(const struct copy *k, const struct qn_lab_place *place)
{
    struct qn_lab_request request = { .lab = qn_lab_find(k->lab), .seed = CASE_SEED };
    struct qn_lab_check c = { .request = &request, .place = place, .rules = qn_lab_standard() };
    char directory[PATH_MAX];
    unsigned passed = 0, seeds = !strcmp(k->name, "mine.c") ? MINE_SEEDS : strstr(k->source, "solutions/") ? FEWER_SEEDS : SEEDS;

    snprintf(directory, sizeof directory, "%s/in", scratch);
    request.directory = directory;
    hand_in(k);
    c.outcomes = calloc(request.lab->n_tests, sizeof *c.outcomes);
    if (!c.outcomes || !qn_lab_open_work(&c))
        bail("no folder to work in");
    is_int(count_passed(&c, k->tests, true), k->right, "lab %u: %s as %s: %u tests in the standard lab", k->lab, k->source, k->name, k->right);
    request.has_variant = true;
    for (unsigned seed = 1; seed <= seeds; seed++) {
        c.rules = qn_lab_draw_variant(seed);
        passed += count_passed(&c, k->tests, seed <= LONG_SEEDS);
    }
    is_int(passed, 0, "lab %u: %s as %s%s%s: none in %u variants", k->lab, k->source, k->name, k->change ? " changed " : "",
           k->change ? k->change : "", seeds);
    qn_lab_close_work(&c);
    for (unsigned i = 0; i < c.n_stuck; i++)
        free(c.stuck[i]);
    for (unsigned i = 0; i < request.lab->n_tests; i++)
        free(c.outcomes[i].remarks);
    free(c.outcomes);
}

#define SOLUTION(folder, name) "labs/solutions/" folder "/" name
#define POLICY(name) "lib/sim/policy/" name
#define PREDICTOR(name) "lib/sim/bpred/" name

static const struct copy copies[] = {
    { 1, "csim.c", SOLUTION("01-cache", "csim.c"), "", NULL, 11 },
    { 1, "csim.c", SOLUTION("01-cache", "csim.c"), "", "/set = line & /set = (line ^ line >> 2) & /", 2 },
    { 2, "kernels.c", SOLUTION("02-loops", "kernels.c"), "right", NULL, 2 },
    { 3, "fifo.c", POLICY("fifo.c"), "fifo: ", NULL, 1 },
    { 3, "lru.c", POLICY("lru.c"), "lru: ", NULL, 1 },
    { 3, "plru.c", POLICY("plru.c"), "plru: ", NULL, 1 },
    { 3, "nru.c", POLICY("nru.c"), "nru: ", NULL, 1 },
    { 3, "srrip.c", POLICY("srrip.c"), "srrip: ", NULL, 1 },
    { 3, "random.c", POLICY("random.c"), "random: ", NULL, 1 },
    { 3, "opt.c", POLICY("opt.c"), "opt: ", NULL, 1 },
    { 3, "lru.c", POLICY("lfu.c"), "lru: ", NULL, 0 },
    { 3, "srrip.c", POLICY("brrip.c"), "srrip: ", NULL, 0 },
    { 3, "srrip.c", POLICY("drrip.c"), "srrip: ", NULL, 0 },
    { 3, "srrip.c", POLICY("ship.c"), "srrip: ", NULL, 1 },
    { 4, "mrc.c", SOLUTION("04-distance", "mrc.c"), "", NULL, 10 },
    { 4, "mrc.c", SOLUTION("04-distance", "mrc.c"), "", "/make(&full, 1, E << s)/make(&full, 1, 2 * E << s)/", 7 },
    { 5, "onebit.c", PREDICTOR("onebit.c"), "onebit: ", NULL, 1 },
    { 5, "twobit.c", PREDICTOR("bimodal.c"), "twobit: ", NULL, 2 },
    { 5, "gshare.c", PREDICTOR("gshare.c"), "gshare: ", NULL, 0 },
    { 5, "mine.c", PREDICTOR("tournament.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("tage.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("perceptron.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("local.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("global.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("cachegrind.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("btfn.c"), "mine: at most 45", NULL, 0 },
    { 5, "mine.c", PREDICTOR("taken.c"), "mine: at most 45", NULL, 0 },
    { 7, "nextline.c", SOLUTION("07-prefetch", "nextline.c"), "nextline", NULL, 5 },
    { 7, "nextline.c", SOLUTION("07-prefetch", "nextline.c"), "nextline", "/prefetch(line + i * sim.line)/prefetch(line + 2 * i * sim.line)/", 0 },
    { 7, "nextline.c", "lib/sim/prefetch/nextline.c", "nextline", NULL, 0 },
    { 7, "tagged.c", SOLUTION("07-prefetch", "tagged.c"), "tagged", NULL, 3 },
    { 7, "exclusive.c", SOLUTION("07-prefetch", "exclusive.c"), "exclusive", NULL, 2 },
    { 7, "exclusive.c", "lib/sim/level/exclusive.c", "exclusive", NULL, 2 },
    { 7, "exclusive.c", "lib/sim/level/victim.c", "exclusive", NULL, 0 },
    { 8, "profile.c", SOLUTION("08-sampling", "profile.c"), "", NULL, 10 },
    { 9, "share.c", SOLUTION("09-sharing", "share.c"), "counters", NULL, 2 },
    { 9, "share.c", SOLUTION("09-sharing", "share.c"), "queue", "/#define CAPACITY 64/#define CAPACITY 48/", 0 },
    { 9, "share.c", SOLUTION("09-sharing", "share.c"), "lock", NULL, 2 },
    { 9, "msi.c", "lib/sim/coherence/msi.c", "msi", NULL, 3 },
    { 9, "msi.c", "lib/sim/coherence/mesi.c", "msi", NULL, 0 },
    { 9, "msi.c", "lib/sim/coherence/moesi.c", "msi", NULL, 0 },
    { 10, "tlb.c", SOLUTION("10-tlb", "tlb.c"), "tlb", NULL, 3 },
    { 10, "tlb.c", SOLUTION("10-tlb", "tlb.c"), "tlb", "/#define LEVELS 4/#define LEVELS 5/", 2 },
    { 10, "tlb.c", "lib/sim/level/tlb.c", "tlb", NULL, 0 }, /* stands beside a cache, which the labs do not know */
    { 10, "levels.c", SOLUTION("10-tlb", "levels.c"), "levels", NULL, 2 },
    { 10, "levels.c", SOLUTION("10-tlb", "levels.c"), "levels", "/return walk(page, CACHED, 0)/return walk(page, 2, 0)/", 1 },
    { 10, "huge.c", SOLUTION("10-tlb", "huge.c"), "huge", NULL, 3 },
    { 11, "timing.c", SOLUTION("11-timing", "timing.c"), "", NULL, 10 },
    { 12, "layout.c", SOLUTION("12-layout", "layout.c"), "", NULL, 6 },
    { 12, "layout.c", SOLUTION("12-layout", "layout.c"), "", "/#define FIELDS 12/#define FIELDS 11/", 4 },
    { 12, "layout.c", SOLUTION("12-layout", "layout.c"), "", "/% SPREAD/% 700/", 4 },
    { 13, "stride.c", SOLUTION("13-contest", "stride.c"), "stride", NULL, 3 },
    { 13, "stride.c", SOLUTION("13-contest", "stride.c"), "stride", "/#define REGION 64/#define REGION 32/", 0 },
    { 13, "drrip.c", SOLUTION("13-contest", "drrip.c"), "drrip", NULL, 2 },
    { 13, "drrip.c", POLICY("drrip.c"), "drrip", NULL, 0 },
    { 13, "mine.c", SOLUTION("13-contest", "mine.c"), "mine: at most 9", NULL, 1 },
    { 11, "timing.c", SOLUTION("11-timing", "timing.c"), "", "/written, peak = p;/2 * written, peak = p;/", 9 },
    { 10, "huge.c", SOLUTION("10-tlb", "huge.c"), "huge", "/#define HUGE 1/#define HUGE 2/", 0 },
};

int main(void)
{
    char path[PATH_MAX], library[PATH_MAX], labs[PATH_MAX], header[PATH_MAX];
    struct qn_lab_place place = { getenv("QUERN"), labs, library, header };

    top = getenv("top_srcdir");
    scratch = getenv("SCRATCH");
    if (!top || !scratch || !place.quern)
        bail("QUERN, top_srcdir and SCRATCH are not set");
    snprintf(labs, sizeof labs, "%s/labs", top);
    snprintf(library, sizeof library, "%s/lib", top);
    snprintf(header, sizeof header, "%s/include", top);
    snprintf(path, sizeof path, "%s/in", scratch);
    if (mkdir(path, 0777))
        bail("%s cannot be made", path);
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        snprintf(path, sizeof path, "%s/%s", top, copies[i].source);
        if (access(path, R_OK) && strstr(path, "/solutions/"))
            skip(2, "the solutions are not here: this is a release");
        else
            look(&copies[i], &place);
    }
    return done_testing();
}
