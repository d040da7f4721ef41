/* process_signals.c - signals that come about when a process forks, or executes a program: each is seen once, by the one it was for. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 300, PATIENCE_MS = 10000, PERIOD_US = 1000 };

/* ---- fork: a child does not inherit what waits for its parent ---- */

static pid_t parent;
static volatile sig_atomic_t alarmed; /* a child was */

static void note_alarm(int sig)
{
    (void)sig;
    if (getpid() != parent)
        alarmed = 1;
}

static int alarms_in_child(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(alarmed);
    while (waitpid(pid, &status, 0) != pid)
        ;
    return status != 0;
}

static void fork_often(void)
{
    struct sigaction a = {.sa_handler = note_alarm, .sa_flags = SA_RESTART};
    struct itimerval period = {{0, PERIOD_US}, {0, PERIOD_US}}, none = {{0, 0}, {0, 0}};
    int wrong = 0;

    parent = getpid();
    sigaction(SIGALRM, &a, NULL);
    setitimer(ITIMER_REAL, &period, NULL);
    for (int i = 0; i < TIMES; i++)
        wrong += alarms_in_child();
    setitimer(ITIMER_REAL, &none, NULL);
    printf("alarms of the parent in its child: %d\n", wrong);
}

/* ---- exec: the handler has run, or the program dies of it ---- */

static int ends[2];

static void tell(int sig)
{
    (void)sig;
    if (write(ends[1], "h", 1) != 1)
        _exit(1);
}

static void exec_with_handler(void)
{
    signal(SIGUSR1, tell);
    close(ends[0]);
    if (write(ends[1], "b", 1) == 1)
        execl("/bin/sleep", "sleep", "60", (char *)NULL);
    _exit(1);
}

/* Is anything to be seen of a signal that comes so long after the child began? */
static int is_seen(int delay)
{
    struct pollfd p = {.events = POLLIN};
    char text;
    int seen = 0;
    pid_t pid;

    if (pipe(ends) || (pid = fork()) < 0)
        return 0;
    if (pid == 0)
        exec_with_handler();
    close(ends[1]);
    p.fd = ends[0];
    if (read(p.fd, &text, 1) == 1) {
        for (volatile int k = 0; k < delay; k++)
            ;
        kill(pid, SIGUSR1);
        seen = poll(&p, 1, PATIENCE_MS) == 1; /* the handler's letter, or nobody is left to write */
    }
    kill(pid, SIGKILL);
    close(p.fd);
    waitpid(pid, NULL, 0);
    return seen;
}

int main(void)
{
    int i = 0;

    setvbuf(stdout, NULL, _IONBF, 0);
    fork_often();
    while (i < TIMES && is_seen(i * 7919 % TIMES * 5000))
        i++;
    printf("signals about exec: %s\n", i == TIMES ? "none lost" : "one lost");
    return 0;
}
