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

#include "json/json.h"
#include "options.h"
#include "engines/engines.h"
#include "tools.h"

static const char help[] =
    "usage: quern sim build [OPTIONS] -o PATH\n"
    "       quern sim list [--json] [PATH...]\n"
    "       quern sim show NAME...\n"
    "       quern sim test MODULE\n\n"
    "build makes a simulator: an engine for `quern run --sim=PATH`, or with --replay a program that reads traces,\n"
    "for gdb and sanitizers.  M is a C file or the name of a module that ships; slots not named hold their default.\n"
    "It needs a C compiler, $CC or cc.  `quern run --sim=D1=M,BC=M` needs no simulator made before.\n"
    "list shows the slots and the modules that ship, or what is in a simulator, with a hash of each module's file,\n"
    "as profiles have it.\n"
    "show prints a module's page: what it does, an example, options, events, storage, source.\n"
    "test says of a module whether it keeps the contract of modules (doc/modules.md): a line for each check.\n\n";

/* ---- options ---- */

static const char *take_slot(const struct qn_option *o, void *field, char **value)
{
    struct qn_engines_build *b = field;
    const char **module = &b->module[qn_engines_find_slot(o->names + 2, (unsigned)strlen(o->names + 2))];

    if (*module)
        return "one module for a slot";
    *module = *value;
    return NULL;
}

#define OPTION(names, argument, help, take, field) QN_OPTION(names, argument, help, take, struct qn_engines_build, field)
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
    OPTION("--json", NULL, "list the modules as JSON", qn_option_set, json),
    OPTION("--verbose", NULL, "print the compiler's command", qn_option_set, verbose),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = { "sim", "quern: sim", help, NULL, options, NULL, false, NULL };

static int build(const struct qn_engines_build *b)
{
    if (!b->output)
        return qn_options_wrong(&command, "build", "no output given: -o PATH");
    return qn_engines_build(b);
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

struct module {
    char name[64], slots[16], text[512];
    uint64_t hash;
};

/* Where a sentence ends: behind a full stop or question mark that a blank follows, or at the end of the text. */
static size_t sentence_length(const char *text)
{
    size_t n = 0;

    while (text[n] && !(strchr(".?", text[n]) && (!text[n + 1] || text[n + 1] == ' ')))
        n++;
    return n + (text[n] != 0);
}

/* The first sentence of a module's comment, behind " - "; it may go on in the lines that follow. */
static void read_text(FILE *f, char text[512])
{
    char line[512];
    const char *begin = fgets(line, sizeof line, f) ? strstr(line, " - ") : NULL;

    text[0] = 0;
    for (begin = begin ? begin + 3 : NULL; begin; begin = fgets(line, sizeof line, f) && !strncmp(line, " * ", 3) ? line + 3 : NULL) {
        size_t n = strlen(text);

        snprintf(text + n, 512 - n, "%s%.*s", n ? " " : "", (int)strcspn(begin, "\n"), begin);
        if (text[sentence_length(text)] || (*text && strchr(".?", text[strlen(text) - 1])))
            break;
    }
    text[sentence_length(text)] = 0;
}

static bool read_module(const char *path, struct module *m)
{
    const char *base = strrchr(path, '/') + 1;
    FILE *f = fopen(path, "r");

    if (!f)
        return false;
    read_text(f, m->text);
    read_slots(f, m->slots);
    fclose(f);
    snprintf(m->name, sizeof m->name, "%.*s", (int)strlen(base) - 2, base);
    m->hash = qn_engines_hash_file(path);
    return true;
}

static const struct folder {
    const char *name, *slots; /* as said: each module says which */
    const char *plain;        /* the same for programs; NULL: each module says which */
} folders[] = {
    { "policy", "I1 D1 LL", "I1 D1 LL" }, { "prefetch", "I1 D1", "I1 D1" }, { "level", "as said", NULL },
    { "coherence", "D1", "D1" },    { "bpred", "BC; BI: btb, ras", "BC" }, { "analysis", "AN", "AN" },
};

/* Each module of a folder. */
static void visit_folder(const char *library, const struct folder *folder, void (*visit)(const struct folder *, const struct module *))
{
    struct module m;
    char *pattern;
    glob_t g;

    if (asprintf(&pattern, "%s/sim/%s/*.c", library, folder->name) < 0)
        return;
    if (glob(pattern, 0, NULL, &g) == 0)
        for (size_t i = 0; i < g.gl_pathc; i++)
            if (read_module(g.gl_pathv[i], &m))
                visit(folder, &m);
    globfree(&g);
    free(pattern);
}

static void list_module(const struct folder *folder, const struct module *m)
{
    (void)folder;
    printf("  %-12s %016" PRIx64 "  %s%s%s\n", m->name, m->hash, m->slots, *m->slots ? "- " : "", m->text);
}

static void add_module(const struct folder *folder, const struct module *m)
{
    bool is_indirect = !strcmp(folder->name, "bpred") && (!strcmp(m->name, "btb") || !strcmp(m->name, "ras"));

    qn_json_add_module(folder->name, m->name, is_indirect ? "BI" : folder->plain ? folder->plain : m->slots, m->hash, m->text);
}

static int describe(const char *path)
{
    char *replay = qn_engines_read_replay(path);
    struct qn_engines_texts t = { .description = NULL };
    bool found;

    if (replay)
        printf("%s: %s, a replay\n", path, replay);
    else if (qn_engines_read_texts(path, &t))
        printf("%s: %s\n", path, t.description);
    else
        qn_text_complain("quern: sim list: %s: %s", path, errno ? strerror(errno) : "not a simulator");
    found = replay || t.description;
    free(replay);
    qn_engines_free_texts(&t);
    return !found;
}

/* What is in the slots if `quern run` is not told otherwise. */
static void list_slots(void)
{
    char *engine = qn_engines_default_engine();
    struct qn_engines_texts t;

    if (engine && qn_engines_read_texts(engine, &t)) {
        printf("slots without --sim\n  %s\n", t.description);
        qn_engines_free_texts(&t);
    }
    free(engine);
}

static int list_json(const char *library)
{
    char *engine = qn_engines_default_engine();
    struct qn_engines_texts t = { .description = NULL };
    bool good;

    qn_json_begin_modules(engine && qn_engines_read_texts(engine, &t) ? t.description : "");
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        visit_folder(library, &folders[i], add_module);
    good = qn_json_end_modules(stdout);
    if (t.description)
        qn_engines_free_texts(&t);
    free(engine);
    return !good;
}

static int list(char **simulators, bool json)
{
    const char *library;
    int status = 0;

    if (simulators[0] && json)
        return qn_options_wrong(&command, "--json", "it is for the modules that ship");
    if (simulators[0]) {
        for (; *simulators; simulators++)
            status |= describe(*simulators);
        return status;
    }
    library = qn_engines_library("sim list");
    if (!library)
        return 1;
    if (json)
        return list_json(library);
    list_slots();
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        printf("%s (slots %s)\n", folders[i].name, folders[i].slots);
        visit_folder(library, &folders[i], list_module);
    }
    return 0;
}

