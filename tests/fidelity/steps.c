/* steps.c - a program that sets the trap flag for itself: where it traps, and with which flags.
 *
 *   popf, and so on:  2 3 4          offsets from the beginning of the code; a handler for SIGTRAP and for the signals of faults tells them
 *
 * Each piece of code begins by setting the flag and ends by clearing it, with popf in between. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TF 0x100
#define SET "\x9c\x81\x0c\x24\x00\x01\x00\x00\x9d"   /* pushf; orl $0x100, (%rsp); popf */
#define CLEAR "\x9c\x81\x24\x24\xff\xfe\xff\xff\x9d" /* pushf; andl $~0x100, (%rsp); popf */
#define SET_BYTES 9

static uint8_t *code, *data;
static char log_text[1 << 16];
static unsigned log_used;
static unsigned traps;
static unsigned skip;         /* bytes that the handler of a fault skips */
static unsigned stop_after;   /* traps after which the handler clears the flag; 0: never */
static int show;              /* registers and flags, too */

static void say(const char *format, unsigned long value)
{
    log_used += (unsigned)snprintf(log_text + log_used, sizeof log_text - log_used, format, value);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *g = uc->uc_mcontext.gregs;
    uint64_t at = (uint64_t)(g[REG_RIP] - (greg_t)(uintptr_t)code);

    if (sig != SIGTRAP)
        say(" [%lu", (unsigned long)sig);
    if (at < 4096)
        say(" %lx", at);
    else
        say(" out", 0);
    if (info->si_code != 2)
        say(":code %ld", (unsigned long)info->si_code);
    if (info->si_code == 2 && (g[REG_TRAPNO] != 1 || g[REG_ERR]))
        say(":trap %lu", (unsigned long)g[REG_TRAPNO]);
    if (info->si_code == 2 && info->si_addr != (void *)g[REG_RIP])
        say(":address", 0);
    if (show) {
        say(":flags %lx", (unsigned long)g[REG_EFL] & 0x10fd5);
        say(",cx %lx", (unsigned long)g[REG_RCX]);
    } else if (!(g[REG_EFL] & TF)) {
        say("-", 0);
    }
    if (sig != SIGTRAP) {
        say("]", 0);
        g[REG_RIP] += skip;
    }
    if (++traps == stop_after || traps > 500)
        g[REG_EFL] &= ~TF;
}

static void report(const char *name)
{
    printf("%s: %u:%s\n", name, traps, log_text);
    fflush(stdout);
    log_used = traps = 0;
    log_text[0] = 0;
}

/* Runs the code with rdi = data and rsi = data + 64. */
static void run(const char *name, const char *bytes, unsigned n)
{
    uint8_t *p = code;

    memset(code, 0x90, 4096);
    memset(data, 0, 4096);
    memcpy(p, bytes, n);
    p[n] = 0xc3;
    ((void (*)(void *, void *))(uintptr_t)code)(data, data + 64);
    report(name);
}
#define RUN(name, bytes) run(name, bytes, sizeof bytes - 1)
#define STEP(name, bytes) run(name, SET bytes CLEAR, sizeof(SET bytes CLEAR) - 1)

