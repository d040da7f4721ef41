/* Code that is patched where the program itself cannot write: through /proc/PID/mem, by names of all kinds, and by a debugger.
 *
 * Each `patch` makes the function return the next number; it has run before, in a loop.  Who waits for the patch without a system
 * call is ended by a timer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

/* mov $1, %eax; ret */
__asm__(".text; .balign 4096; .globl number; number: .byte 0xb8; .globl operand; operand: .long 1; ret; .balign 4096");
int number(void);
extern uint32_t operand;

static int now = 1;

static void loop(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 1000; i++)
        sum += number();
}

static void tell(const char *what)
{
    loop();
    printf("%s: %s\n", what, number() == now ? "patched" : "as it was");
    fflush(stdout);
}

/* ---- by ourselves ---- */

static void patch(int fd, const char *what)
{
    loop();
    now++;
    printf("%zd, ", pwrite(fd, &now, sizeof now, (off_t)&operand));
    tell(what);
    close(fd);
}

static void *patch_in_thread(void *nothing)
{
    char name[64];

    snprintf(name, sizeof name, "/proc/self/task/%d/mem", (int)gettid());
    patch(open(name, O_RDWR), "a thread");
    return nothing;
}

static void by_name(void)
{
    struct open_how how = {.flags = O_RDWR};
    int dir = open("/proc/self", O_RDONLY | O_DIRECTORY);
    char link[64], name[64];
    pthread_t t;

    patch(open("/proc/self/mem", O_WRONLY), "/proc/self/mem");
    patch(openat(dir, "mem", O_RDWR), "relative to a directory");
    patch((int)syscall(SYS_openat2, dir, "mem", &how, sizeof how), "openat2");
    patch(creat("/proc/thread-self/mem", 0600), "creat");
    snprintf(link, sizeof link, "/tmp/patched.%d", (int)getpid());
    snprintf(name, sizeof name, "/proc/%d/mem", (int)getpid());
    if (symlink(name, link))
        perror(link);
    patch(open(link, O_RDWR), "a symbolic link");
    unlink(link);
    pthread_create(&t, NULL, patch_in_thread, NULL);
    pthread_join(t, NULL);
}

static void by_inherited_descriptor(void)
{
    int fd = open("/proc/self/mem", O_RDWR), status;

    loop();
    now++;
    if (!fork())
        _exit(pwrite(fd, &now, sizeof now, (off_t)&operand) != sizeof now);
    wait(&status);
    printf("%d, ", status);
    tell("a child that has inherited the descriptor");
    close(fd);
}

/* ---- by another process ---- */

static void wait_for_patch(const char *what, pid_t child)
{
    int status;

    alarm(600);
    while (number() != now)
        ;
    alarm(0);
    waitpid(child, &status, 0);
    printf("%d, ", status);
    tell(what);
}

static void by_child(const char *what, int (*how)(pid_t, int))
{
    pid_t parent = getpid(), child;

    loop();
    now++;
    fflush(stdout);
    child = fork();
    if (!child)
        _exit(how(parent, now));
    wait_for_patch(what, child);
}

static int through_mem(pid_t pid, int value)
{
    char name[64];

    snprintf(name, sizeof name, "/proc/%d/mem", (int)pid);
    return pwrite(open(name, O_WRONLY), &value, sizeof value, (off_t)&operand) != sizeof value;
}

static int by_ptrace(pid_t pid, int value)
{
    long word;
    int status;

    if (ptrace(PTRACE_ATTACH, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid)
        return 1;
    word = ptrace(PTRACE_PEEKTEXT, pid, &operand, NULL);
    memcpy(&word, &value, sizeof value);
    return ptrace(PTRACE_POKETEXT, pid, &operand, word) || ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static int by_seize(pid_t pid, int value)
{
    int status;

    if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) || ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || waitpid(pid, &status, 0) != pid)
        return 1;
    return through_mem(pid, value) || ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

/* The code is writable while that happens, as a just-in-time compiler in a process of its own has it. */
static int by_writev(pid_t pid, int value)
{
    struct iovec from = {&value, sizeof value}, to = {&operand, sizeof value};

    return process_vm_writev(pid, &from, 1, &to, 1, 0) != sizeof value;
}

/* ---- a child that wants to be traced ---- */

static void by_parent(void)
{
    int status;
    long word;
    pid_t child;

    loop();
    now++;
    fflush(stdout);
    child = fork();
    if (!child) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        loop();
        raise(SIGSTOP);
        loop();
        _exit(number());
    }
    waitpid(child, &status, 0);
    word = ptrace(PTRACE_PEEKTEXT, child, &operand, NULL);
    memcpy(&word, &now, sizeof now);
    ptrace(PTRACE_POKETEXT, child, &operand, word);
    ptrace(PTRACE_CONT, child, NULL, NULL);
    waitpid(child, &status, 0);
    printf("the child of a debugger: %s\n", WIFEXITED(status) && WEXITSTATUS(status) == now ? "patched" : "as it was");
    now--;
}

int main(int argc, char **argv)
{
    prctl(PR_SET_PTRACER, -1, 0, 0, 0);
    by_parent(); /* first, while nobody suspects anything */
    if (argc == 1)
        by_child("a child, through /proc/PID/mem", through_mem);
    else if (!strcmp(argv[1], "attach"))
        by_child("a child that attaches", by_ptrace);
    else if (!strcmp(argv[1], "seize"))
        by_child("a child that seizes", by_seize);
    else if (!strcmp(argv[1], "self"))
        by_name();
    else
        by_inherited_descriptor();
    mprotect((void *)((uintptr_t)&operand & -PAGE), PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    by_child("a child, by process_vm_writev", by_writev);
    mprotect((void *)((uintptr_t)&operand & -PAGE), PAGE, PROT_READ | PROT_EXEC);
    tell("the end");
    if (argc > 1)
        return 0;
    for (const char *const *way = (const char *const[]){"attach", "seize", "self", "inherit", NULL}; *way; way++) {
        int status;
        pid_t child = fork();

        if (!child)
            execl(argv[0], argv[0], *way, NULL);
        waitpid(child, &status, 0);
        printf("%s: %d\n", *way, status);
    }
    return 0;
}
