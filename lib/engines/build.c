/* lib/engines/build.c - what a simulator is compiled of, and with which flags.
 *
 *   engine   lib/sim/slots.c, a unit and a shadow model per slot that is filled, and libquern-engine.a, which has all the rest;
 *            of many caches unit D1, and libquern-many.a
 *   replay   lib/sim/slots.c, the same units, libc and libquern-replay.a; with other flags (cflags), or without
 *            the archive, what that is made of: lib/sim/{engine,shadow,...}.c, lib/sim/hosted/
 *
 * By $CC or cc.  See engines.h.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "base/base.h"
#include "base/hash.h"
#include "engines/engines.h"
#include "text/error.h"
#include "text/output.h"

#ifndef QN_ENGINE_CFLAGS
#define QN_ENGINE_CFLAGS                                                                             \
    "-ffreestanding -fno-pic -fno-pie -mcmodel=small -mgeneral-regs-only -mno-red-zone -fno-stack-protector " \
    "-fno-asynchronous-unwind-tables"
#endif
#ifndef QN_ENGINE_BASE
#define QN_ENGINE_BASE "0x70000000"
#endif
#ifndef QN_REPLAY_FILES
#define QN_REPLAY_FILES "" /* those of libquern-replay.a (Makefile.am), the same whatever is in the slots: lib/sim/engine.c ... */
#endif
#define ENGINE_LINK                                                                                  \
    "-nostdlib -static -Wl,-Ttext-segment=" QN_ENGINE_BASE " -Wl,--build-id=none -Wl,-z,noexecstack -Wl,-z,norelro"

static __attribute__((format(printf, 2, 3))) void add(struct qn_engines_words *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (w->n == QN_ENGINES_WORDS_MAX || vasprintf(&w->word[w->n], format, args) < 0)
        abort();
    va_end(args);
    w->n++;
}

/* Words separated by blanks. */
static void add_words(struct qn_engines_words *w, const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, " ");

        if (n)
            add(w, "%.*s", (int)n, text);
        text += n + (text[n] != 0);
    }
}

static void free_words(struct qn_engines_words *w)
{
    for (int i = 0; i < w->n; i++)
        free(w->word[i]);
    w->n = 0;
}

void qn_engines_free_recipe(struct qn_engines_recipe *r)
{
    free_words(&r->compile);
    free_words(&r->files);
    free_words(&r->link);
    free_words(&r->behind);
    free(r->archive);
    r->archive = NULL;
}

/* Defines what a slot holds: the module's name and hash.  prefix: "" or, for the second simulator, "B_".  1: it holds a
 * module; 0: its default; -1: a line was printed. */
static int define_slot(struct qn_engines_recipe *r, const char *library, enum qn_engines_slot slot, const char *module, const char *prefix)
{
    const char *slot_name = qn_engines_slot_names[slot];
    char *file, *name;

    if (!module || !strcmp(module, "default"))
        return 0;
    file = qn_engines_find_module(r->build->tool, library, slot, module);
    if (!file)
        return -1;
    name = qn_engines_name_module(file);
    add(&r->compile, "-DQN_SIM_%s%s_FILE=\"%s\"", prefix, slot_name, file);
    add(&r->compile, "-DQN_SIM_%s%s_UNIT=1", prefix, slot_name);
    if (r->build->replay && !strcmp(basename(file), "opt.c"))
        add(&r->compile, "-DQN_SIM_LOOKS_AHEAD=1");
    add(&r->compile, "-DQN_SIM_%s%s_NAME=\"%s\"", prefix, slot_name, name);
    free(name);
    free(file);
    return 1;
}

/* An engine for many caches has nothing in its other slots: libquern-many.a holds everything but slot D1. */
static bool is_compiled(const struct qn_engines_build *b)
{
    bool caches = b->many && b->module[QN_ENGINES_D1];

    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        caches &= i == QN_ENGINES_D1 || i == QN_ENGINES_LL || !b->module[i];
    return caches;
}

