/* tools/sim_build.c - compiles a simulator: the files of lib/sim with the modules asked for, nothing else.
 *
 *   engine   lib/sim/engine.c, twin.c (or versus.c), a unit per slot that is filled, and libquern-engine.a, which is there already;
 *            of many caches only slot D1, and libquern-many.a
 *   replay   lib/sim/{engine,twin}.c, the same units, lib/sim/hosted/ and libc
 *
 * One call of the compiler, $CC or cc.  See sim_build.h.
 */
#define _GNU_SOURCE
#include "sim_build.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "tools.h"

#ifndef QN_ENGINE_CFLAGS
#define QN_ENGINE_CFLAGS                                                                             \
    "-ffreestanding -fno-pic -fno-pie -mcmodel=small -mgeneral-regs-only -mno-red-zone -fno-stack-protector " \
    "-fno-asynchronous-unwind-tables"
#endif
#ifndef QN_ENGINE_BASE
#define QN_ENGINE_BASE "0x70000000"
#endif
#define ENGINE_LINK                                                                                  \
    "-nostdlib -static -Wl,-Ttext-segment=" QN_ENGINE_BASE " -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro"

#define WORDS_MAX 512

const char *const qn_sim_slot_names[QN_SIM_SLOTS] = { "I1", "D1", "LL", "BC", "BI", "AN" };

struct command {
    char *word[WORDS_MAX + 1];
    int n;
};

int qn_sim_find_slot(const char *name, unsigned length)
{
    for (int i = 0; i < QN_SIM_SLOTS; i++)
        if (strlen(qn_sim_slot_names[i]) == length && !strncmp(qn_sim_slot_names[i], name, length))
            return i;
    return -1;
}

/* ---- where things are ---- */

static bool exists(const char *path) { return access(path, R_OK) == 0; }

/* The directory of the running quern. */
static const char *own_directory(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n < 0 ? 0 : n] = 0;
    if (strrchr(path, '/'))
        *strrchr(path, '/') = 0;
    return path;
}

/* DIRECTORY + rest, if the simulators' sources are there. */
static const char *try_library(const char *directory, const char *rest)
{
    static char found[PATH_MAX];
    char *path, *probe = NULL;
    bool good = false;

    if (!directory || asprintf(&path, "%s%s", directory, rest) < 0)
        return NULL;
    if (asprintf(&probe, "%s/sim/engine.c", path) >= 0)
        good = exists(probe) && realpath(path, found);
    free(path);
    free(probe);
    return good ? found : NULL;
}

#ifndef QN_TOP_SRCDIR
#define QN_TOP_SRCDIR NULL
#endif
#ifndef QN_PKGDATADIR
#define QN_PKGDATADIR NULL
#endif

const char *qn_sim_library(const char *tool)
{
    const char *own = own_directory(), *found = try_library(getenv("QUERN_SIM_DIR"), "");

    if (!found)
        found = try_library(own, "/../share/quern/lib");
    if (!found)
        found = try_library(QN_TOP_SRCDIR, "/lib");
    if (!found)
        found = try_library(QN_PKGDATADIR, "/lib");
    if (!found)
        found = try_library(own, "/../lib");
    if (!found)
        qn_tool_complain("quern: %s: the sources of the simulators are not in %s/../share/quern/lib", tool, own);
    return found;
}

static char *find_archive(const char *name)
{
    const char *const places[][2] = {
        { own_directory(), "" }, { own_directory(), "/../libexec/quern" },
#ifdef QN_PKGLIBEXECDIR
        { QN_PKGLIBEXECDIR, "" },
#endif
    };
    char *path;

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (asprintf(&path, "%s%s/%s", places[i][0], places[i][1], name) < 0)
            return NULL;
        if (exists(path))
            return path;
        free(path);
    }
    return NULL;
}

