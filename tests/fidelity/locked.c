/* locked.c - mlockall: how much is locked afterwards, now and of what comes. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEGABYTE (1l << 20)
#define MUCH (64 * 1024) /* KiB; this program has no more than a few thousand */

static long status(const char *name)
{
    char line[200];
    long value = -1;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            value = atol(line + strlen(name) + 1);
    if (f)
        fclose(f);
    return value;
}

static void tell(const char *what, int result)
{
    printf("%s: %d %d, locked %d, much %d, much there %d\n", what, result, result ? errno : 0, status("VmLck") > 0, status("VmLck") > MUCH,
           status("VmRSS") > MUCH);
}

/* What comes: a mapping and the heap. */
static void grow(const char *what)
{
    long locked = status("VmLck"), there = status("VmRSS");
    char *p = mmap(NULL, MEGABYTE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || sbrk(MEGABYTE) == (void *)-1)
        printf("  no memory, %d\n", errno);
    printf("  %s: %ld KiB more are locked, they are there %d\n", what, status("VmLck") - locked, status("VmRSS") - there > 1024);
}

static void in_child(const char *what, void (*run)(void))
{
    pid_t child;

    printf("%s\n", what);
    child = fork();
    if (child == 0) {
        run();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void inherits(void) { grow("in a child"); }

static void flags(void)
{
    tell("no flags", mlockall(0));
    tell("when used", mlockall(4));
    tell("others", mlockall(8 | MCL_CURRENT));
}

static void all(void)
{
    tell("now", mlockall(MCL_CURRENT));
    grow("then");
    tell("now and then", mlockall(MCL_CURRENT | MCL_FUTURE));
    grow("then");
    in_child("a child", inherits);
    tell("now, no more then", mlockall(MCL_CURRENT));
    grow("then");
    tell("nothing", munlockall());
    grow("then");
}

static void when_used(void)
{
    tell("when used", mlockall(MCL_CURRENT | 4));
    tell("then, when used", mlockall(MCL_FUTURE | 4));
    grow("then");
    tell("nothing", munlockall());
    grow("then");
}

/* Without the privilege. */
static void limited_to(rlim_t bytes)
{
    struct rlimit limit = {bytes, bytes};

    printf("at most %ld KiB: %d\n", (long)bytes / 1024, setrlimit(RLIMIT_MEMLOCK, &limit));
    tell("now", mlockall(MCL_CURRENT));
    tell("then", mlockall(MCL_FUTURE));
    munlockall();
}

static void limited(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};

    if (syscall(SYS_capset, &header, none))
        printf("still privileged\n");
    limited_to(8 * MEGABYTE); /* the usual limit, and this program is smaller */
    limited_to(MEGABYTE / 2);
    limited_to(0);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    in_child("flags", flags);
    in_child("all", all);
    in_child("when used", when_used);
    in_child("limited", limited);
    return 0;
}
