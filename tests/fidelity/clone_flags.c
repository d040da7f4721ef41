/* clone_flags.c - clone and clone3 with odd sets of flags: what is shared, what is not, who is whose child. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK (1 << 16)

static struct shared {
    atomic_int value, go, fd, ran;
    mode_t mask;
    int disposition;
} *shared;
static atomic_int in_memory;
static char *stack;

static void handler(int sig) { (void)sig; }

/* Writes to memory, opens a descriptor, changes umask and a disposition of a signal; then waits. */
static int child(void *argument)
{
    in_memory = 42;
    shared->fd = open("/dev/null", O_RDONLY);
    umask(0123);
    signal(SIGUSR2, SIG_IGN);
    shared->value = getppid() == (int)(intptr_t)argument;
    while (!shared->go)
        sched_yield();
    return 7;
}

static void look(const char *what, int pid, int wait_flags)
{
    struct sigaction old;
    int status = 0, r;
    mode_t mask;

    while (!shared->value && !shared->go)
        sched_yield();
    mask = umask(022);
    sigaction(SIGUSR2, NULL, &old);
    printf("%s: memory %d, descriptor %d, umask %o, disposition %d, ", what, in_memory, fcntl(shared->fd, F_GETFD) >= 0, mask,
           old.sa_handler == SIG_IGN);
    fflush(stdout);
    shared->go = 1;
    r = waitpid(pid, &status, wait_flags);
    printf("wait %d status %x\n", r == pid, (unsigned)status);
    close(shared->fd);
}

static void prepare(void)
{
    in_memory = 0;
    memset(shared, 0, sizeof *shared);
    umask(022);
    signal(SIGUSR2, handler);
}

static void plain(const char *what, int flags)
{
    int pid, wait_flags = (flags & 0xff) == SIGCHLD ? 0 : __WALL;

    prepare();
    pid = clone(child, stack + STACK, flags, (void *)(intptr_t)getpid());
    if (pid < 0)
        printf("%s: errno %d\n", what, errno);
    else
        look(what, pid, wait_flags);
}

/* A thread of this process with a table of descriptors of its own: no exit status, so it says when it has ended. */
static void thread_without_files(void)
{
    static _Atomic pid_t tid;

    prepare();
    tid = -1;
    clone(child, stack + STACK, CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID,
          (void *)(intptr_t)getppid(), NULL, NULL, &tid);
    look("thread without files", -2, __WALL);
    while (tid)
        sched_yield();
    printf("its tid was cleared\n");
}

static int raw_clone3(struct clone_args *a, size_t size) { return (int)syscall(SYS_clone3, a, size); }

static void with_clone3(void)
{
    struct clone_args a = {.flags = CLONE_PIDFD | CLONE_PARENT_SETTID, .exit_signal = SIGCHLD};
    int pidfd = -1, tid = -1, pid, status = 0;
    struct pollfd p;

    a.pidfd = (uint64_t)(uintptr_t)&pidfd;
    a.parent_tid = (uint64_t)(uintptr_t)&tid;
    pid = raw_clone3(&a, sizeof a);
    if (pid == 0)
        _exit(3);
    p = (struct pollfd){pidfd, POLLIN, 0};
    poll(&p, 1, -1);
    waitpid(pid, &status, 0);
    printf("clone3: pidfd %d, tid %d, status %x\n", p.revents == POLLIN, tid == pid, (unsigned)status);
    printf("too small: %d %d\n", raw_clone3(&a, 56), errno);
    printf("too large: %d %d\n", raw_clone3(&a, 1 << 20), errno);
    a.stack = 4096;
    printf("half a stack: %d %d\n", raw_clone3(&a, sizeof a), errno);
    a.stack = 0;
    a.flags = CLONE_SIGHAND;
    printf("handlers without memory: %d %d\n", raw_clone3(&a, sizeof a), errno);
    printf("nowhere: %d %d\n", raw_clone3((void *)8, sizeof a), errno);
}

static void cleared_handlers(uint64_t flags, const char *what)
{
    struct clone_args a = {.flags = flags | CLONE_CLEAR_SIGHAND, .exit_signal = SIGCHLD};
    int pid, status = 0;

    signal(SIGUSR1, handler);
    signal(SIGUSR2, SIG_IGN);
    pid = raw_clone3(&a, sizeof a);
    if (pid == 0) {
        kill(getpid(), SIGUSR2);
        kill(getpid(), SIGUSR1);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    raise(SIGUSR1);
    printf("%s: %x\n", what, (unsigned)status);
}

/* The grandchild is a child of ours. */
static int leaves_a_sibling(void *argument)
{
    char *other = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)argument;
    shared->ran = clone(child, other + STACK, CLONE_PARENT | SIGCHLD, (void *)(intptr_t)getppid());
    return 0;
}

static int killed(void *argument)
{
    shared->value = 1;
    in_memory = *(volatile int *)argument; /* SIGSEGV */
    return 0;
}

static int counts_for_ever(void *argument)
{
    shared->value = 1;
    while (argument != shared)
        in_memory++;
    return 0;
}

static int executes(void *argument)
{
    execl("/bin/echo", "echo", (const char *)argument, NULL);
    return 1;
}

static void shares_memory(void)
{
    int status, before;

    for (int i = 0; i < 30; i++) { /* killed at any moment, it must not take the engine's lock along */
        prepare();
        int pid = clone(counts_for_ever, stack + STACK, CLONE_VM | SIGCHLD, NULL);

        while (!shared->value)
            sched_yield();
        for (volatile int spin = 0; spin < i * 1000; spin++)
            ;
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        if (status != SIGKILL)
            printf("status %x\n", (unsigned)status);
    }
    before = in_memory;
    printf("killed: %d\n", before == in_memory);
    prepare();
    waitpid(clone(killed, stack + STACK, CLONE_VM | SIGCHLD, NULL), &status, 0);
    printf("died of a fault: %d\n", WTERMSIG(status));
    fflush(stdout);
    waitpid(clone(executes, stack + STACK, CLONE_VM | SIGCHLD, "it became another program"), &status, 0);
    printf("status %x\n", (unsigned)status);
    fflush(stdout);
    waitpid(clone(executes, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, "with its parent suspended"), &status, 0);
    printf("status %x\n", (unsigned)status);
}

int main(void)
{
    int status, pid;

    setvbuf(stdout, NULL, _IOLBF, 0);
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    plain("nothing", SIGCHLD);
    plain("files", CLONE_FILES | SIGCHLD);
    plain("fs", CLONE_FS | SIGCHLD);
    plain("no signal at its end", 0);
    plain("another signal at its end", SIGCONT);
    plain("memory", CLONE_VM | SIGCHLD);
    plain("memory and files", CLONE_VM | CLONE_FILES | SIGCHLD);
    plain("memory and handlers", CLONE_VM | CLONE_SIGHAND | SIGCHLD);
    plain("memory, fs, files, untraced, no signal", CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED);
    plain("everything but a thread", CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_SYSVSEM | SIGCHLD);
    plain("handlers without memory", CLONE_SIGHAND | SIGCHLD);
    plain("a thread without handlers", CLONE_VM | CLONE_THREAD);
    thread_without_files();
    with_clone3();
    cleared_handlers(0, "cleared handlers");
    prepare();
    pid = clone(leaves_a_sibling, stack + STACK, SIGCHLD, NULL);
    waitpid(pid, &status, 0);
    look("sibling", shared->ran, 0);
    shares_memory();
    return 0;
}
