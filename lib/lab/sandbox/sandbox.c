/* lib/lab/sandbox/sandbox.c - runs one program in the sandbox, and ends it with all its descendants.  See sandbox.h. */
#define _GNU_SOURCE
#include "lab/sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "lab/internal.h"

#define READ_BYTES 65536
#define EXIT_UNCONFINED 125 /* of the child, before the program begins; a message is in the pipe `report` */
#define MIB (1ull << 20)
#define IDLE_MS 2000u       /* a program that sleeps for so long is ended */
#define ANSWER_MS 200u      /* for a line about what a module is doing, when its time is up */
#define LOOK_MS 100         /* between two checks of that */

const struct qn_lab_limits qn_lab_limits_program = {
    .cpu_seconds = 5, .memory_bytes = 512 * MIB, .data_bytes = 512 * MIB, .file_bytes = 64 * MIB, .files = 16
};
#define TOOL_DATA (QN_LAB_SANITIZED ? 0 : 2048 * MIB)

const struct qn_lab_limits qn_lab_limits_tool = {
    .cpu_seconds = 20, .data_bytes = TOOL_DATA, .file_bytes = 64 * MIB, .files = 256, .may_fork = true
};
const struct qn_lab_limits qn_lab_limits_quern = {
    .cpu_seconds = 20, .data_bytes = TOOL_DATA, .file_bytes = 65536 * MIB, .files = 1024, .may_fork = true
};

enum { IN, OUT, ERR, REPORT, PIPES };

struct child {
    pid_t pid;
    int fd[PIPES];        /* our ends; -1 = closed */
    int64_t give_up;      /* ms */
    uint64_t ticks;       /* processor time at the last check, and since when it has not grown: */
    int64_t idle_since;
    uint64_t ticks_then;  /* processor time at its last output */
    bool spoke;           /* it has printed something since the last check */
    char *pending;        /* for its standard input */
    size_t pending_size, pending_at;
};

static int64_t milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the child ---- */

static void say_and_exit(int report, const char *what)
{
    dprintf(report, "%s: %s", what, strerror(errno));
    _exit(EXIT_UNCONFINED);
}

static char *setting(const char *name, const char *value)
{
    char *text;

    return asprintf(&text, "%s=%s", name, value) < 0 ? NULL : text;
}

static void become(const struct qn_lab_job *job, const int theirs[PIPES])
{
    char *environment[] = { setting("PATH", "/usr/local/bin:/usr/bin:/bin"), setting("LC_ALL", "C"),
                            setting("TMPDIR", job->directory), setting("HOME", job->directory), NULL, NULL, NULL };
    const char *wrong;
    int report = fcntl(theirs[REPORT], F_DUPFD_CLOEXEC, 10);

    if (getenv("CC"))
        environment[4] = setting("CC", getenv("CC"));
    if (QN_LAB_SANITIZED) /* leak detection needs ptrace, which is refused */
        environment[environment[4] ? 5 : 4] = setting("ASAN_OPTIONS", "detect_leaks=0");
    setsid();
    signal(SIGPIPE, SIG_DFL);
    if (report < 0 || dup2(theirs[IN], 0) < 0 || dup2(theirs[OUT], 1) < 0 || dup2(theirs[ERR], 2) < 0)
        _exit(EXIT_UNCONFINED);
    syscall(SYS_close_range, 3, report - 1, 0);
    syscall(SYS_close_range, report + 1, ~0u, 0);
    if (chdir(job->directory))
        say_and_exit(report, job->directory);
    wrong = qn_lab_confine(&job->limits, &job->paths);
    if (wrong)
        say_and_exit(report, wrong);
    execve(job->argv[0], (char *const *)job->argv, environment);
    say_and_exit(report, job->argv[0]);
}

static bool start(struct child *c, const struct qn_lab_job *job)
{
    int ends[PIPES][2], theirs[PIPES];

    for (int i = 0; i < PIPES; i++) {
        if (pipe2(ends[i], O_CLOEXEC))
            return false;
        theirs[i] = ends[i][i == IN ? 0 : 1];
        c->fd[i] = ends[i][i == IN ? 1 : 0];
        fcntl(c->fd[i], F_SETFL, O_NONBLOCK);
    }
    fflush(NULL);
    qn_lab_adopt_orphans();
    c->pid = fork();
    if (c->pid == 0)
        become(job, theirs);
    for (int i = 0; i < PIPES; i++)
        close(theirs[i]);
    return c->pid > 0;
}

/* ---- input and output ---- */