static void instructions(void)
{
    STEP("nothing", "");
    STEP("nops", "\x90\x90\x66\x90");
    STEP("pushf, pop", "\x9c\x58\x48\x89\x07");
    printf("  shows TF: %d\n", (int)(*(uint64_t *)(void *)data >> 8 & 1));
    STEP("pushf of 16 bits", "\x66\x9c\x66\x58\x66\x89\x07");
    printf("  shows TF: %d\n", (int)(*(uint16_t *)(void *)data >> 8 & 1));
    STEP("popf sets it again", SET);
    RUN("popf of 16 bits", "\x66\x9c\x80\x4c\x24\x01\x01\x66\x9d\x90" CLEAR);
    STEP("cleared and set", CLEAR "\x90\x90" SET "\x90");
    STEP("jumps", "\xeb\x01\x90\x31\xc0\x74\x01\x90\x75\x01\x90\xb9\x03\x00\x00\x00\xe2\xfe\xe3\x00");
    STEP("call and ret", "\xe8\x02\x00\x00\x00\xeb\x01\xc3");
    STEP("call and ret, indirect", "\x48\x8d\x05\x04\x00\x00\x00\xff\xd0\xeb\x01\xc3");
    STEP("jump, indirect", "\x48\x8d\x05\x03\x00\x00\x00\xff\xe0\xcc");
    STEP("a system call", "\xb8\x27\x00\x00\x00\x0f\x05\x90\x90\x4c\x89\x1f");
    printf("  r11 shows TF: %d\n", (int)(*(uint64_t *)(void *)data >> 8 & 1));
    STEP("two system calls", "\xb8\x27\x00\x00\x00\x0f\x05\xb8\x27\x00\x00\x00\x0f\x05\x90");
    STEP("two in a row", "\xb8\x27\x00\x00\x00\x0f\x05\x0f\x05\x90");
    STEP("cpuid", "\x53\x31\xc0\x31\xc9\x0f\xa2\x90\x5b");
    STEP("rdtsc", "\x0f\x31\x90");
    STEP("xgetbv", "\x31\xc9\x0f\x01\xd0\x90");
    STEP("fnstenv", "\xd9\x37\x90\xdb\xe3\x90");
    STEP("mov ss", "\x8c\xd0\x8e\xd0\x90\x90");
    STEP("mov ss twice", "\x8c\xd0\x8e\xd0\x8e\xd0\x90\x90");
    STEP("mov ds", "\x8c\xd8\x8e\xd8\x90\x90");
    STEP("mov gs, push and pop", "\x8c\xe8\x8e\xe8\x0f\xa8\x0f\xa9\x90");
    show = 1;
    STEP("rep movsb", "\xb9\x04\x00\x00\x00\xf3\xa4\x90");
    STEP("rep stosq", "\x57\xb9\x03\x00\x00\x00\xf3\x48\xab\x5f");
    STEP("rep of nothing", "\x31\xc9\xf3\xa4\x90");
    STEP("repe cmpsb", "\xc6\x47\x02\x07\xb9\x05\x00\x00\x00\xf3\xa6\x90");
    STEP("repne scasb", "\xc6\x47\x02\x07\xb8\x07\x00\x00\x00\xb9\x05\x00\x00\x00\xf2\xae\x90");
    STEP("repe scasb to the end", "\x31\xc0\xb9\x03\x00\x00\x00\xf3\xae\x90");
    STEP("rep lodsb, 32-bit addresses", "\x56\x31\xc9\xff\xc1\x48\xc1\xe1\x20\x83\xc9\x02\xbe\x00\x00\x10\x00\x67\xf3\xac\x5e\x90");
    STEP("flags", "\x31\xc0\xf9\xfd\xfc\xf8\x83\xe8\x01");
    show = 0;
    STEP("cmov, setc, lea", "\x0f\x44\xc1\x0f\x92\xc0\x8d\x04\x09");
    STEP("lock inc", "\xf0\xff\x07\x90");
    STEP("xbegin or not", "\x0f\x1f\x00\x90");
}

static void faults(void)
{
    skip = 2;
    STEP("ud2", "\x90\x0f\x0b\x90\x90");
    STEP("int3", "\x90\xcc\x90\x90");
    STEP("int1", "\x90\xf1\x90\x90");
    STEP("int $3", "\x90\xcd\x03\x90\x90");
    STEP("int $20", "\x90\xcd\x20\x90\x90");
    STEP("hlt", "\x90\xf4\x90\x90\x90");
    STEP("a read of nothing", "\x31\xc0\x8b\x00\x90\x90");
    STEP("a division by zero", "\x31\xc0\xf7\xf0\x90\x90");
    skip = 2;
    STEP("rep movsb into nothing", "\x57\x48\x8d\xbf\xfe\x0f\x00\x00\xb9\x04\x00\x00\x00\xf3\xa4\x5f\x90");
    skip = 1;
    STEP("an opcode that nothing knows", "\x90\x06\x90\x90");
    STEP("a fault behind mov ss", "\x8c\xd0\x8e\xd0\xf4\x90\x90");
}

/* The handler of another signal sets or clears the flag in its frame. */
static int wanted;
static void on_usr(int sig, siginfo_t *info, void *context)
{
    greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)sig;
    (void)info;
    say(" (usr %lu)", g[REG_EFL] & TF ? 1 : 0);
    if (wanted)
        g[REG_EFL] |= TF;
    else
        g[REG_EFL] &= ~TF;
}

#define KILL "\x57\xb8\x27\x00\x00\x00\x0f\x05\x89\xc7\xbe\x0a\x00\x00\x00\xb8\x3e\x00\x00\x00\x0f\x05\x5f" /* kill(getpid(), SIGUSR1) */