static void add_unit(struct qn_engines_recipe *r, const char *library, enum qn_engines_slot slot, bool shadow)
{
    r->unit[r->files.n] = (struct qn_engines_unit){ qn_engines_slot_names[slot], shadow };
    add(&r->files, "%s/sim/unit.c", library);
}

/* Each slot has two units: its module, and a second copy for the shadow model of --check, which the second simulator uses, too. */
static bool add_slot(struct qn_engines_recipe *r, const char *library, enum qn_engines_slot slot)
{
    const struct qn_engines_build *b = r->build;
    int first = define_slot(r, library, slot, b->module[slot], ""), second = define_slot(r, library, slot, b->second[slot], "B_");

    if (first > 0 && !(slot == QN_ENGINES_LL && is_compiled(b)))
        add_unit(r, library, slot, false);
    if ((first > 0 && slot != QN_ENGINES_AN && !b->many) || second > 0)
        add_unit(r, library, slot, true);
    return first >= 0 && second >= 0;
}

/* A replay contains only the modules that it was given, among them default files.  Where these are unchanged, it uses the fast versions, and
 * the archive, if there is one, has their units. */
static bool give_defaults(struct qn_engines_recipe *r, const char *library)
{
    static const char *const names[] = { "lru", "lru", "lru", "cachegrind", "cachegrind" };
    char *engine = qn_engines_default_engine(), *file, *hash;
    struct qn_engines_texts t = { .description = NULL };
    unsigned proven = 0;

    if (engine)
        qn_engines_read_texts(engine, &t);
    for (int i = 0; i < QN_ENGINES_AN; i++) {
        const char *slot = qn_engines_slot_names[i], *module = r->build->module[i];
        char now[20];

        if (module && strcmp(module, "default"))
            continue;
        if (asprintf(&file, "%s/sim/%ssim_%s.c", library, i <= QN_ENGINES_LL ? "cache" : "branch", slot) < 0)
            return false;
        snprintf(now, sizeof now, "%016llx", (unsigned long long)qn_engines_hash_file(file));
        hash = qn_engines_text_of_slot(t.defaults, (enum qn_engines_slot)i);
        proven |= hash && !strcmp(hash, now) ? 1u << i : 0;
        add(&r->compile, "-DQN_SIM_%s_FILE=\"%s\"", slot, file);
        add(&r->compile, "-DQN_SIM_%s_UNIT=1", slot);
        add(&r->compile, "-DQN_SIM_%s_NAME=\"%s\"", slot, names[i]);
        if (r->archive && proven >> i & 1)
            add(&r->link, "-Wl,-u,qn_unit_%s_given,-u,qn_shadow_%s_given", slot, slot);
        else
            for (int shadow = 0; shadow < 2; shadow++)
                add_unit(r, library, (enum qn_engines_slot)i, shadow);
        free(hash);
        free(file);
    }
    add(&r->compile, "-DQN_SIM_PROVEN_SLOTS=%uu", proven);
    qn_engines_free_texts(&t);
    free(engine);
    return true;
}

/* The replay's archive beside the engine's: any other may be made from other sources.  NULL: there is none, or QUERN_SIM_DIR names other sources. */
static char *find_hosted_archive(void)
{
    char *engine = getenv("QUERN_SIM_DIR") ? NULL : qn_engines_find_archive("libquern-engine.a"), *path = NULL;

    if (engine && asprintf(&path, "%.*s/libquern-replay.a", (int)(strrchr(engine, '/') - engine), engine) >= 0 && access(path, R_OK)) {
        free(path);
        path = NULL;
    }
    free(engine);
    return path;
}

static void add_hosted_files(struct qn_engines_recipe *r, const char *library)
{
    struct qn_engines_words files = { .n = 0 };

    add_words(&files, QN_REPLAY_FILES);
    for (int i = 0; i < files.n; i++)
        add(&r->files, "%s/%s", library, files.word[i] + strlen("lib/"));
    free_words(&files);
}

/* Keeps a module that calls something on the stack: a crash below names the module. */
#define CALLERS "-fno-optimize-sibling-calls"

