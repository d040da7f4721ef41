/* seccomp.c - filters of system calls: refused with an error, with a signal, by death; nested, in threads, in children. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* This call with this first argument (any, if negative) gets this answer, all others are allowed. */
static int filter(int nr, int argument, unsigned answer, unsigned flags)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | (argument < 0 ? BPF_JGE : BPF_JEQ) | BPF_K, argument < 0 ? 0 : (unsigned)argument, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void on_sys(int sig, siginfo_t *info, void *context)
{
    const greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    printf("signal %d, code %d, errno %d, call %d, arch %x, where %d, rax %lld\n", sig, info->si_code, info->si_errno, info->si_syscall,
           info->si_arch, info->si_call_addr == (void *)g[REG_RIP], g[REG_RAX]);
}

static void in_child(const char *what, void (*run)(void))
{
    int status;
    pid_t pid;

    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        run();
        fflush(stdout);
        _exit(7);
    }
    waitpid(pid, &status, 0);
    printf("%s: %x\n", what, (unsigned)status & ~0x80u);
}

static void errors(void)
{
    printf("%d", filter(SYS_getppid, -1, SECCOMP_RET_ERRNO | 77, 0));
    printf(" %ld %d", syscall(SYS_getppid), errno);
    printf(" %d", filter(SYS_getppid, -1, SECCOMP_RET_ERRNO | 78, 0));
    printf(" %ld %d", syscall(SYS_getppid), errno);
    printf(" %d", filter(SYS_alarm, 5, SECCOMP_RET_ERRNO | 79, 0));
    printf(" %ld %ld %d", syscall(SYS_alarm, 0), syscall(SYS_alarm, 5), errno);
    printf(" mode %d\n", prctl(PR_GET_SECCOMP));
}

static void trapped(void)
{
    struct sigaction a = {.sa_sigaction = on_sys, .sa_flags = SA_SIGINFO};

    sigaction(SIGSYS, &a, NULL);
    filter(SYS_getppid, -1, SECCOMP_RET_TRAP | 55, 0);
    syscall(SYS_getppid);
    signal(SIGSYS, SIG_IGN);
    syscall(SYS_getppid);
}

static void killed(void)
{
    filter(SYS_getppid, -1, SECCOMP_RET_KILL_PROCESS, 0);
    syscall(SYS_getppid);
}

static void strict(void)
{
    fflush(stdout);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0 && write(1, "strict\n", 7) == 7)
        syscall(SYS_getppid);
}

static pthread_barrier_t barrier;

static void *asks(void *p)
{
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    *(long *)p = syscall(SYS_getppid) == -1 ? errno : 0;
    return NULL;
}

static void threads(void)
{
    long before = 0, after = 0;
    pthread_t t, u;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, asks, &before);
    pthread_barrier_wait(&barrier);
    filter(SYS_getppid, -1, SECCOMP_RET_ERRNO | 33, SECCOMP_FILTER_FLAG_TSYNC);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    pthread_create(&u, NULL, asks, &after);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pthread_join(u, NULL);
    printf("threads: %ld %ld\n", before, after);
}

static void executes(void)
{
    filter(SYS_chdir, -1, SECCOMP_RET_ERRNO | EMLINK, 0);
    execl("/bin/sh", "sh", "-c", "cd / 2>/dev/null || exit 5", NULL);
}

static int listener = -1;
static pthread_barrier_t listening;

/* Answers four calls: with a value, with an error, with what the kernel would say; the last one it may have none. */
static void *supervise(void *p)
{
    (void)p;
    pthread_barrier_wait(&listening);
    for (int i = 0; i < 3; i++) {
        struct seccomp_notif asked = {0};
        struct seccomp_notif_resp answer = {0};

        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
            break;
        printf("asked about %d (%llx), arch %x, valid %d\n", asked.data.nr, (unsigned long long)asked.data.args[0], asked.data.arch,
               ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &asked.id));
        answer.id = asked.id;
        if (i == 0)
            answer.val = 4242;
        else if (i == 1)
            answer.error = -EXDEV;
        else
            answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer))
            printf("not sent: %d\n", errno);
    }
    close(listener);
    return NULL;
}

static void listened(void)
{
    pthread_t t;
    long r;

    pthread_barrier_init(&listening, NULL, 2);
    pthread_create(&t, NULL, supervise, NULL);
    listener = filter(SYS_umask, -1, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER);
    printf("listener %d, a second one %d", listener >= 0, filter(SYS_umask, -1, SECCOMP_RET_USER_NOTIF, SECCOMP_FILTER_FLAG_NEW_LISTENER));
    printf(" %d\n", errno);
    fflush(stdout);
    pthread_barrier_wait(&listening);
    r = syscall(SYS_umask, 0x11);
    printf("a value: %ld\n", r);
    r = syscall(SYS_umask, 0x12);
    printf("an error: %ld %d\n", r, errno);
    r = syscall(SYS_umask, 022);
    printf("goes on: %d\n", r >= 0);
    pthread_join(t, NULL);
    r = syscall(SYS_umask, 022);
    printf("without a listener: %ld %d\n", r, errno);
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", "umask; echo $?; umask 22; umask", (char *)NULL);
}

/* Root that has given up CAP_SYS_ADMIN has to say first that it wants no more privileges, as anyone. */
static void unprivileged(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct some[2];
    int r;

    syscall(SYS_capget, &header, some);
    some[CAP_SYS_ADMIN / 32].effective &= ~(1u << CAP_SYS_ADMIN % 32);
    syscall(SYS_capset, &header, some);
    r = filter(SYS_getppid, -1, SECCOMP_RET_ERRNO | 5, 0);
    printf("without the privilege %d, %d\n", r, errno);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    printf("then %d\n", filter(SYS_getppid, -1, SECCOMP_RET_ERRNO | 5, 0));
}

static void invalid(void)
{
    struct sock_filter none[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)}, far[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), BPF_STMT(BPF_RET, 0)},
                       odd[] = {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), BPF_STMT(BPF_RET, 0)},
                       out[] = {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 9, 0), BPF_STMT(BPF_RET, 0)},
                       zero[] = {BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), BPF_STMT(BPF_RET, 0)};
    struct sock_fprog programs[] = {{1, none}, {2, far}, {2, odd}, {2, out}, {2, zero}, {0, none}, {1, NULL}};

    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        long r = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &programs[i]);

        printf("%ld %d, ", r, r ? errno : 0);
    }
    printf("%ld\n", syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x1000, &programs[0]));
}

int main(void)
{
    in_child("unprivileged", unprivileged);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    in_child("errors", errors);
    in_child("trapped, then ignored", trapped);
    in_child("killed", killed);
    in_child("strict", strict);
    in_child("threads", threads);
    in_child("executes", executes);
    in_child("listened", listened);
    in_child("invalid", invalid);
    return 0;
}