char *qn_sim_scratch(const char *tool)
{
    const char *tmp = getenv("TMPDIR");
    char *path;

    if (asprintf(&path, "%s/quern-sim.XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
        return NULL;
    if (mkdtemp(path))
        return path;
    qn_tool_complain("quern: %s: %s: %s", tool, path, strerror(errno));
    free(path);
    return NULL;
}

char *qn_sim_find_module(const char *tool, const char *library, enum qn_sim_slot slot, const char *name)
{
    char *pattern, *path = NULL;
    glob_t g;

    if (strchr(name, '/') || (strlen(name) > 2 && !strcmp(name + strlen(name) - 2, ".c"))) {
        path = realpath(name, NULL);
        if (!path)
            qn_tool_complain("quern: %s: slot %s: %s: %s", tool, qn_sim_slot_names[slot], name, strerror(errno));
        return path;
    }
    if (asprintf(&pattern, "%s/sim/[!h]*/%s.c", library, name) < 0)
        return NULL;
    if (glob(pattern, 0, NULL, &g) == 0)
        path = strdup(g.gl_pathv[0]);
    else
        qn_tool_complain("quern: %s: slot %s: no module named '%s'; `quern sim list` shows them", tool,
                qn_sim_slot_names[slot], name);
    globfree(&g);
    free(pattern);
    return path;
}

/* ---- the command ---- */

static void add(struct command *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct command *c, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (c->n == WORDS_MAX || vasprintf(&c->word[c->n], format, args) < 0)
        abort();
    va_end(args);
    c->n++;
}

/* Words separated by blanks. */
static void add_words(struct command *c, const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, " ");

        if (n)
            add(c, "%.*s", (int)n, text);
        text += n + (text[n] != 0);
    }
}

uint64_t qn_sim_hash_file(const char *path)
{
    uint64_t hash = QN_HASH_NONE;
    FILE *f = fopen(path, "rb");
    int c;

    while (f && (c = getc(f)) != EOF)
        hash = qn_hash_add(hash, (unsigned)c);
    if (f)
        fclose(f);
    return hash;
}

/* Definitions of a slot, with the module's name and hash.  prefix: "" or, for the second simulator, "B_".  1: it holds a
 * module; 0: its default; -1: a line was printed. */
static int define_slot(struct command *c, const struct qn_sim_build *b, const char *library, enum qn_sim_slot slot,
                       const char *module, const char *prefix)
{
    const char *name = qn_sim_slot_names[slot], *base;
    char *file;

    if (!module || !strcmp(module, "default"))
        return 0;
    file = qn_sim_find_module(b->tool, library, slot, module);
    if (!file)
        return -1;
    add(c, "-DQN_SIM_%s%s_FILE=\"%s\"", prefix, name, file);
    add(c, "-DQN_SIM_%s%s_UNIT=1", prefix, name);
    if (b->replay && !strcmp(basename(file), "opt.c"))
        add(c, "-DQN_SIM_LOOKS_AHEAD=1");
    base = basename(file);
    add(c, "-DQN_SIM_%s%s_NAME=\"%.*s:%016llx\"", prefix, name, (int)strcspn(base, "."), base,
        (unsigned long long)qn_sim_hash_file(file));
    free(file);
    return 1;
}

/* Many caches, and nothing in the other slots: all but slot D1 is in libquern-many.a. */
static bool is_compiled(const struct qn_sim_build *b)
{
    bool caches = b->many && b->module[QN_SIM_D1];

    for (int i = 0; i < QN_SIM_SLOTS; i++)
        caches &= i == QN_SIM_D1 || i == QN_SIM_LL || !b->module[i];
    return caches;
}

/* Units of a slot: the module, and once more its twin or the second simulator's. */
static bool add_slot(struct command *c, const struct qn_sim_build *b, const char *library, enum qn_sim_slot slot)
{
    const char *name = qn_sim_slot_names[slot];
    int first = define_slot(c, b, library, slot, b->module[slot], "");
    int second = !b->versus ? first > 0 && slot <= QN_SIM_LL && !b->many
                 : slot != QN_SIM_AN ? define_slot(c, b, library, slot, b->second[slot], "B_") : 0;

    if (first > 0 && !(slot == QN_SIM_LL && is_compiled(b)))
        add(c, "%s/sim/unit_%s.c", library, name);
    if (second > 0)
        add(c, "%s/sim/twin_%s.c", library, name);
    return first >= 0 && second >= 0;
}

static void add_hosted(struct command *c, const struct qn_sim_build *b, const char *library, const char *output)
{
    static const char *const files[] = { "engine.c", "twin.c", "hosted/main.c", "hosted/blame.c", "hosted/filter.c", "hosted/future.c",
                                         "hosted/option.c", "hosted/service.c", "hosted/trace.c" };

    add_words(c, b->cflags ? b->cflags : "-O2 -g");
    add(c, "-DQN_SIM_HOSTED=1");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        add(c, "%s/sim/%s", library, files[i]);
    add(c, "%s/cost/summary.c", library);
    add(c, "%s/prof/escape.c", library);
    add(c, "%s/base/format.c", library);
    add(c, "-o");
    add(c, "%s", output);
#ifdef HAVE_LIBZSTD
    add(c, "-DQN_HAVE_ZSTD=1");
    add(c, "-lzstd");
#endif
}

