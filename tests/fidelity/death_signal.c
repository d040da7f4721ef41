/* The signal of a parent's death: what the program has set, in it, in what it executes, in a child. */
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *when)
{
    int sig = -1, r = prctl(PR_GET_PDEATHSIG, &sig);

    printf("%s: %d %d\n", when, r, sig);
    fflush(stdout);
}

static void try(const char *when, int sig)
{
    printf("%d\n", prctl(PR_SET_PDEATHSIG, sig));
    tell(when);
}

int main(int argc, char **argv)
{
    static char *const more[] = {"a", "b", "c"};
    pid_t pid;

    tell("at first");
    printf("%d\n", prctl(PR_GET_PDEATHSIG, 8));
    if (argc == 3)
        try("one that is none", 65);
    if (argc == 2) {
        try("SIGUSR1", 10);
        try("none", 0);
    }
    if (argc == 3)
        try("SIGUSR2", 12);
    pid = fork();
    if (!pid) {
        tell("child");
        return 0;
    }
    waitpid(pid, NULL, 0);
    if (argc < 4)
        execl(argv[0], argv[0], more[0], argc > 1 ? more[1] : NULL, argc > 2 ? more[2] : NULL, NULL);
    return 0;
}
