/* Without memory the process ends with one line and status 1 (base/grow.h). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/grow.h"
#include "tap.h"

static void need_nothing(void) { free(QN_NEEDED(NULL)); }

/* The 257th element: `room` cannot count further. */
static void grow_too_far(void)
{
    char *list = NULL;
    uint8_t room = 0;

    for (unsigned n = 0; n <= 256; n++) {
        QN_MORE(list, n, room, 1);
        list[n] = 'a';
    }
    free(list);
}

/* What `act` says on stderr in a process of its own, and how that ends. */
static int run(void (*act)(void), char *said, size_t room)
{
    int fd[2], status = -1;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    fflush(stdout);
    pid = pipe(fd) ? -1 : fork();
    if (pid < 0)
        bail("no process");
    if (pid == 0) {
        dup2(fd[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(fd[1]);
    while (n + 1 < room && (got = read(fd[0], said + n, room - 1 - n)) > 0)
        n += (size_t)got;
    said[n] = 0;
    close(fd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Where memory ends, nothing is freed (make sanitize). */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }

int main(void)
{
    char said[200], *list = NULL;
    size_t room = 0;

    is_int(run(need_nothing, said, sizeof said), 1, "what is needed is not there: status 1");
    is_str(said, "quern: no memory\n", "and one line");
    is_int(run(grow_too_far, said, sizeof said), 1, "a list that cannot grow: status 1");
    is_str(said, "quern: no memory\n", "and one line");
    for (unsigned n = 0; n < 1000; n++) {
        QN_MORE(list, n, room, 3);
        list[n] = (char)n;
    }
    is_int(room, 3 << 9, "a list doubles its room");
    is_int(list[999], (char)999, "and keeps what it has");
    free(list);
    return done_testing();
}
