/* Does the sandbox run what it is given, limit it, and leave nothing of it behind? */
#include "lab/sandbox/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

#define LONG_INPUT (1u << 20)

static const char *const read_paths[] = { "/bin", "/usr/bin", "/lib", "/lib64", "/usr/lib", "/etc/ld.so.cache", NULL };

/* A shell may start processes. */
static struct qn_lab_job shell(const char *const *argv)
{
    return (struct qn_lab_job){ .argv = argv, .directory = "/", .limits = qn_lab_limits_tool, .seconds = 20,
                                .paths = { read_paths, NULL } };
}

static void ends(void)
{
    const char *argv[] = { "/bin/sh", "-c", "echo out; echo err >&2; exit 3", NULL };
    struct qn_lab_job job = shell(argv);

    is_int(qn_lab_run(&job), 1, "a shell is run");
    is_int(job.status, 3, "its exit status");
    is_str(job.trouble, "", "it ended by itself");
    is_str(job.output, "out\n", "its output");
    is_str(job.errors, "err\n", "its errors");
    qn_lab_free_job(&job);

    argv[2] = "kill -SEGV $$";
    job = shell(argv);
    qn_lab_run(&job);
    is_int(job.status, 128 + SIGSEGV, "death by a signal");
    is_int(strncmp(job.trouble, "was killed by signal 11", 23), 0, "is told");
    qn_lab_free_job(&job);
}

static void cannot_start(void)
{
    const char *argv[] = { "/bin/there-is-no-such-program", NULL };
    struct qn_lab_job job = shell(argv);

    is_int(qn_lab_run(&job), 0, "a program that is not there is the sandbox's failure");
    is_int(strncmp(job.trouble, "cannot be started: /bin/there-is-no-such-program", 48), 0, "which is told");
    qn_lab_free_job(&job);
}

static void sees_environment(void)
{
    static const char clean[] = "PATH=/usr/local/bin:/usr/bin:/bin\nLC_ALL=C\nTMPDIR=/\nHOME=/\n";
    static const char sanitized[] = "PATH=/usr/local/bin:/usr/bin:/bin\nLC_ALL=C\nTMPDIR=/\nHOME=/\nASAN_OPTIONS=detect_leaks=0\n";
    const char *argv[] = { "/usr/bin/env", NULL };
    struct qn_lab_job job = shell(argv);

    setenv("SECRET", "1", 1);
    unsetenv("CC");
    qn_lab_run(&job);
    is_str(job.output, QN_LAB_SANITIZED ? sanitized : clean, "the environment is its own");
    qn_lab_free_job(&job);
}

static void eats(void)
{
    const char *argv[] = { "/bin/cat", NULL };
    struct qn_lab_job job = shell(argv);
    char *input = malloc(LONG_INPUT);

    memset(input, 'x', LONG_INPUT);
    job.input = input;
    job.input_size = LONG_INPUT;
    qn_lab_run(&job);
    is_int((long long)job.output_size, LONG_INPUT, "a long input comes out again");
    is_int(memcmp(job.output, input, LONG_INPUT), 0, "unchanged");
    free(input);
    qn_lab_free_job(&job);
}

/* Says "more" until five lines came. */
static bool five(void *data, const char *said, size_t size, char **reply, size_t *reply_size)
{
    int *lines = data;

    for (size_t i = 0; i < size; i++)
        *lines += said[i] == '\n';
    *reply = strdup("more\n");
    *reply_size = 5;
    return *lines < 5;
}

static void converses(void)
{
    const char *argv[] = { "/bin/sh", "-c", "echo begin; while read word; do echo \"got $word\"; done", NULL };
    struct qn_lab_job job = shell(argv);
    int lines = 0;

    job.talk = five;
    job.talk_data = &lines;
    qn_lab_run(&job);
    is_int(lines, 5, "a conversation of five lines");
    is_str(job.trouble, "", "that ends when its input is closed");
    qn_lab_free_job(&job);
}

/* A child that left the session, and does not hold the output open. */
static void leaves_behind(void)
{
    const char *argv[] = { "/bin/sh", "-c", "setsid sh -c 'sleep 1000 & wait' >/dev/null 2>&1 & echo $!", NULL };
    struct qn_lab_job job = shell(argv);

    qn_lab_run(&job);
    is_str(job.trouble, "", "a shell that leaves a process behind");
    is_int(kill(atoi(job.output), 0), -1, "it is gone");
    is_int(errno, ESRCH, "for there is no such process");
    qn_lab_free_job(&job);
}

static void limits(void)
{
    const char *argv[] = { "/bin/sh", "-c", "while :; do :; done", NULL };
    struct qn_lab_job job = shell(argv);

    job.limits.cpu_seconds = 1;
    qn_lab_run(&job);
    is_str(job.trouble, "took more than 1 s of processor time", "processor time");
    qn_lab_free_job(&job);

    argv[2] = "sleep 1000";
    job = shell(argv);
    job.seconds = 1;
    qn_lab_run(&job);
    is_str(job.trouble, "did not end within 1 s", "the clock");
    qn_lab_free_job(&job);

    argv[2] = "yes";
    job = shell(argv);
    qn_lab_run(&job);
    is_str(job.trouble, "printed more than 16 MiB", "output");
    qn_lab_free_job(&job);
}

int main(void)
{
    ends();
    cannot_start();
    sees_environment();
    eats();
    converses();
    leaves_behind();
    limits();
    return done_testing();
}
