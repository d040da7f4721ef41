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

#include "sim_build.h"
#include "tools.h"

static const char help[] =
    "usage: quern sim build [--I1=M] [--D1=M] [--LL=M] [--BC=M] [--BI=M] [--AN=M] [--replay] [--cflags=F] -o PATH\n"
    "       quern sim list [PATH...]\n\n"
    "build makes a simulator: an engine for `quern run --sim=PATH`, or with --replay a program that reads traces, for gdb\n"
    "and sanitizers.  M is a C file or the name of a module that ships; slots not named hold their default.  Needs a C\n"
    "compiler, $CC or cc.  `quern run --sim=D1=M,BC=M` does without.  list shows the slots and the modules that ship, or what is in a simulator, with a hash of each\n"
    "module's file, as profiles have it.\n\n"
    "  --replay     a hosted program\n"
    "  --cflags=F   flags for the compiler, as --cflags='-g -fsanitize=address'\n"
    "  --verbose    print the compiler's command\n"
    "  -h, --help   show this text\n"
    "  --version    show the version\n";

static int usage_error(const char *what, const char *argument)
{
    qn_tool_complain("quern: sim: %s%s; `quern sim --help` tells how", what, argument);
    return QN_EXIT_USAGE;
}

/* ---- build ---- */

static bool parse_one(struct qn_sim_build *b, const char *text)
{
    const char *equals = strchr(text, '=');
    int slot = equals ? qn_sim_find_slot(text + 2, (unsigned)(equals - text - 2)) : -1;

    if (slot >= 0)
        b->module[slot] = equals + 1;
    else if (!strcmp(text, "--replay"))
        b->replay = true;
    else if (!strcmp(text, "--verbose"))
        b->verbose = true;
    else if (!strncmp(text, "--cflags=", 9))
        b->cflags = equals + 1;
    else
        return false;
    return true;
}

static int build(int argc, char **argv)
{
    struct qn_sim_build b = { .tool = "sim build" };

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-o") && argv[i + 1])
            b.output = argv[++i];
        else if (strncmp(argv[i], "--", 2) || !parse_one(&b, argv[i]))
            return usage_error("what is ", argv[i]);
    }
    if (!b.output)
        return usage_error("no output given: -o PATH", "");
    return qn_sim_build(&b);
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

static int list(int argc, char **argv)
{
    const char *library;
    int status = 0;

    for (int i = 1; i < argc; i++)
        status |= describe(argv[i]);
    if (argc > 1)
        return status;
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
    if (argc < 2)
        return usage_error("build or list?", "");
    if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))
        return printf("%s", help) < 0;
    if (!strcmp(argv[1], "--version"))
        return puts("quern " QN_VERSION) < 0;
    if (!strcmp(argv[1], "build"))
        return build(argc - 1, argv + 1);
    if (!strcmp(argv[1], "list"))
        return list(argc - 1, argv + 1);
    return usage_error("what is ", argv[1]);
}