static void close_pipe(struct child *c, int which)
{
    if (c->fd[which] >= 0)
        close(c->fd[which]);
    c->fd[which] = -1;
}

static bool append(char **text, size_t *size, const char *bytes, size_t n)
{
    char *longer = QN_NEEDED(realloc(*text, *size + n + 1));

    memcpy(longer + *size, bytes, n);
    *text = longer;
    *size += n;
    longer[*size] = 0;
    return true;
}

static void feed(struct child *c)
{
    ssize_t n = write(c->fd[IN], c->pending + c->pending_at, c->pending_size - c->pending_at);

    if (n < 0 && errno != EAGAIN)
        close_pipe(c, IN);
    c->pending_at += n > 0 ? (size_t)n : 0;
}

static void converse(struct child *c, struct qn_lab_job *job, const char *said, size_t n)
{
    char *reply = NULL;
    size_t size = 0;
    bool more = job->talk(job->talk_data, said, n, &reply, &size);

    if (c->pending_at == c->pending_size)
        c->pending_at = c->pending_size = 0;
    if (size)
        append(&c->pending, &c->pending_size, reply, size);
    free(reply);
    if (!more)
        close_pipe(c, IN);
    else if (c->fd[IN] >= 0)
        feed(c);
}

/* false: it printed more than it may. */
static bool take_output(struct child *c, struct qn_lab_job *job)
{
    static char bytes[READ_BYTES];
    ssize_t n = read(c->fd[OUT], bytes, sizeof bytes);

    if (n == 0 || (n < 0 && errno != EAGAIN))
        close_pipe(c, OUT);
    if (n <= 0)
        return true;
    c->spoke = job->talk != NULL;
    if (job->talk)
        converse(c, job, bytes, (size_t)n);
    if (job->talk && job->output_size + (size_t)n > QN_LAB_OUTPUT_MAX / 2) /* only the end of a conversation is kept */
        job->output_size = 0;
    if (job->output_size + (size_t)n > QN_LAB_OUTPUT_MAX)
        return false;
    return append(&job->output, &job->output_size, bytes, (size_t)n);
}

static void take_errors(struct child *c, int which, char **text, size_t *size)
{
    static char bytes[READ_BYTES];
    ssize_t n = read(c->fd[which], bytes, sizeof bytes);
    size_t room = QN_LAB_ERRORS_MAX - *size;

    if (n == 0 || (n < 0 && errno != EAGAIN))
        close_pipe(c, which);
    else if (n > 0)
        append(text, size, bytes, (size_t)n < room ? (size_t)n : room);
}

/* "sleep": it has slept for too long (waiting for the processor is not sleeping); "turn": it has computed for longer than it may; NULL: neither. */
static const char *is_stuck(struct child *c, const struct qn_lab_job *job)
{
    char path[64], line[512] = "", state = 'R';
    unsigned long user = 0, system = 0;
    const char *behind_name;
    FILE *f;

    if (job->limits.may_fork || job->limits.may_split)
        return NULL;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)c->pid);
    f = fopen(path, "re");
    if (f && fgets(line, sizeof line, f) && (behind_name = strrchr(line, ')')))
        sscanf(behind_name, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &state, &user, &system);
    if (f)
        fclose(f);
    if ((state != 'S' && state != 'D' && state != 'T') || user + system != c->ticks) {
        c->ticks = user + system;
        c->idle_since = milliseconds();
    }
    if (c->spoke)
        c->ticks_then = c->ticks;
    c->spoke = false;
    if (job->limits.cpu_ms && (c->ticks - c->ticks_then) * 1000 / (uint64_t)sysconf(_SC_CLK_TCK) > job->limits.cpu_ms)
        return "turn";
    return milliseconds() - c->idle_since >= IDLE_MS ? "sleep" : NULL;
}

/* Feeds and reads the program until its output and errors are closed, or until it has to be ended: then *gave_up says why. */
static void attend(struct child *c, struct qn_lab_job *job, const char **gave_up, char **report, size_t *report_size)
{
    while (c->fd[OUT] >= 0 || c->fd[ERR] >= 0) {
        bool feeding = c->fd[IN] >= 0 && c->pending_at < c->pending_size;
        struct pollfd p[PIPES] = { { feeding ? c->fd[IN] : -1, POLLOUT, 0 }, { c->fd[OUT], POLLIN, 0 },
                                   { c->fd[ERR], POLLIN, 0 }, { c->fd[REPORT], POLLIN, 0 } };
        int64_t left = c->give_up - milliseconds();

        *gave_up = left <= 0 ? "clock" : is_stuck(c, job);
        if (*gave_up || poll(p, PIPES, (int)(left < LOOK_MS ? left : LOOK_MS)) < 0)
            return;
        if (p[OUT].revents && !take_output(c, job))
            *gave_up = "flood";
        if (*gave_up)
            return;
        if (p[ERR].revents)
            take_errors(c, ERR, &job->errors, &job->errors_size);
        if (p[REPORT].revents)
            take_errors(c, REPORT, report, report_size);
        if (p[IN].revents && c->fd[IN] >= 0)
            feed(c);
        if (!job->talk && c->fd[IN] >= 0 && c->pending_at == c->pending_size)
            close_pipe(c, IN);
    }
}

