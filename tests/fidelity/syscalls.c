/* Each system call that takes pointers, each pointer bad in turn, the other arguments harmless: what comes back?
 *
 *   ./syscalls              all of them                 -> "0 read: b=EFAULT EFAULT ... 4 ... ok"
 *   ./syscalls NAME...      these
 *
 * For each argument its bad values, in the order of bad[] below.  A number is how many bytes were read or written.
 * A call that waits is ended by a signal (EINTR).  Each runs in a child; where that dies, its signal is shown and another goes on.
 *
 * Left out:
 *   clone, clone3, execve, execveat, ptrace          make processes, or stop them: pointers.c has them
 *   reboot, settimeofday, clock_settime, sethostname, setdomainname, acct, init_module, delete_module, kexec_load     change the machine
 *   brk, mmap                                        return addresses
 *   rseq                                             refused (doc/limits.md)
 *   what a program has no pointer for                there is nothing to be bad */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define ARGUMENTS 6
#define BAD 14           /* values, the first of them in quern */
#define QUERNS 7
#define SHOWN 64         /* what is larger is no number of bytes */
#define TICK 200000      /* microseconds: a call that waits is interrupted then */

/* Letters: p pointer (P: NULL, unless it is the bad one; q: one by the argument before, so that quern does not know it), s name (empty), e name of this program's file, a address (A: not in quern: munmap there is refused); n a size, N a larger
 * one; f a file, S a socket, D a directory, E an epoll descriptor, c the working directory; others a number that fits the call. */
static const struct call { int nr; const char *name, *kinds; } calls[] = {
#include "syscalls.inc"
};
#define CALLS (int)(sizeof calls / sizeof calls[0])

static char *region; /* readable and writable page; one that is not there; read-only page; one that is not there */
static char *const empty = "";

static long bad(int which)
{
    static const uint64_t fixed[] = {0x54001000, 0x60001000, 0x70001000, 0x70300000, 0x78001000, 0x7e8800000000, 0x7ec000000000, /* quern's */
                                     0, 0xdeadbeef, 0x8000000000000000, 0xfffffffffffffff0};

    if (which < BAD - 3)
        return (long)fixed[which];
    switch (which - (BAD - 3)) {
    case 0: return (long)(region + PAGE - 4); /* half of it, if it has eight bytes */
    case 1: return (long)(region + 2 * PAGE);
    default: return (long)(region + 3 * PAGE);
    }
}

static long file, directory, event, sockets[2];

static long good(char kind)
{
    switch (kind) {
    case 'p': case 'a': return (long)region;
    case 's': return (long)empty;
    case 'e': return (long)"/proc/self/exe";
    case 'n': return 8;
    case 'N': return 1024;
    case 'f': return file;
    case 'S': return sockets[0];
    case 'D': return directory;
    case 'E': return event;
    case 'c': return AT_FDCWD;
    case 'g': return SIGUSR2;
    case 'I': return 0x541b;  /* FIONREAD */
    case 'L': return F_GETLK;
    case 'G': return 0x1003;  /* ARCH_GET_FS */
    case 'T': return 37;      /* PR_GET_CHILD_SUBREAPER */
    case 'P': return 0;
    default: return kind - '0';
    }
}

static void make_region(void)
{
    region = mmap(region, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | (region ? MAP_FIXED : 0), -1, 0);
    if (region == MAP_FAILED || mprotect(region, PAGE, PROT_READ | PROT_WRITE) || mprotect(region + 2 * PAGE, PAGE, PROT_READ))
        exit(9);
}

static void nothing(int sig) { (void)sig; }

static void prepare(void)
{
    const struct sigaction act = {.sa_handler = nothing};
    const struct itimerval tick = {{0, TICK}, {0, TICK}};
    int pair[2];

    make_region();
    file = memfd_create("file", 0);
    directory = open(".", O_RDONLY);
    event = epoll_create1(0);
    if (ftruncate((int)file, 1 << 20) || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) || write(pair[1], "datagram", 8) != 8)
        exit(9);
    sockets[0] = pair[0];
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &tick, NULL);
}

/* Done so far, and results, shared with the children. */
static struct { volatile int next; volatile long result[ARGUMENTS * BAD]; } *shared;

static void run(const struct call *c)
{
    prepare();
    for (int i; (i = shared->next) < ARGUMENTS * BAD; shared->next = i + 1) {
        long a[ARGUMENTS] = {0};
        int which = i / BAD;

        shared->result[i] = -9999;
        if ((size_t)which >= strlen(c->kinds) || !strchr("pPqseaA", c->kinds[which]) ||
            (strchr("qA", c->kinds[which]) && i % BAD < QUERNS))
            continue;
        for (size_t k = 0; k < strlen(c->kinds); k++)
            a[k] = good(c->kinds[k]);
        a[which] = bad(i % BAD);
        make_region();
        shared->result[i] = syscall(c->nr, a[0], a[1], a[2], a[3], a[4], a[5]);
        if (shared->result[i] == -1)
            shared->result[i] = -errno;
    }
    _exit(0);
}

static void show(const struct call *c)
{
    int argument = -1;

    printf("%d %s:", c->nr, c->name);
    for (int i = 0; i < ARGUMENTS * BAD; i++) {
        long r = shared->result[i];

        if (r == -9999)
            continue;
        if (i / BAD != argument)
            printf(" %c=", "abcdef"[argument = i / BAD]);
        else
            printf(" ");
        if (r < -1000)
            printf("DIED%ld", -r - 1000);
        else if (r < 0)
            printf("%s", strerrorname_np((int)-r) ? strerrorname_np((int)-r) : "?");
        else if (r <= SHOWN && strchr("fS", c->kinds[0])) /* so many bytes */
            printf("%ld", r);
        else
            printf("ok");
    }
    printf("\n");
    fflush(stdout);
}

static void test(const struct call *c)
{
    int status;

    shared->next = 0;
    while (shared->next < ARGUMENTS * BAD) {
        pid_t child = fork();

        if (!child)
            run(c);
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(9);
        if (WIFSIGNALED(status)) {
            shared->result[shared->next] = -1000 - WTERMSIG(status);
            shared->next++;
        } else if (status) {
            printf("%s: status %x\n", c->name, status);
            return;
        }
    }
    show(c);
}

static int is_wanted(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], name))
            return 1;
    return argc < 2;
}

int main(int argc, char **argv)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 9;
    for (int i = 0; i < CALLS; i++)
        if (is_wanted(argc, argv, calls[i].name))
            test(&calls[i]);
    return 0;
}
