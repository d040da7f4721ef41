/* Does tap.h print what a TAP reader expects?  The failing calls run in a child whose output is compared. */
#include "tap.h"

#include <sys/wait.h>
#include <unistd.h>

/* Run `body` in a child with its stdout caught in `text`; returns its exit status. */
static int run_caught(void (*body)(void), char *text, size_t size)
{
    int ends[2], status;
    size_t used = 0;
    ssize_t n;

    fflush(stdout);
    if (pipe(ends) != 0)
        bail("no pipe");
    if (fork() == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        tap_count = tap_failed = 0;
        body();
        exit(done_testing());
    }
    close(ends[1]);
    while ((n = read(ends[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
    close(ends[0]);
    wait(&status);
    return WEXITSTATUS(status);
}

static void body_pass(void)
{
    ok(true, "plain");
    is_int(3, 3, "number %d", 3);
    skip(2, "no %s", "luck");
}

static void body_fail(void)
{
    is_int(3, 4, "number");
    is_str("a", NULL, "text");
    is_mem("ab", "ac", 2, "bytes");
}

static void body_absent(void)
{
    absent_all(2, "no library");
}

int main(void)
{
    char text[4096];

    is_int(run_caught(body_pass, text, sizeof text), 0, "status without failures");
    is_str(text, "ok 1 - plain\nok 2 - number 3\nok 3 # SKIP no luck\nok 4 # SKIP no luck\n1..4\n", "passing points");
    is_int(run_caught(body_fail, text, sizeof text), 1, "status with failures");
    ok(strstr(text, "not ok 1 - number\n") && strstr(text, "got 3 (0x3), wanted 4 (0x4)"), "a number that differs");
    ok(strstr(text, "got \"a\", wanted \"(null)\""), "a string that differs");
    ok(strstr(text, "# got    61 62\n# wanted 61 63\n"), "bytes that differ");
    ok(strstr(text, "run again: "), "the command to run it again");
    unsetenv("QUERN_ORACLES");
    is_int(run_caught(body_absent, text, sizeof text), 0, "status where an oracle is absent");
    is_str(text, "1..2\nok 1 # SKIP no library\nok 2 # SKIP no library\n", "its points are skipped");
    setenv("QUERN_ORACLES", "required", 1);
    is_int(run_caught(body_absent, text, sizeof text), 1, "status where it is required");
    is_str(text, "1..2\nnot ok 1 - no library, and QUERN_ORACLES is required\n"
                 "not ok 2 - no library, and QUERN_ORACLES is required\n", "its points fail");
    return done_testing();
}