/* ---- how it ended ---- */

/* Waits for the end of a program that has closed its output, until its time is up. */
static const char *wait_for_end(struct child *c, const struct qn_lab_job *job)
{
    siginfo_t info = { .si_pid = 0 };
    const struct timespec moment = { 0, 2000000 };
    const char *stuck;

    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0) {
        if (milliseconds() >= c->give_up)
            return "clock";
        if ((stuck = is_stuck(c, job)))
            return stuck;
        nanosleep(&moment, NULL);
    }
    return NULL;
}

/* A module's host (labs/host) answers SIGXCPU with a line that says what the module is doing; of others it is the end. */
static void ask_where(struct child *c, struct qn_lab_job *job)
{
    int64_t end = milliseconds() + ANSWER_MS, left;
    struct pollfd p = { .events = POLLIN };

    kill(c->pid, SIGXCPU);
    while ((p.fd = c->fd[ERR]) >= 0 && (left = end - milliseconds()) > 0 && poll(&p, 1, (int)left) == 1)
        take_errors(c, ERR, &job->errors, &job->errors_size);
}

static void judge(struct qn_lab_job *job, int status, const char *gave_up)
{
    char *t = job->trouble;
    size_t size = sizeof job->trouble;
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

    job->status = signal_number ? 128 + signal_number : WEXITSTATUS(status);
    *t = 0;
    job->stuck = (gave_up && strcmp(gave_up, "flood")) || signal_number == SIGXCPU;
    if (gave_up && !strcmp(gave_up, "clock"))
        snprintf(t, size, "did not end within %u s", job->seconds);
    else if (gave_up && !strcmp(gave_up, "sleep"))
        snprintf(t, size, "waits for something that does not come: %u s without using the processor", IDLE_MS / 1000);
    else if (gave_up && !strcmp(gave_up, "turn"))
        snprintf(t, size, "took more than %u ms of processor time%s", job->limits.cpu_ms, job->talk ? " between two answers" : "");
    else if (gave_up)
        snprintf(t, size, "printed more than %u MiB", QN_LAB_OUTPUT_MAX >> 20);
    else if (signal_number == SIGXCPU)
        snprintf(t, size, "took more than %u s of processor time", job->limits.cpu_seconds);
    else if (signal_number == SIGXFSZ)
        snprintf(t, size, "wrote more than %u MiB into a file", (unsigned)(job->limits.file_bytes / MIB));
    else if (signal_number)
        snprintf(t, size, "was killed by signal %d (%s)", signal_number, strsignal(signal_number));
}

bool qn_lab_run(struct qn_lab_job *job)
{
    struct child c = { .give_up = milliseconds() + (int64_t)job->seconds * 1000, .idle_since = milliseconds() };
    const char *gave_up = NULL;
    char *report = NULL;
    size_t report_size = 0;
    int status = 0;

    signal(SIGPIPE, SIG_IGN);
    append(&job->output, &job->output_size, "", 0);
    append(&job->errors, &job->errors_size, "", 0);
    if (job->input_size)
        append(&c.pending, &c.pending_size, job->input, job->input_size);
    if (!start(&c, job)) {
        snprintf(job->trouble, sizeof job->trouble, "no process: %s", strerror(errno));
        free(c.pending);
        return false;
    }
    attend(&c, job, &gave_up, &report, &report_size);
    if (!gave_up)
        gave_up = wait_for_end(&c, job);
    if (c.fd[REPORT] >= 0)
        take_errors(&c, REPORT, &report, &report_size);
    if (gave_up && !strcmp(gave_up, "turn"))
        ask_where(&c, job);
    qn_lab_reap(c.pid, &status, gave_up != NULL);
    for (int i = 0; i < PIPES; i++)
        close_pipe(&c, i);
    judge(job, status, gave_up);
    if (report_size)
        snprintf(job->trouble, sizeof job->trouble, "cannot be started: %s", report);
    free(report);
    free(c.pending);
    return report_size == 0;
}