static void handlers(void)
{
    wanted = 1;
    RUN("sigreturn sets it", KILL "\x90\x90" CLEAR);
    STEP("a signal while it is set", KILL "\x90");
    wanted = 0;
    STEP("sigreturn clears it", KILL "\x90");
    stop_after = 3;
    STEP("the handler clears it", "\x90\x90\x90\x90\x90\x90\x90");
    stop_after = 0;
}

static void *thread(void *arg)
{
    run(arg, SET "\x90\x90" CLEAR, sizeof(SET "\x90\x90" CLEAR) - 1);
    return NULL;
}

static void processes(void)
{
    pthread_t t;
    int status;

    memset(code, 0x90, 64);
    memcpy(code, SET "\xb8\x39\x00\x00\x00\x0f\x05\x90" CLEAR "\xc3", SET_BYTES + 8 + 9 + 1); /* fork */
    if (((long (*)(void))(uintptr_t)code)() == 0) {
        report("child");
        _exit(0);
    }
    wait(&status);
    report("parent");
    pthread_create(&t, NULL, thread, "another thread");
    pthread_join(t, NULL);
    RUN("this thread has it not", "\x90\x90");
    fflush(stdout);
    if (fork() == 0) {
        signal(SIGTRAP, SIG_DFL);
        RUN("nobody handles it", SET "\x90");
        _exit(0);
    }
    wait(&status);
    printf("  status %x\n", status & 0x7f);
    if (fork() == 0) {
        sigset_t set;

        sigemptyset(&set);
        sigaddset(&set, SIGTRAP);
        sigprocmask(SIG_BLOCK, &set, NULL);
        RUN("it is blocked", SET "\x90");
        _exit(0);
    }
    wait(&status);
    printf("  status %x\n", status & 0x7f);
    if (fork() == 0) {
        signal(SIGTRAP, SIG_IGN);
        RUN("it is ignored", SET "\x90");
        _exit(0);
    }
    wait(&status);
    printf("  status %x\n", status & 0x7f);
    memcpy(code, SET "\x49\x89\xd2\xb8\x3b\x00\x00\x00\x0f\x05\xc3", SET_BYTES + 11); /* execve(rdi, rsi, r10 = rdx) */
    if (fork() == 0) {
        static char *args[] = {"true", NULL};

        ((void (*)(const char *, char **, char **))(uintptr_t)code)("/bin/true", args, args + 1);
        _exit(1);
    }
    wait(&status);
    printf("executes a program: status %x\n", status);
}

/* A loop of the C library's functions, single-stepped: how often is each place of it passed? */
static unsigned in_code;
static void count(int sig, siginfo_t *info, void *context)
{
    uint64_t at = (uint64_t)(((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] - (greg_t)(uintptr_t)code);

    (void)sig;
    (void)info;
    traps++;
    in_code += at < 4096;
}

static volatile unsigned ticks;
static void on_tick(int sig)
{
    (void)sig;
    ticks++;
}

static void long_run(void)
{
    static const char loop[] = SET "\xb9\x10\x27\x00\x00\x31\xc0\x01\xc8\xe8\x0b\x00\x00\x00\xff\xc9\x75\xf5" CLEAR "\xc3\x90\x69\xc0\x05\x00\x00\x00\xc3";
    struct sigaction act = {.sa_sigaction = count, .sa_flags = SA_SIGINFO};

    memcpy(code, loop, sizeof loop);
    code[SET_BYTES + 10] = (uint8_t)(sizeof loop - 1 - 7 - (SET_BYTES + 14)); /* the call's displacement */
    sigaction(SIGTRAP, &act, NULL);
    printf("a loop: %u", ((unsigned (*)(void))(uintptr_t)code)());
    printf(", %u traps, %u in it\n", traps, in_code);
    traps = in_code = 0;
    signal(SIGALRM, on_tick);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    printf("beside a timer: %u", ((unsigned (*)(void))(uintptr_t)code)());
    while (ticks < 3)
        continue;
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    printf(", %u traps, %u in it\n", traps, in_code);
}

int main(void)
{
    static const int signals[] = {SIGTRAP, SIGILL, SIGBUS, SIGFPE, SIGSEGV};
    struct sigaction act = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, usr = {.sa_sigaction = on_usr, .sa_flags = SA_SIGINFO};

    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    data = mmap((void *)0x100000, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    munmap(data + 4096, 4096);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &act, NULL);
    sigaction(SIGUSR1, &usr, NULL);
    instructions();
    faults();
    handlers();
    processes();
    long_run();
    return 0;
}
