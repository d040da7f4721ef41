/* lib/engines/compile.c - compiles all files in parallel, one per processor, then links them.
 *
 * In:  a recipe, and a folder of our own
 * Out: FOLDER/program; FOLDER/0.o, 0.d (the files that it was made of, as make wants them), 0.err (what the compiler said) ...
 *
 * Signals that end us wait in the meantime.  When one comes, the compilers, each with its helpers a process group of its own, end
 * first; then who called removes the folder, and takes the signal.
 */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"

#define NO_PROGRAM 127      /* exit status of a child that could not execute the program */
#define SIGNALLED 128
#define MILLISECOND 1000000 /* ns */
#define END_WAIT 1000       /* ms, for a compiler that was told to end */

/* ---- signals ---- */

void qn_engines_guard(struct qn_engines_guard *g)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction act;

    g->signal = 0;
    g->tick = NULL;
    sigemptyset(&g->watched);
    sigaddset(&g->watched, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigaction(ends[i], NULL, &act) && act.sa_handler != SIG_IGN)
            sigaddset(&g->watched, ends[i]);
    sigprocmask(SIG_BLOCK, &g->watched, &g->old);
    sigaction(SIGCHLD, &(struct sigaction){ .sa_handler = SIG_DFL }, &g->child);
}

void qn_engines_unguard(struct qn_engines_guard *g)
{
    if (g->signal)
        raise(g->signal);
    if (sigismember(&g->old, SIGCHLD))
        raise(SIGCHLD); /* another part of this process may wait for this signal */
    sigaction(SIGCHLD, &g->child, NULL);
    sigprocmask(SIG_SETMASK, &g->old, NULL);
}

void qn_engines_in_child(const struct qn_engines_guard *g)
{
    sigaction(SIGCHLD, &g->child, NULL);
    sigprocmask(SIG_SETMASK, &g->old, NULL);
}

