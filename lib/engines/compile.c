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

static bool identify_program(FILE *key, const char *name)
{
    const char *path = getenv("PATH"), *at = path && *path ? path : "/usr/bin:/bin";
    bool found = strchr(name, '/') && !access(name, X_OK) && identify(key, name);
    char *file;

    for (size_t n; *at && !found && !strchr(name, '/'); at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        if (asprintf(&file, "%.*s%s%s", (int)n, at, n ? "/" : "", name) < 0)
            return false;
        found = !access(file, X_OK) && identify(key, file);
        free(file);
    }
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

int qn_engines_compile(struct qn_engines_guard *g, const struct qn_engines_recipe *r, const char *folder)
{
    struct work w = { .g = g, .recipe = r, .folder = folder, .room = qn_engines_count_processors() };

    if (!run_all(&w, r->files.n, start_file))
        return 1;
    if (qn_engines_tell_fault(r, folder, w.failed))
        return 1;
    w.next = 0;
    if (!run_all(&w, 1, start_linker))
        return 1;
    return w.failed && qn_engines_tell_fault(r, folder, true) ? 1 : 0;
}
