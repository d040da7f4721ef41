/* lib/engines/fault.c - says what is wrong with a module that does not compile, in one line if possible.
 *
 *   mine.c:12:2: error: #error "quern-module: policy_way is for caches"    ->  quern: run: D1=mine.c: policy_way is for caches
 *   warning: 'policy_victim' used but never defined                        ->  quern: run: D1=mine.c: policy_victim is missing
 *   undefined reference to `malloc'                                        ->  quern: run: D1=mine.c: malloc is not there for modules
 *
 * Where a file is no module at all, sim/adapt says so by #error.  Else the author sees what the compiler says of the code, and a
 * line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"

#define SAID_BY_MODULE "quern-module: "
#define NAME_MAX_SHOWN 200
#define COMPILE_ROOM (1 << 20) /* bytes that objects and program need at least */

/* The functions that the engine calls begin with one of these. */
static const char *const contract[] = { "policy_", "prefetch_", "prefetcher_", "cachesim_", "branchsim_", "analysis_", "WANTS_" };

struct fault {
    const struct qn_engines_recipe *recipe;
    int file;          /* the number in the recipe */
    const char *slot;  /* NULL: the file is not a module */
    const char *module; /* as it was given */
    char *text;        /* what the compiler said */
};

static void tell(const struct fault *f, const char *what, const char *more)
{
    qn_text_complain("quern: %s: %s=%s: %s%s", f->recipe->build->tool, f->slot, f->module, what, more);
}

/* The shadow model of D1 has the module of the second simulator, if that has one. */
static bool find_slot(struct fault *f)
{
    const struct qn_engines_build *b = f->recipe->build;
    const struct qn_engines_unit *unit = &f->recipe->unit[f->file];
    int slot = unit->slot ? qn_engines_find_slot(unit->slot, 2) : -1;

    if (slot < 0)
        return false;
    f->slot = qn_engines_slot_names[slot];
    f->module = unit->shadow && b->second[slot] ? b->second[slot] : b->module[slot];
    return f->module != NULL;
}

/* The word in quotes of any kind before `end`; false: there is none. */
static bool quoted(const char *from, const char *end, char name[NAME_MAX_SHOWN])
{
    static const char *const left[] = { "\u2018", "'", "`" }, *const right[] = { "\u2019", "'", "'" };

    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        const char *at = memmem(from, (size_t)(end - from), left[i], strlen(left[i])), *to;

        if (!at)
            continue;
        at += strlen(left[i]);
        to = memmem(at, (size_t)(end - at), right[i], strlen(right[i]));
        if (!to || to - at >= NAME_MAX_SHOWN)
            continue;
        snprintf(name, NAME_MAX_SHOWN, "%.*s", (int)(to - at), at);
        name[strcspn(name, "(")] = 0; /* clang has 'f(int)' */
        return true;
    }
    return false;
}

static bool is_contract(const char *name)
{
    for (size_t i = 0; i < sizeof contract / sizeof *contract; i++)
        if (!strncmp(name, contract[i], strlen(contract[i])))
            return true;
    return false;
}

static bool holds(const char *from, const char *end, const char *text) { return memmem(from, (size_t)(end - from), text, strlen(text)); }

/* Does the line say that something is not defined? */
static bool misses(const char *from, const char *end)
{
    static const char *const words[] = { "used but never defined", "implicit declaration", "undeclared", "is not defined" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(from, end, words[i]))
            return true;
    return false;
}

/* An error outside the module, where the module is used, follows from a missing function. */
static bool is_in_unit(const char *from, const char *end)
{
    const char *colon = memchr(from, ':', (size_t)(end - from));

    return colon && (holds(from, colon, "/sim/unit.c") || holds(from, colon, "/sim/adapt/"));
}

/* The missing function, if the only fault is that the module lacks a function that the engine calls. */
static bool find_missing(const char *text, char missing[NAME_MAX_SHOWN])
{
    bool found = false;
    char name[NAME_MAX_SHOWN];

    for (const char *from = text, *end; *from; from = end + (*end != 0)) {
        bool error;

        end = strchrnul(from, '\n');
        error = holds(from, end, "error: ");
        if ((error || holds(from, end, "warning: ")) && misses(from, end) && quoted(from, end, name) && is_contract(name)) {
            if (!found)
                strcpy(missing, name);
            found = true;
        } else if (error && !is_in_unit(from, end)) {
            return false;
        }
    }
    return found;
}

/* #error "quern-module: WHAT", or any other #error. */
static bool tell_by_module(const struct fault *f)
{
    static const char *const marks[] = { SAID_BY_MODULE, "#error " };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char *at = strstr(f->text, marks[i]);

        if (!at)
            continue;
        at += strlen(marks[i]);
        at += *at == '"';
        at[strcspn(at, "\"\n")] = 0;
        tell(f, at, "");
        return true;
    }
    return false;
}