/* The flags that configure found for its compiler; $CC may be another one, and clang knows no string strategies. */
static void add_engine_flags(struct command *c, bool debug)
{
    bool clang = strstr(c->word[0], "clang") != NULL;
    int from = c->n, kept = c->n;

    add_words(c, QN_ENGINE_CFLAGS " -O2");
    add_words(c, debug ? "-g" : "");
    for (int i = from; i < c->n; i++)
        if (clang && !strncmp(c->word[i], "-mstringop-", strlen("-mstringop-")))
            free(c->word[i]);
        else
            c->word[kept++] = c->word[i];
    c->n = kept;
}

static bool add_engine(struct command *c, const struct qn_sim_build *b, const char *library, const char *output)
{
    char *archive = find_archive("libquern-engine.a"), *many = is_compiled(b) ? find_archive("libquern-many.a") : NULL;

    if (!archive || (is_compiled(b) && !many)) {
        qn_tool_complain("quern: %s: %s is not beside quern", b->tool, archive ? "libquern-many.a" : "libquern-engine.a");
        return false;
    }
    add_engine_flags(c, !many);
    add_words(c, b->cflags);
    if (b->versus)
        add(c, "-DQN_SIM_VERSUS=1");
    if (!many) {
        add(c, "%s/sim/engine.c", library);
        add(c, "%s/sim/%s", library, b->versus ? "versus.c" : b->many ? "many/no_twin.c" : "twin.c");
    }
    add_words(c, ENGINE_LINK);
    add_words(c, many ? "-Wl,--strip-debug" : "");
    add_words(c, "-Wl,--whole-archive");
    add(c, "%s", archive);
    if (many)
        add(c, "%s", many);
    add_words(c, "-Wl,--no-whole-archive -o");
    add(c, "%s", output);
    free(archive);
    free(many);
    return true;
}

/* ---- running ---- */

int qn_sim_run(char **argv)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        execvp(argv[0], argv);
        qn_tool_complain("quern: %s: %s", argv[0], strerror(errno));
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run_compiler(struct command *c, const struct qn_sim_build *b)
{
    int status;

    for (int i = 0; b->verbose && i < c->n; i++)
        fprintf(stderr, "%s%c", c->word[i], i + 1 == c->n ? '\n' : ' ');
    status = qn_sim_run(c->word);
    for (int i = 0; i < c->n; i++)
        free(c->word[i]);
    if (status == 127)
        fprintf(stderr, "quern: %s: no C compiler: set CC\n", b->tool);
    return status ? 1 : 0;
}

/* The compiler's command for `output`.  0, or the exit status after a message. */
static int make_command(struct command *c, const struct qn_sim_build *b, const char *library, const char *output)
{
    const char *cc = getenv("CC");

    add_words(c, cc && *cc ? cc : "cc");
    add_words(c, "-std=gnu11 -Wall -Wextra -DQN_SIM_SLOTS_GIVEN=1");
    if (b->many)
        add(c, "-DQN_SIM_MANY=1");
    add(c, "-I%s", library);
    add(c, "-I%s/..", library);
    for (int i = 0; i < QN_SIM_SLOTS; i++)
        if (!add_slot(c, b, library, (enum qn_sim_slot)i))
            return QN_EXIT_USAGE;
    for (const char *const *extra = b->extra; extra && *extra; extra++)
        add(c, "%s", *extra);
    if (b->replay)
        add_hosted(c, b, library, output);
    else if (!add_engine(c, b, library, output))
        return 1;
    return 0;
}

/* Built under another name and renamed, so that there is always a whole simulator or none. */
int qn_sim_build(const struct qn_sim_build *b)
{
    const char *library = qn_sim_library(b->tool);
    struct command c = { .n = 0 };
    char *partial;
    int status;

    if (!library || asprintf(&partial, "%s.%d.part", b->output, (int)getpid()) < 0)
        return 1;
    status = make_command(&c, b, library, partial);
    if (!status)
        status = run_compiler(&c, b);
    if (!status && rename(partial, b->output)) {
        qn_tool_complain("quern: %s: %s: %s", b->tool, b->output, strerror(errno));
        status = 1;
    }
    if (status)
        unlink(partial);
    free(partial);
    return status;
}
