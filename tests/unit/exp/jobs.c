/* Commands side by side: are they started, limited, stopped, and told from one another? */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exp/jobs.h"
#include "tap.h"

static char *errors_path;
static int ended_count, most_running;
static struct qn_exp_job ended_jobs[16];
static struct qn_exp_jobs jobs;

static void add(const char *script, const char *input);

static void ended(void *data, struct qn_exp_job *job)
{
    ended_jobs[ended_count++ % 16] = *job;
    if (job->data && *(int *)job->data == 1) /* a job may bring another */
        add("exit 9", NULL);
    (void)data;
}

static void tick(void *data, int running)
{
    (void)data;
    most_running = running > most_running ? running : most_running;
}

static void add_command(char **argv, const char *input, void *data)
{
    static char *environment[] = { (char *)"PATH=/usr/bin:/bin", NULL };

    qn_exp_add_job(&jobs, &(struct qn_exp_job){ .argv = argv, .environment = environment, .input = input,
                                                .errors = errors_path, .data = data });
}

static void add(const char *script, const char *input)
{
    char **argv = qn_text_alloc(&jobs.memory, 4 * sizeof *argv);

    argv[0] = (char *)"/bin/sh";
    argv[1] = (char *)"-c";
    argv[2] = qn_text_copy(&jobs.memory, script);
    add_command(argv, input, NULL);
}

static void begin(int parallel, double limit)
{
    qn_exp_init_jobs(&jobs, parallel, limit, NULL);
    jobs.ended = ended;
    jobs.tick = tick;
    ended_count = most_running = 0;
}

static void test_ends(void)
{
    static int more = 1;
    char *missing[] = { (char *)"/nowhere/at/all", NULL }, *again[] = { (char *)"/bin/true", NULL };

    begin(1, 0);
    add("exit 3", NULL);
    add("kill -SEGV $$", NULL);
    add("read line && test \"$line\" = 'hello there'", errors_path);
    add_command(missing, NULL, NULL);
    add_command(again, NULL, &more);
    qn_exp_run_jobs(&jobs);
    is_int(ended_count, 6, "all end, also the one that an end brought");
    is_int(WEXITSTATUS(ended_jobs[0].status), 3, "an exit status");
    ok(WIFSIGNALED(ended_jobs[1].status) && WTERMSIG(ended_jobs[1].status) == SIGSEGV, "a signal");
    is_int(WEXITSTATUS(ended_jobs[2].status), 1, "its input is a file (emptied by its own errors here)");
    is_int(ended_jobs[3].start_errno, 2, "what is not there cannot be started");
    is_int(WEXITSTATUS(ended_jobs[5].status), 9, "the last");
    is_int(most_running, 1, "one at a time");
    qn_exp_free_jobs(&jobs);
}

static void test_parallel(void)
{
    begin(2, 0); /* each waits for the other: they end only if both run at once */
    add("mkfifo fifo.$PPID 2>/dev/null; echo x >fifo.$PPID", NULL);
    add("mkfifo fifo.$PPID 2>/dev/null; read x <fifo.$PPID; rm fifo.$PPID", NULL);
    qn_exp_run_jobs(&jobs);
    is_int(ended_count, 2, "two that wait for each other end");
    qn_exp_free_jobs(&jobs);
}

static void test_limit(void)
{
    begin(2, 0.2);
    add("exec sleep 1000", NULL);
    add("trap '' TERM; while :; do sleep 1000; done", NULL);
    qn_exp_run_jobs(&jobs);
    is_int(ended_count, 2, "both end");
    ok(ended_jobs[0].timed_out && ended_jobs[1].timed_out, "by the limit");
    ok(WTERMSIG(ended_jobs[0].status) == SIGTERM, "the first politely");
    ok(WTERMSIG(ended_jobs[1].status) == SIGKILL, "the second not");
    qn_exp_free_jobs(&jobs);
}

static void test_stop(void)
{
    begin(1, 0);
    add("kill -INT $PPID; exec sleep 1000", NULL);
    add("exit 0", NULL);
    qn_exp_run_jobs(&jobs);
    is_int(jobs.signal, SIGINT, "a signal stops all");
    is_int(ended_count, 0, "and what was stopped has no result");
    ok(kill(jobs.at[0].pid ? jobs.at[0].pid : 1 << 30, 0) != 0, "nothing runs on");
    qn_exp_free_jobs(&jobs);
}

/* What a process sees of who started it. */
static void show(const char *to)
{
    char script[600];

    snprintf(script, sizeof script, "{ grep -E '^(Sig(Blk|Ign|Cgt|Pnd)|Umask)' /proc/self/status; ls /proc/self/fd | wc -l; ulimit -a; tty; } >%s", to);
    add(script, NULL);
    qn_exp_run_jobs(&jobs);
}

static void test_starter(void)
{
    begin(1, 0);
    show("here");
    qn_exp_free_jobs(&jobs);
    begin(1, 0);
    signal(SIGALRM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGRTMIN + 3, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGUSR2 - 1) } }, NULL);
    umask(077);
    setrlimit(RLIMIT_STACK, &(struct rlimit){ 1 << 20, RLIM_INFINITY });
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 100, 4096 });
    dup2(STDOUT_FILENO, 6);
    dup2(STDOUT_FILENO, 77);
    show("elsewhere");
    qn_exp_free_jobs(&jobs);
    is_int(system("cmp here elsewhere >&2 && test $(wc -l <here) -gt 10"), 0, "a job sees the same whoever started it: signals, descriptors, umask, limits");
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");

    if (asprintf(&errors_path, "%s/errors", scratch ? scratch : "/tmp") < 0 || chdir(scratch ? scratch : "/tmp"))
        bail("no scratch");
    test_ends();
    test_parallel();
    test_limit();
    test_stop();
    test_starter();
    free(errors_path);
    return done_testing();
}