/* By its name, or that of the file that cc is a link to. */
static bool is_clang(const char *name)
{
    char *file = qn_engines_find_command(name), *real = file ? realpath(file, NULL) : NULL;
    bool clang = strstr(name, "clang") || (real && strstr(real, "clang"));

    free(file);
    free(real);
    return clang;
}

/* An index beyond an array whose size the compiler knows traps; behind memory of sim_alloc lie pages that fault.  gcc gives one line, or none, to
 * traps that it has joined. */
static void add_bounds(struct qn_engines_words *compile)
{
    add_words(compile, "-fsanitize=bounds");
    add_words(compile, is_clang(compile->word[0]) ? "-fsanitize-trap=bounds" : "-fsanitize-undefined-trap-on-error -fno-crossjumping");
}

static bool add_hosted(struct qn_engines_recipe *r, const char *library)
{
    const char *flags = r->build->cflags ? r->build->cflags : "-O2 -g";

    r->archive = r->build->cflags && !r->build->with_modules ? NULL : find_hosted_archive();
    add_words(&r->compile, CALLERS " -fno-builtin"); /* modules may have a function log2, as in an engine */
    add_words(&r->compile, flags);
    add_words(&r->link, flags);
    if (!r->build->cflags)
        add_bounds(&r->compile);
    add(&r->compile, "-DQN_SIM_HOSTED=1");
    add(&r->files, "%s/sim/slots.c", library);
    if (r->archive && r->build->with_modules)
        add(&r->files, "%s/%s", library, r->build->with_modules);
    if (r->archive)
        add(&r->behind, "%s", r->archive);
    else
        add_hosted_files(r, library);
    add(&r->behind, "-lzstd");
    add(&r->behind, "-llzma");
    return give_defaults(r, library);
}

/* $CC, or the first of these that is installed. */
static const char *compiler(void)
{
    static const char *const usual[] = { "cc", "gcc", "clang" };
    const char *cc = getenv("CC");
    char *file = NULL;

    for (size_t i = 0; (!cc || !*cc) && i < QN_ARRAY_LEN(usual); i++)
        if ((file = qn_engines_find_command(usual[i])))
            cc = usual[i];
    free(file);
    return cc && *cc ? cc : usual[0];
}