static pid_t start(const struct qn_engines_guard *g, char **argv, const char *errors)
{
    pid_t child = fork();
    int fd;

    if (child)
        return child;
    if (errors) {
        setpgid(0, 0);
        fd = open(errors, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        dup2(fd, STDERR_FILENO);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("PATH", "/usr/local/bin:/usr/bin:/bin", 0); /* without any, gcc does not find its parts */
    }
    qn_engines_in_child(g);
    execvp(argv[0], argv);
    if (!errors)
        qn_text_complain("quern: %s: %s", argv[0], strerror(errno));
    _exit(NO_PROGRAM);
}

/* The terminal sends a signal to our whole process group.  Any other signal reaches only us, and we pass it on. */
int qn_engines_await(struct qn_engines_guard *g, pid_t child)
{
    static const struct timespec second = { .tv_sec = 1 };
    siginfo_t info;
    int status;

    while (waitpid(child, &status, WNOHANG) == 0) {
        int sig = g->tick ? sigtimedwait(&g->watched, &info, &second) : sigwaitinfo(&g->watched, &info);

        if (g->tick)
            g->tick(g->tick_data);

        if (sig > 0 && sig != SIGCHLD) {
            g->signal = sig;
            if (info.si_code <= 0)
                kill(child, sig);
        }
    }
    return status;
}

int qn_engines_run(char **argv)
{
    struct qn_engines_guard g;
    pid_t child;
    int status;

    qn_engines_guard(&g);
    child = start(&g, argv, NULL);
    status = child > 0 ? qn_engines_await(&g, child) : NO_PROGRAM << 8;
    g.signal = 0; /* the signal was meant for the program */
    qn_engines_unguard(&g);
    return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
}

/* ---- which compiler ---- */

/* Adds a file's path, size and time to a key. */
static bool identify(FILE *key, const char *path)
{
    struct stat st;

    if (!path || stat(path, &st) || !S_ISREG(st.st_mode))
        return false;
    if (key)
        fprintf(key, "%s %lld %lld.%09ld\n", path, (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    return true;
}

void qn_engines_identify(FILE *key, const char *path) { identify(key, path); }

char *qn_engines_find_command(const char *name)
{
    const char *path = getenv("PATH"), *at = path && *path ? path : "/usr/bin:/bin";
    char *file;

    if (strchr(name, '/'))
        return !access(name, X_OK) && identify(NULL, name) ? strdup(name) : NULL;
    for (size_t n; *at; at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        if (asprintf(&file, "%.*s%s%s", (int)n, at, n ? "/" : "", name) < 0)
            return NULL;
        if (!access(file, X_OK) && identify(NULL, file))
            return file;
        free(file);
    }
    return NULL;
}

static bool identify_program(FILE *key, const char *name)
{
    char *file = qn_engines_find_command(name);
    bool found = file && identify(key, file);

    free(file);
    return found;
}

/* Looks at all words of $CC before its flags: "ccache gcc" names two programs. */
bool qn_engines_find_compiler(const struct qn_engines_recipe *r, FILE *key)
{
    const struct qn_engines_words *w = &r->compile;

    if (!identify_program(key, w->word[0])) {
        qn_text_complain("quern: %s: no C compiler: there is no '%s'; install gcc, or set CC", r->build->tool, w->word[0]);
        return false;
    }
    for (int i = 1; i < w->n && w->word[i][0] != '-'; i++)
        identify_program(key, w->word[i]);
    return true;
}

/* ---- compilers side by side ---- */

struct work {
    struct qn_engines_guard *g;
    const struct qn_engines_recipe *recipe;
    const char *folder;
    int next, running, room;
    bool failed;
    pid_t pid[QN_ENGINES_WORDS_MAX]; /* by file; 0: not running */
};

static char *in_folder(const struct work *w, int number, const char *suffix)
{
    char *path;

    if (asprintf(&path, "%s/%d%s", w->folder, number, suffix) < 0)
        abort();
    return path;
}

static void print_words(const struct work *w, char **argv)
{
    for (; w->recipe->build->verbose && *argv; argv++)
        fprintf(stderr, "%s%c", *argv, argv[1] ? ' ' : '\n');
}

static void start_file(struct work *w, int number)
{
    const struct qn_engines_words *c = &w->recipe->compile;
    const struct qn_engines_unit *unit = &w->recipe->unit[number];
    char *argv[QN_ENGINES_WORDS_MAX + 10], slot[24], *made[] = { in_folder(w, number, ".d"), in_folder(w, number, ".o"), in_folder(w, number, ".err") };
    const char *rest[] = { "-MD", "-MF", made[0], "-c", "-o", made[1], w->recipe->files.word[number], unit->slot ? slot : NULL,
                           unit->shadow ? "-DQN_SIM_SHADOW=1" : NULL, NULL };

    snprintf(slot, sizeof slot, "-DQN_SLOT=%s", unit->slot ? unit->slot : "");
    memcpy(argv, c->word, (size_t)c->n * sizeof *argv);
    memcpy(argv + c->n, rest, sizeof rest);
    print_words(w, argv);
    w->pid[number] = start(w->g, argv, made[2]);
    if (w->pid[number] > 0)
        w->running++;
    else
        w->failed = true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        free(made[i]);
}

static void take_ended(struct work *w)
{
    for (int i = 0; i < w->next; i++) {
        int status;

        if (w->pid[i] <= 0 || waitpid(w->pid[i], &status, WNOHANG) == 0)
            continue;
        w->pid[i] = 0;
        w->running--;
        w->failed |= status != 0;
    }
}

/* On SIGTERM a compiler removes its temporary files and ends.  Then we become the parent of its helpers. */
static void end_group(pid_t head)
{
    kill(-head, SIGTERM);
    kill(head, SIGTERM); /* it may not have made its process group yet */
    for (int ms = 0; ms < END_WAIT; ms++) {
        pid_t ended = waitpid(-head, NULL, WNOHANG);

        if (ended < 0)
            return;
        if (ended == 0)
            nanosleep(&(struct timespec){ 0, MILLISECOND }, NULL);
    }
    kill(-head, SIGKILL);
}

static void end_all(struct work *w)
{
    int before = 0;

    prctl(PR_GET_CHILD_SUBREAPER, &before);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (int i = 0; i < w->next; i++)
        if (w->pid[i] > 0)
            end_group(w->pid[i]);
    prctl(PR_SET_CHILD_SUBREAPER, before);
}

/* false: a signal came. */
static bool run_all(struct work *w, int count, void (*begin)(struct work *, int))
{
    while ((w->next < count && !w->failed) || w->running) {
        while (w->next < count && w->running < w->room && !w->failed)
            begin(w, w->next++);
        take_ended(w);
        if (w->running && (w->running == w->room || w->next == count || w->failed)) {
            int sig = sigwaitinfo(&w->g->watched, NULL);

            if (sig > 0 && sig != SIGCHLD) {
                w->g->signal = sig;
                end_all(w);
                return false;
            }
            take_ended(w);
        }
    }
    return true;
}

static void start_linker(struct work *w, int number)
{
    const struct qn_engines_recipe *r = w->recipe;
    static char *argv[3 * QN_ENGINES_WORDS_MAX + 3];
    char *errors = in_folder(w, r->files.n, ".err"), *program;
    int n = 0;

    if (asprintf(&program, "%s/program", w->folder) < 0)
        abort();
    for (int i = 0; i < r->link.n; i++)
        argv[n++] = r->link.word[i];
    for (int i = 0; i < r->files.n; i++)
        argv[n++] = in_folder(w, i, ".o");
    for (int i = 0; i < r->behind.n; i++)
        argv[n++] = r->behind.word[i];
    argv[n++] = (char *)"-o";
    argv[n++] = program;
    argv[n] = NULL;
    print_words(w, argv);
    w->pid[number] = start(w->g, argv, errors);
    if (w->pid[number] > 0)
        w->running++;
    else
        w->failed = true;
    for (int i = 0; i < r->files.n; i++)
        free(argv[r->link.n + i]);
    free(program);
    free(errors);
}

int qn_engines_count_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

static bool tell_fault(const struct qn_engines_recipe *r, const char *folder, bool failed);

int qn_engines_compile(struct qn_engines_guard *g, const struct qn_engines_recipe *r, const char *folder)
{
    struct work w = { .g = g, .recipe = r, .folder = folder, .room = qn_engines_count_processors() };

    if (!run_all(&w, r->files.n, start_file))
        return 1;
    if (tell_fault(r, folder, w.failed))
        return 1;
    w.next = 0;
    if (!run_all(&w, 1, start_linker))
        return 1;
    return w.failed && tell_fault(r, folder, true) ? 1 : 0;
}

/* ---- says what is wrong with a module that does not compile, in one line if possible ----
 *
 *   mine.c:12:2: error: #error "quern-module: policy_way is for caches"    ->  quern: run: D1=mine.c: policy_way is for caches
 *   warning: 'policy_victim' used but never defined                        ->  quern: run: D1=mine.c: policy_victim is missing
 *   unit.c: error: redefinition of 'policy_init'                           ->  quern: run: D1=mine.c: policy_init would not be called: ...
 *   undefined reference to `malloc'                                        ->  quern: run: D1=mine.c: malloc is not there for modules
 *
 * Where a file is no module at all, sim/adapt says so by #error.  Else the author sees what the compiler says of the code, and a
 * line.
 */

#define SAID_BY_MODULE "quern-module: "
#define NAME_MAX_SHOWN 200
#define COMPILE_ROOM (1 << 20) /* bytes that objects and program need at least */

/* The functions that the engine calls begin with one of these. */
static const char *const contract[] = { "policy_", "prefetcher_", "cachesim_", "beside_", "branchsim_", "predictor_", "analysis_", "WANTS_" };

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

/* A function of the module that the engine would not call: sim/adapt has one in its place. */
static bool find_uncalled(const char *text, char name[NAME_MAX_SHOWN])
{
    const char *at = strstr(text, "redefinition of "), *next = at ? strstr(at, "error: ") : NULL, *line = at;

    while (line && line > text && line[-1] != '\n')
        line--;
    return at && holds(line, next ? next : at + strlen(at), "/sim/adapt/") && quoted(at, strchrnul(at, '\n'), name) && is_contract(name);
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

/* A function that the module must define; or module.h's WANTS_PC_is_missing and the like. */
static void tell_missing(const struct fault *f, char *name)
{
    char *mark = strstr(name, "_is_missing");

    if (mark)
        *mark = 0;
    tell(f, name, !mark ? " is missing" : !strcmp(name, "WANTS_PC") ? " is missing: sim_pc needs #define WANTS_PC 1"
              : !strcmp(name, "WANTS_KIND")                         ? " is missing: sim_line_kind needs #define WANTS_KIND 1"
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
        } else if (find_uncalled(f->text, name)) {
            tell(f, name, " would not be called: see the #define behind it in sim/module.h");
        } else {
            fputs(f->text, stderr);
            tell(f, strstr(f->text, "SSE disabled") ? "there is no floating point for modules" : "the compiler refuses it", "");
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

/* What a compiler said that failed, in one line if possible; or the warnings of one that did not.  true: there is a fault. */
static bool tell_fault(const struct qn_engines_recipe *r, const char *folder, bool failed)
{
    struct fault f = { .recipe = r };
    bool explained = failed && tell_of_disk(r, folder);

    f.text = explained ? NULL : read_said(folder, r->files.n);
    if (f.text) /* the linker's */
        explained = tell_of_linker(&f);
    free(f.text);
    for (f.file = 0; f.file < r->files.n && !explained; f.file++) {
        f.slot = NULL;
        f.text = read_said(folder, f.file);
        if (!find_slot(&f))
            f.slot = NULL;
        explained = f.text && tell_of_file(&f, failed);
        free(f.text);
    }
    for (f.file = 0; f.file < r->files.n && !explained && !failed; f.file++) {
        f.slot = NULL;
        f.text = read_said(folder, f.file);
        find_slot(&f);
        if (f.text)
            print_warnings(&f);
        free(f.text);
    }
    if (failed && !explained)
        qn_text_complain("quern: %s: the compiler %s failed", r->build->tool, r->compile.word[0]);
    return explained || failed;
}
