/* tools/sim.c - `quern sim`: builds simulators out of modules, and lists them.
 *
 *   quern sim build --D1=mine.c --BC=gshare -o mysim      then: quern run --sim=./mysim PROG; run --sim=D1=mine.c,BC=gshare does both
 *   quern sim build --replay --D1=mine.c -o myreplay      then: gdb --args ./myreplay TRACE
 *   quern sim list                                        slots and the modules that ship
 *   quern sim list ./mysim                                what is in it
 */
#define _GNU_SOURCE
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "sim_build.h"
#include "tools.h"

static const char help[] =
    "usage: quern sim build [OPTIONS] -o PATH\n"
    "       quern sim list [PATH...]\n\n"
    "build makes a simulator: an engine for `quern run --sim=PATH`, or with --replay a program that reads traces, for gdb\n"
    "and sanitizers.  M is a C file or the name of a module that ships; slots not named hold their default.  Needs a C\n"
    "compiler, $CC or cc.  `quern run --sim=D1=M,BC=M` does without.  list shows the slots and the modules that ship, or what is in a simulator, with a hash of each\n"
    "module's file, as profiles have it.\n\n";

/* ---- options ---- */

static const char *take_slot(const struct qn_option *o, void *field, char **value)
{
    struct qn_sim_build *b = field;

    b->module[qn_sim_find_slot(o->names + 2, (unsigned)strlen(o->names + 2))] = *value;
    return NULL;
}

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_sim_build, field)
static const struct qn_option options[] = {
    QN_OPTION_PLAIN("--I1", "M", "module of the instruction cache", take_slot),
    QN_OPTION_PLAIN("--D1", "M", "of the data cache", take_slot),
    QN_OPTION_PLAIN("--LL", "M", "of the last level", take_slot),
    QN_OPTION_PLAIN("--BC", "M", "of the predictor of conditional branches", take_slot),
    QN_OPTION_PLAIN("--BI", "M", "of that of indirect branches", take_slot),
    QN_OPTION_PLAIN("--AN", "M", "analysis", take_slot),
    OPTION("-o", "PATH", "where the simulator goes", qn_option_text, output),
    OPTION("--replay", NULL, "a hosted program", qn_option_set, replay),
    OPTION("--cflags", "F", "flags for the compiler, as --cflags='-g -fsanitize=address'", qn_option_text, cflags),
    OPTION("--verbose", NULL, "print the compiler's command", qn_option_set, verbose),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = { "sim", "quern: sim", help, NULL, options, NULL, false };

static int build(const struct qn_sim_build *b)
{
    if (!b->output)
        return qn_options_wrong(&command, "build", "no output given: -o PATH");
    return qn_sim_build(b);
}

/* ---- list ---- */

/* "#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)" -> "I1 D1 " */
static void read_slots(FILE *f, char slots[16])
{
    static const char mark[] = "#define LEVEL_SLOTS", in[] = "LEVEL_IN_";
    char line[512];

    slots[0] = 0;
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, mark, strlen(mark)))
            for (const char *at = strstr(line, in); at && strlen(slots) < 9; at = strstr(at, in)) {
                at += strlen(in);
                sprintf(slots + strlen(slots), "%.2s ", at);
            }
}

/* Name, hash, and the first line of a module's comment: what stands behind " - ". */
static void print_module(const char *path)
{
    char line[512] = "", slots[16];
    const char *text, *base = strrchr(path, '/') + 1;
    FILE *f = fopen(path, "r");

    if (!f)
        return;
    if (!fgets(line, sizeof line, f))
        line[0] = 0;
    read_slots(f, slots);
    fclose(f);
    text = strstr(line, " - ");
    line[strcspn(line, "\n")] = 0;
    printf("  %-12.*s %016" PRIx64 "  %s%s%s\n", (int)strlen(base) - 2, base, qn_sim_hash_file(path), slots, *slots ? "- " : "",
           text ? text + 3 : "");
}

static void list_folder(const char *library, const char *folder, const char *slots)
{
    char *pattern;
    glob_t g;

    if (asprintf(&pattern, "%s/sim/%s/*.c", library, folder) < 0)
        return;
    printf("%s (slots %s)\n", folder, slots);
    if (glob(pattern, 0, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            print_module(g.gl_pathv[i]);
    globfree(&g);
    free(pattern);
}

static int describe(const char *path)
{
    char *replay = qn_sim_read_replay(path);
    struct qn_sim_texts t = { .description = NULL };
    bool found;

    if (replay)
        printf("%s: %s, a replay\n", path, replay);
    else if (qn_sim_read_texts(path, &t))
        printf("%s: %s\n", path, t.description);
    else
        qn_tool_complain("quern: sim list: %s: %s", path, errno ? strerror(errno) : "not a simulator");
    found = replay || t.description;
    free(replay);
    qn_sim_free_texts(&t);
    return !found;
}

/* What is in the slots if `quern run` is not told otherwise. */
static void list_slots(void)
{
    char *engine = qn_sim_default_engine();
    struct qn_sim_texts t;

    if (engine && qn_sim_read_texts(engine, &t)) {
        printf("slots without --sim\n  %s\n", t.description);
        qn_sim_free_texts(&t);
    }
    free(engine);
}

static int list(char **simulators)
{
    const char *library;
    int status = 0;

    if (simulators[0]) {
        for (; *simulators; simulators++)
            status |= describe(*simulators);
        return status;
    }
    library = qn_sim_library("sim list");
    if (!library)
        return 1;
    list_slots();
    list_folder(library, "policy", "I1 D1 LL");
    list_folder(library, "prefetch", "I1 D1");
    list_folder(library, "level", "as said");
    list_folder(library, "bpred", "BC; BI: btb, ras");
    list_folder(library, "analysis", "AN");
    return 0;
}

int qn_tool_sim(int argc, char **argv)
{
    struct qn_sim_build b = { .tool = "sim build" };
    char **words;
    int status = qn_options_take(&command, &b, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (words[0] && !strcmp(words[0], "list"))
        return list(words + 1);
    if (!words[0] || strcmp(words[0], "build"))
        return qn_options_wrong(&command, words[0] ? words[0] : "", "wanted build or list");
    return words[1] ? qn_options_wrong(&command, words[1], "build takes options only") : build(&b);
}