/* The flags that configure found for its own compiler.  This may be another one: clang has no option for string strategies. */
static void add_engine_flags(struct qn_engines_words *c, bool debug)
{
    bool clang = is_clang(c->word[0]);
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

static bool add_archive(struct qn_engines_recipe *r, const char *name)
{
    char *path = qn_engines_find_archive(name);

    if (!path)
        qn_text_complain("quern: %s: %s is not beside quern", r->build->tool, name);
    else
        add(&r->behind, "%s", path);
    free(r->archive);
    r->archive = path;
    return path;
}

static bool add_engine(struct qn_engines_recipe *r, const char *library)
{
    const struct qn_engines_build *b = r->build;
    bool many = is_compiled(b), debug = !many && !b->kept;

    add_engine_flags(&r->compile, debug);
    add_words(&r->compile, CALLERS);
    if (!b->many)
        add_bounds(&r->compile);
    add_engine_flags(&r->link, debug);
    add_words(&r->compile, b->cflags);
    add_words(&r->link, b->cflags);
    add(&r->files, "%s/sim/slots.c", library);
    add_words(&r->link, ENGINE_LINK);
    add_words(&r->link, debug ? "" : "-Wl,--strip-debug");
    add_words(&r->behind, "-Wl,--whole-archive");
    if (!add_archive(r, "libquern-engine.a") || (many && !add_archive(r, "libquern-many.a")))
        return false;
    add_words(&r->behind, "-Wl,--no-whole-archive");
    return true;
}

static bool add_extra(struct qn_engines_recipe *r)
{
    for (const char *const *extra = r->build->extra; extra && *extra; extra++)
        add(**extra == '-' ? &r->compile : &r->files, "%s", *extra);
    return true;
}

int qn_engines_write_recipe(const struct qn_engines_build *b, struct qn_engines_recipe *r)
{
    const char *library = qn_engines_library(b->tool), *cc = compiler();

    *r = (struct qn_engines_recipe){ .build = b };
    if (!library)
        return 1;
    add_words(&r->compile, cc);
    add_words(&r->link, cc);
    add_words(&r->compile, "-std=gnu11 -Wall -Wextra -Wno-unused-parameter");
    add(&r->compile, "-I%s", library);
    add(&r->compile, "-I%s/..", library);
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (!add_slot(r, library, (enum qn_engines_slot)i))
            return QN_EXIT_USAGE;
    add_extra(r);
    return (b->replay ? add_hosted(r, library) : add_engine(r, library)) ? 0 : 1;
}

/* ---- building ---- */

static int build_in(struct qn_engines_guard *g, const struct qn_engines_recipe *r, const char *folder)
{
    const struct qn_engines_build *b = r->build;
    char *program;
    int status = qn_engines_compile(g, r, folder);

    if (status || asprintf(&program, "%s/program", folder) < 0)
        return 1;
    if (rename(program, b->output)) {
        qn_text_complain("quern: %s: %s: %s", b->tool, b->output, strerror(errno));
        status = 1;
    }
    free(program);
    return status;
}

/* The simulator is built under another name and then renamed: nobody ever finds half of one. */
static int build(const struct qn_engines_recipe *r)
{
    struct qn_engines_guard g;
    char *folder;
    int status;

    if (asprintf(&folder, "%s.XXXXXX", r->build->output) < 0)
        return 1;
    qn_engines_guard(&g);
    if (qn_text_make_scratch(folder)) {
        status = build_in(&g, r, folder);
        qn_text_remove_scratch(folder);
    } else {
        qn_text_complain("quern: %s: %s: %s", r->build->tool, r->build->output, strerror(errno));
        status = 1;
    }
    free(folder);
    qn_engines_unguard(&g);
    return status;
}

static int copy_kept(const struct qn_engines_build *b)
{
    char *scratch, *program = qn_engines_keep(b, &scratch);
    char *argv[] = { (char *)"cp", (char *)"--", program, (char *)b->output, NULL };
    int status = !program;

    unlink(b->output);
    if (program && link(program, b->output))
        status = qn_engines_run(argv);
    if (scratch)
        qn_text_remove_scratch(scratch);
    free(scratch);
    free(program);
    return status;
}

int qn_engines_build(const struct qn_engines_build *b)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_engines_recipe r;
    int status;

    if (qn_text_check_output(b->output, &err) != QN_TEXT_OK)
        return qn_text_complain("quern: %s: %s", b->tool, err.text), 1;
    if (b->kept)
        return copy_kept(b);
    status = qn_engines_write_recipe(b, &r);
    if (!status)
        status = qn_engines_find_compiler(&r, NULL) ? build(&r) : 1;
    qn_engines_free_recipe(&r);
    return status;
}

/* ---- finds the sources of simulators, modules and archives, and gives a module its name ----
 *
 * In:  "srrip"
 * Out: /usr/local/share/quern/lib/sim/policy/srrip.c, and as profiles name it "srrip:50b34235a5a88360"
 */

const char *const qn_engines_folders[] = { "policy", "prefetch", "level", "array", "coherence", "bpred", "analysis", NULL };
const char *const qn_engines_slot_names[QN_ENGINES_SLOTS] = { "I1", "D1", "LL", "BC", "BI", "AN" };

int qn_engines_find_slot(const char *name, unsigned length)
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (strlen(qn_engines_slot_names[i]) == length && !strncmp(qn_engines_slot_names[i], name, length))
            return i;
    return -1;
}

/* ---- where things are ---- */

static bool exists(const char *path) { return access(path, R_OK) == 0; }

static char *read_own_path(void)
{
    static char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

    path[n < 0 ? 0 : n] = 0;
    if (n < 0 && !realpath((const char *)getauxval(AT_EXECFN), path)) /* there is no /proc */
        *path = 0;
    return path;
}

char *qn_engines_own_path(const char *tool)
{
    char *path = read_own_path();

    if (!*path)
        qn_text_complain("quern: %s: /proc/self/exe: %s", tool, strerror(errno));
    return *path ? path : NULL;
}