void qn_lab_free_job(struct qn_lab_job *job)
{
    free(job->output);
    free(job->errors);
    job->output = job->errors = NULL;
    job->output_size = job->errors_size = 0;
}

/* ---- the end of a program and all its descendants ---- */

void qn_lab_adopt_orphans(void) { prctl(PR_SET_CHILD_SUBREAPER, 1); }

/* Is process `pid` a child of ours? */
static bool is_ours(const char *pid)
{
    char path[64], line[512];
    const char *behind_name;
    int parent = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f) && (behind_name = strrchr(line, ')')))
        sscanf(behind_name, ") %*c %d", &parent);
    if (f)
        fclose(f);
    return parent == getpid();
}

static void kill_children(void)
{
    DIR *d = opendir("/proc");
    struct dirent *e;

    while (d && (e = readdir(d)))
        if (*e->d_name >= '1' && *e->d_name <= '9' && is_ours(e->d_name))
            kill(atoi(e->d_name), SIGKILL);
    if (d)
        closedir(d);
}

void qn_lab_reap(pid_t child, int *status, bool given_up)
{
    int other;

    if (given_up)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL);
    while (kill_children(), waitpid(-1, &other, 0) > 0)
        ;
}

/* ---- the paths that a program may read ---- */

/* Paths that programs need, and further ones that compilers need. */
static const char *const run_paths[] = { "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
                                         "/etc/ld.so.cache", "/dev/urandom" };
static const char *const compile_paths[] = { "/bin", "/usr/bin", "/usr/local/bin", "/usr/libexec", "/usr/include",
                                             "/usr/local/include" };

void qn_lab_add_path(struct qn_lab_path_list *p, const char *path)
{
    if (p->n < QN_LAB_PATHS_MAX)
        p->at[p->n++] = path;
}

void qn_lab_add_system(struct qn_lab_path_list *p, bool compile)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(run_paths); i++)
        qn_lab_add_path(p, run_paths[i]);
    for (size_t i = 0; compile && i < QN_ARRAY_LEN(compile_paths); i++)
        qn_lab_add_path(p, compile_paths[i]);
    if (compile && QN_LAB_SANITIZED)
        qn_lab_add_path(p, "/proc"); /* AddressSanitizer reads its options there */
}

/* All adapters except that of prefetchers, which is most of a lab's solution. */
void qn_lab_add_library(struct qn_lab_path_list *p, const char *library)
{
    static const char *const patterns[] = { "%s/sim/*.[ch]", "%s/sim/fast", "%s/sim/adapt/[!p]*.h", "%s/sim/adapt/po*.h",
                                            "%s/sim/adapt/pred*.h", "%s/sim/hosted", "%s/base", "%s/cost", "%s/text/escape.[ch]", "%s/trace", "%s/lab/host.h",
                                            "%s/../config.h" };

    for (size_t i = 0; i < QN_ARRAY_LEN(patterns); i++) {
        char *pattern = qn_lab_format(patterns[i], library);

        glob(pattern, i ? GLOB_APPEND : 0, NULL, &p->library);
        free(pattern);
    }
    for (size_t i = 0; i < p->library.gl_pathc; i++)
        qn_lab_add_path(p, p->library.gl_pathv[i]);
}

void qn_lab_add_quern(struct qn_lab_path_list *p, const char *quern)
{
    static const char *const places[] = { "%.*s/quern-engine", "%.*s/libquern-engine.a", "%.*s/libquern-replay.a", "%.*s/../libexec/quern" };
    int length = (int)(strrchr(quern, '/') - quern);

    qn_lab_add_path(p, quern);
    for (size_t i = 0; i < QN_ARRAY_LEN(places); i++) {
        char *path = qn_lab_format(places[i], length, quern);

        qn_lab_add_path(p, p->own[i] = path);
    }
}

char *qn_lab_find_command(const char *name)
{
    const char *path = getenv("PATH"), *end;

    if (strchr(name, '/'))
        return strdup(name);
    for (; path && *path; path = end + (*end == ':')) {
        char *full;

        end = strchrnul(path, ':');
        full = qn_lab_format("%.*s/%s", (int)(end - path), path, name);
        if (access(full, X_OK) == 0)
            return full;
        free(full);
    }
    return NULL;
}

void qn_lab_free_paths(struct qn_lab_path_list *p)
{
    for (size_t i = 0; i < QN_ARRAY_LEN(p->own); i++)
        free(p->own[i]);
    globfree(&p->library);
}