/* Prints a module's page, which is the comment at the head of its file, and where the file is. */
static bool print_page(const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL, *end = NULL;
    size_t size = 0;

    while (f && !end && getline(&line, &size, f) >= 0) {
        const char *text = strlen(line) > 3 ? line + 3 : "\n"; /* behind the comment's mark */

        end = strstr(text, " */");
        printf("%.*s\n", end ? (int)(end - text) : (int)strcspn(text, "\n"), text);
    }
    if (f)
        printf("\n%s\n", path);
    free(line);
    return f && fclose(f) == 0;
}

static int show(char **names)
{
    const char *library = qn_engines_library("sim show");
    int status = library ? 0 : 1;

    if (!names[0])
        return qn_options_wrong(&command, "", "show wants the name of a module that ships");
    for (; library && *names; names++) {
        bool found = false;

        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            char *path = NULL;

            if (!strchr(*names, '/') && asprintf(&path, "%s/sim/%s/%s.c", library, folders[i].name, *names) >= 0)
                found |= print_page(path);
            free(path);
        }
        if (!found) {
            qn_text_complain("quern: sim show: %s: no module that ships; `quern sim list` lists them", *names);
            status = 1;
        }
    }
    return status;
}

static int test(char **words)
{
    const char *own = qn_engines_own_path("sim");

    if (!words[0] || words[1])
        return qn_options_wrong(&command, words[0] ? words[1] : "", "test wants one module, a name or a C file");
    return own ? qn_engines_test_module(words[0], own) : 1;
}

int qn_tool_sim(int argc, char **argv)
{
    struct qn_engines_build b = { .tool = "sim build" };
    char **words;
    int status = qn_options_take(&command, &b, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (words[0] && !strcmp(words[0], "list"))
        return list(words + 1, b.json);
    if (words[0] && !strcmp(words[0], "show"))
        return show(words + 1);
    if (words[0] && !strcmp(words[0], "test"))
        return test(words + 1);
    if (!words[0] || strcmp(words[0], "build"))
        return qn_options_wrong(&command, words[0] ? words[0] : "", "wanted build, list, show or test");
    return words[1] ? qn_options_wrong(&command, words[1], "build takes options only") : build(&b);
}
