/* How many descriptors may be open: limits as they are, as they are changed, as children and programs that are executed have them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void tell(const char *what)
{
    struct rlimit l, p;
    int n = 0, fd, top = -1, wrong;

    getrlimit(RLIMIT_NOFILE, &l);
    prlimit(getpid(), RLIMIT_NOFILE, NULL, &p);
    while ((fd = dup(0)) >= 0) {
        n++;
        top = fd > top ? fd : top;
    }
    wrong = errno;
    printf("%s: %lu of %lu%s, %d free, up to %d, then %s; ", what, l.rlim_cur, l.rlim_max,
           l.rlim_cur == p.rlim_cur && l.rlim_max == p.rlim_max ? "" : " (not for prlimit)", n, top, strerrorname_np(wrong));
    for (fd = 3; fd <= top; fd++)
        close(fd);
    printf("%d", dup2(0, (int)l.rlim_cur - 1) == (int)l.rlim_cur - 1);
    close((int)l.rlim_cur - 1);
    printf(" %d", dup2(0, (int)l.rlim_cur));
    printf(" %d\n", fcntl(0, F_DUPFD, (int)l.rlim_cur));
    fflush(stdout);
}

static void set(const char *what, rlim_t soft, rlim_t hard)
{
    struct rlimit l = {soft, hard};

    printf("%s: %d\n", what, setrlimit(RLIMIT_NOFILE, &l));
    tell(what);
}

static void in_child(const char *what, void (*does)(const char *))
{
    int status;

    fflush(stdout);
    if (!fork()) {
        does(what);
        exit(0);
    }
    wait(&status);
    printf("%d\n", status);
}

static void grandchild(const char *what) { in_child(what, tell); }

/* Its parent uses all that it has. */
static void crowded(const char *what)
{
    struct rlimit l;

    getrlimit(RLIMIT_NOFILE, &l);
    while (dup(0) >= 0)
        ;
    fflush(stdout);
    if (!fork()) {
        for (int fd = 3; fd < (int)l.rlim_cur; fd++)
            close(fd);
        tell(what);
        exit(0);
    }
    wait(NULL);
    for (int fd = 3; fd < (int)l.rlim_cur; fd++)
        close(fd);
}

int main(int argc, char **argv)
{
    struct rlimit wrong = {30, 20};

    close_range(3, ~0u, 0);
    tell("at first");
    if (argc > 2)
        return 0;
    if (argc > 1) {
        set("less", 30, 40);
        in_child("child", tell);
        crowded("child of a crowded one");
        in_child("grandchild", grandchild);
        set("at the limit", 40, 40);
        in_child("child at the limit", tell);
        set("small", 10, 40);
        in_child("child of a small one", tell);
        printf("%d %d\n", setrlimit(RLIMIT_NOFILE, &wrong), prlimit(0, RLIMIT_NOFILE, (void *)8, NULL));
        if (setgid(65534) || setuid(65534))
            printf("no user to change to\n");
        set("no more", 30, 50);
        set("up", 40, 40);
        in_child("child without rights", tell);
        execl(argv[0], argv[0], "last", "one", NULL);
        printf("%s\n", strerror(errno));
        return 1;
    }
    set("much", 3000, 4000);
    in_child("child", tell);
    execl(argv[0], argv[0], "next", NULL);
    return 1;
}