const char *qn_engines_own_folder(void)
{
    static char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", read_own_path());
    if (strrchr(folder, '/'))
        *strrchr(folder, '/') = 0;
    return folder;
}

/* The folder DIRECTORY + rest, if it holds the simulators' sources; else NULL.  closed: the first that is there, but not for this user. */
static const char *try_library(const char *directory, const char *rest, char closed[PATH_MAX])
{
    static char found[PATH_MAX];
    char *path, *probe = NULL;
    bool good = false;

    if (!directory || asprintf(&path, "%s%s", directory, rest) < 0)
        return NULL;
    if (asprintf(&probe, "%s/sim/engine.c", path) >= 0)
        good = exists(probe) && realpath(path, found);
    if (!good && errno == EACCES && !*closed)
        snprintf(closed, PATH_MAX, "%s", probe);
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

const char *qn_engines_library(const char *tool)
{
    char closed[PATH_MAX] = "";
    const char *own = qn_engines_own_folder(), *found = try_library(getenv("QUERN_SIM_DIR"), "", closed);

    if (!found)
        found = try_library(own, "/../share/quern/lib", closed);
    if (!found) /* of the tree that quern was built in, which may have been copied since */
        found = try_library(own, "/../lib", closed);
    if (!found)
        found = try_library(QN_TOP_SRCDIR, "/lib", closed);
    if (!found)
        found = try_library(QN_PKGDATADIR, "/lib", closed);
    if (!found && *closed)
        qn_text_complain("quern: %s: the sources of the simulators, %s: %s", tool, closed, strerror(EACCES));
    else if (!found)
        qn_text_complain("quern: %s: the sources of the simulators are not in %s/../share/quern/lib", tool, own);
    return found;
}

/* Is this the name of a file?  Else it names a module that ships with quern. */
static bool is_file_name(const char *name)
{
    size_t n = strlen(name);

    return strchr(name, '/') || (n > 2 && !strcmp(name + n - 2, ".c"));
}

char *qn_engines_probe_module(const char *library, const char *name)
{
    char *pattern, *path = NULL;
    struct stat st;
    glob_t g;

    if (is_file_name(name)) {
        path = realpath(name, NULL);
        if (path && !access(path, R_OK) && (stat(path, &st) || !S_ISREG(st.st_mode))) {
            free(path);
            errno = 0;
            return NULL;
        }
        return path;
    }
    if (asprintf(&pattern, "%s/sim/[!h]*/%s.c", library, name) < 0)
        return NULL;
    if (*name && !name[strcspn(name, "*?[\\")] && glob(pattern, 0, NULL, &g) == 0) {
        path = strdup(g.gl_pathv[0]);
        globfree(&g);
    }
    free(pattern);
    return path;
}

char *qn_engines_find_module(const char *tool, const char *library, enum qn_engines_slot slot, const char *name)
{
    char *path = qn_engines_probe_module(library, name);

    if (path && !access(path, R_OK))
        return path;
    if (!path && strchr(name, '+'))
        return qn_engines_compose(tool, library, slot, name);
    qn_text_complain("quern: %s: %s=%s: %s", tool, qn_engines_slot_names[slot], name,
                     !is_file_name(name) ? "no such module; `quern sim list` shows them" : errno ? strerror(errno) : "not a regular file");
    free(path);
    return NULL;
}

uint64_t qn_engines_hash_file(const char *path)
{
    uint64_t hash = QN_HASH_NONE;
    FILE *f = fopen(path, "rb");
    int c;

    while (f && (c = getc_unlocked(f)) != EOF)
        hash = qn_hash_add(hash, (unsigned)c);
    if (f)
        fclose(f);
    return hash;
}

/* A name must be one word, because profiles separate names by blanks. */
char *qn_engines_name_module(const char *file)
{
    const char *base = basename(file);
    char *name = NULL;

    if (asprintf(&name, "%.*s:%016llx", (int)strcspn(base, "."), base, (unsigned long long)qn_engines_hash_file(file)) < 0)
        return NULL;
    for (char *p = name; *p; p++)
        if (*p <= ' ' || *p > '~' || strchr("\"\\,=", *p))
            *p = '_';
    return name;
}