/* A file that is no C source, as a program: the compiler's messages about it help nobody. */
static bool tell_no_source(const struct fault *f)
{
    FILE *file = fopen(f->module, "r");
    int c = file ? getc(file) : EOF;

    while (c != EOF && c)
        c = getc(file);
    if (file)
        fclose(file);
    if (!c)
        tell(f, "is not C source", "");
    return !c;
}

/* A function that the module must define; or module.h's WANTS_PC_is_missing, WANTS_THREAD_is_missing. */
static void tell_missing(const struct fault *f, char *name)
{
    char *mark = strstr(name, "_is_missing");

    if (mark)
        *mark = 0;
    tell(f, name, !mark ? " is missing" : !strcmp(name, "WANTS_PC") ? " is missing: sim_pc needs #define WANTS_PC 1"
                                                                    : " is missing: sim_thread needs #define WANTS_THREAD 1");
}

static bool tell_of_file(struct fault *f, bool failed)
{
    char name[NAME_MAX_SHOWN];
    bool missing = find_missing(f->text, name);

    if (!missing && !(failed && strstr(f->text, "error: ")))
        return false;
    if (!f->slot) {
        fputs(f->text, stderr);
        qn_text_complain("quern: %s: %s cannot be compiled", f->recipe->build->tool, f->recipe->files.word[f->file]);
    } else if (!tell_no_source(f) && !tell_by_module(f)) {
        if (missing) {
            tell_missing(f, name);
        } else {
            fputs(f->text, stderr);
            tell(f, "the compiler refuses it", "");
        }
    }
    return true;
}

/* The linker names the object, ".../0.o: in function ...", and the missing symbol. */
static bool tell_of_linker(struct fault *f)
{
    const char *text = strstr(f->text, "undefined reference to "), *object;
    char name[NAME_MAX_SHOWN];

    if (text && quoted(text, strchrnul(text, '\n'), name))
        for (f->file = 0; f->file < f->recipe->files.n; f->file++) {
            char part[24];

            snprintf(part, sizeof part, "/%d.o: ", f->file);
            object = strstr(f->text, part);
            if (object && object < text && find_slot(f)) {
                if (is_contract(name))
                    tell_missing(f, name);
                else
                    tell(f, name, " is not there for modules; sim_alloc and sim_print are");
                return true;
            }
        }
    fputs(f->text, stderr);
    qn_text_complain("quern: %s: the simulator cannot be linked", f->recipe->build->tool);
    return true;
}

static char *read_said(const char *folder, int number)
{
    char *path, *text;

    if (asprintf(&path, "%s/%d.err", folder, number) < 0)
        return NULL;
    text = qn_engines_read_source(path);
    free(path);
    return text;
}

/* Warnings about the author's code.  The shadow model is compiled from the same file, and its warnings are left out. */
static void print_warnings(const struct fault *f)
{
    if (!f->slot || f->recipe->build->second[qn_engines_find_slot(f->slot, 2)] || !f->recipe->unit[f->file].shadow)
        fputs(f->text, stderr);
}

/* A compiler on a full disk says anything: that a file is missing, or that there is an error in the code. */
static bool tell_of_disk(const struct qn_engines_recipe *r, const char *folder)
{
    char *probe;
    int fd, error = 0;

    if (asprintf(&probe, "%s/probe", folder) < 0)
        return false;
    fd = open(probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    error = fd < 0 ? errno : posix_fallocate(fd, 0, COMPILE_ROOM);
    if (fd >= 0)
        close(fd);
    unlink(probe);
    free(probe);
    if (error != ENOSPC && error != EDQUOT && error != EFBIG)
        return false;
    qn_text_complain("quern: %s: %s: no room to compile: %s", r->build->tool, folder, strerror(error));
    return true;
}

bool qn_engines_tell_fault(const struct qn_engines_recipe *r, const char *folder, bool failed)
{
    struct fault f = { .recipe = r };
    bool told = failed && tell_of_disk(r, folder);

    f.text = told ? NULL : read_said(folder, r->files.n);
    if (f.text) /* the linker's */
        told = tell_of_linker(&f);
    free(f.text);
    for (f.file = 0; f.file < r->files.n && !told; f.file++) {
        f.slot = NULL;
        f.text = read_said(folder, f.file);
        if (!find_slot(&f))
            f.slot = NULL;
        told = f.text && tell_of_file(&f, failed);
        free(f.text);
    }
    for (f.file = 0; f.file < r->files.n && !told && !failed; f.file++) {
        f.slot = NULL;
        f.text = read_said(folder, f.file);
        find_slot(&f);
        if (f.text)
            print_warnings(&f);
        free(f.text);
    }
    if (failed && !told)
        qn_text_complain("quern: %s: the compiler %s failed", r->build->tool, r->compile.word[0]);
    return told || failed;
}
