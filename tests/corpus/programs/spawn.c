/* spawn.c - every way to a child: fork, vfork, posix_spawn with file actions, popen, system, execve of itself with changed
 * arguments, a missing program, an orphan's pipe. */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int wait_for(pid_t pid)
{
    int status;

    if (waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void do_fork(void)
{
    int pipes[2], sum = 0, n;

    if (pipe(pipes))
        exit(1);
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            n = i * i;
            _exit(write(pipes[1], &n, sizeof n) != sizeof n);
        }
    close(pipes[1]);
    while (read(pipes[0], &n, sizeof n) == sizeof n)
        sum += n;
    close(pipes[0]);
    for (n = 0; n < 8; n++)
        wait(NULL);
    printf("fork: %d\n", sum);
}

static void do_vfork(void)
{
    volatile int shared = 1;
    pid_t pid;

    for (volatile int i = 0; i < 5; i++) {
        if ((pid = vfork()) == 0) {
            shared += 10; /* the memory is the parent's */
            _exit(shared);
        }
        printf("vfork: status %d, shared %d\n", wait_for(pid), shared);
    }
    if ((pid = vfork()) == 0) {
        execl("/bin/sh", "sh", "-c", "exit 12", (char *)NULL);
        _exit(99);
    }
    printf("vfork and exec: %d\n", wait_for(pid));
    if ((pid = vfork()) == 0) {
        execl("/no/such/program", "x", (char *)NULL);
        _exit(errno == ENOENT ? 55 : 99);
    }
    printf("vfork and no exec: %d\n", wait_for(pid));
}

static void do_spawn(void)
{
    char *const argv[] = { "sh", "-c", "read -r x; echo \"spawned: $x $Y\"; exit 7", NULL };
    char *const env[] = { "Y=why", NULL };
    posix_spawn_file_actions_t actions;
    int pipes[2];
    pid_t pid;

    if (pipe(pipes))
        exit(1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0], 0);
    posix_spawn_file_actions_addclose(&actions, pipes[1]);
    fflush(stdout);
    if (posix_spawn(&pid, "/bin/sh", &actions, NULL, argv, env))
        exit(2);
    dprintf(pipes[1], "line\n");
    printf("posix_spawn: %d\n", wait_for(pid));
    printf("posix_spawn of nothing: %s\n", strerror(posix_spawnp(&pid, "no-such-program", NULL, NULL, argv, environ)));
}

static void do_popen(void)
{
    char line[100];
    FILE *f = popen("echo one; echo two; exit 4", "r");

    while (f && fgets(line, sizeof line, f))
        printf("popen: %s", line);
    printf("popen: %d\n", WEXITSTATUS(pclose(f)));
    f = popen("tr a-z A-Z", "w");
    fflush(stdout);
    fputs("to a filter\n", f);
    pclose(f);
    fflush(stdout);
    printf("system: %d\n", WEXITSTATUS(system("exit 5")));
    printf("killed: %d\n", WTERMSIG(system("kill -KILL $$")));
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        printf("executed itself: %s %s %s\n", argv[1], argv[2], getenv("MARK"));
        return 17;
    }
    do_fork();
    do_vfork();
    do_spawn();
    do_popen();
    fflush(stdout);
    execve("/proc/self/exe", (char *[]){ argv[0], "first", "second argument", NULL }, (char *[]){ "MARK=set", NULL });
    return 1;
}
