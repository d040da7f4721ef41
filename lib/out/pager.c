/* lib/out/pager.c - see pager.h. */
#include "out/pager.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/error.h"

enum { WIDTH = 80, WIDTH_LEAST = 40, NOT_FOUND = 127 };

extern char **environ;

bool qn_out_is_terminal(int fd)
{
    const char *term = getenv("TERM");

    return term && *term && strcmp(term, "dumb") && isatty(fd);
}

int qn_out_width(int fd)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    long width = columns ? strtol(columns, NULL, 10) : 0;

    if (width <= 0 || width > 10000)
        width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH;
    return width < WIDTH_LEAST ? WIDTH_LEAST : (int)width;
}

/* Starts the pager with `from` as its input: its process, or -1. */
static pid_t start(const char *pager, int from, int to)
{
    char *words[] = {(char *)"sh", (char *)"-c", (char *)pager, NULL}, *less[] = {(char *)"less", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid = -1;
    int failed;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, to);
    failed = pager ? posix_spawnp(&pid, "sh", &actions, NULL, words, environ) : posix_spawnp(&pid, "less", &actions, NULL, less, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed ? -1 : pid;
}

/* The exit status of a process; *signal: what ended it, 0 none. */
static int wait_for(pid_t pid, int *ended_by)
{
    int status;

    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    *ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The writer, in a process of its own. */
static void write_to(int from, int to, int (*write)(void *data), void *data)
{
    close(from);
    if (isatty(STDERR_FILENO))
        dup2(to, STDERR_FILENO);
    dup2(to, STDOUT_FILENO);
    close(to);
    _exit(write(data));
}

int qn_out_page(bool wanted, int (*write)(void *data), void *data)
{
    const char *pager = getenv("PAGER");
    int ends[2], ended_by = 0, status;
    pid_t reader, writer;

    if (!wanted || !qn_out_is_terminal(STDOUT_FILENO) || (pager && (!*pager || !strcmp(pager, "cat"))) || pipe(ends))
        return write(data);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    reader = start(pager, ends[0], ends[1]);
    writer = reader < 0 ? -1 : fork();
    if (writer == 0)
        write_to(ends[0], ends[1], write, data);
    close(ends[0]);
    close(ends[1]);
    if (reader < 0 || writer < 0)
        return write(data);
    signal(SIGINT, SIG_IGN); /* it is the pager's */
    signal(SIGQUIT, SIG_IGN);
    if (wait_for(reader, &ended_by) == NOT_FOUND)
        qn_text_complain("quern: the pager `%s` was not found; PAGER=cat, or --pager=no", pager ? pager : "less");
    status = wait_for(writer, &ended_by);
    return ended_by == SIGPIPE ? 0 : status; /* it was quit before it had read everything */
}
