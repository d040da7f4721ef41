/* stepped.c - the counts that a profile must have: the program runs step by step under ptrace, and each reference of each instruction that
 * completes goes to caches that are simulated by brute force.  An instruction that faults counts nothing.
 *
 *   stepped I1 D1 LL PROGRAM ARGS...      stepped 1024,2,64 1024,2,64 65536,8,64 ./program
 *
 * Prints Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw.  For one thread of a static program, without gathers, masks and xsave.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/decode.h"

#define WAYS_MAX 16
#define SETS_MAX 8192
#define STEPS_MAX 3000000u

struct cache {
    unsigned long size, ways, line, sets;
    unsigned long at[SETS_MAX][WAYS_MAX]; /* line number + 1, the line used last first */
} I1, D1, LL;

static unsigned long counts[9];
enum { IR, DR = 3, DW = 6 };

static void set_up(struct cache *c, const char *text)
{
    if (sscanf(text, "%lu,%lu,%lu", &c->size, &c->ways, &c->line) != 3 || c->ways > WAYS_MAX || c->size / c->ways / c->line > SETS_MAX) {
        fprintf(stderr, "stepped: %s: size, ways up to %d, line\n", text, WAYS_MAX);
        exit(2);
    }
    c->sets = c->size / c->ways / c->line;
}

static bool misses_line(struct cache *c, unsigned long line)
{
    unsigned long *set = c->at[line % c->sets], way = 0;

    while (way < c->ways - 1 && set[way] != line + 1)
        way++;
    line++;
    bool missed = set[way] != line;

    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    return missed;
}

static bool misses(struct cache *c, unsigned long address, unsigned long bytes)
{
    bool missed = false;

    for (unsigned long line = address / c->line; line <= (address + bytes - 1) / c->line; line++)
        missed |= misses_line(c, line);
    return missed;
}

static void count(struct cache *c, unsigned what, unsigned long address, unsigned long bytes)
{
    counts[what]++;
    if (!misses(c, address, bytes))
        return;
    counts[what + 1]++;
    counts[what + 2] += misses(&LL, address, bytes);
}

static unsigned long value_of(const struct user_regs_struct *r, unsigned reg)
{
    const unsigned long long values[] = {r->rax, r->rcx, r->rdx, r->rbx, r->rsp, r->rbp, r->rsi, r->rdi,
                                         r->r8, r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15};

    return reg < 16 ? values[reg] : 0;
}

static unsigned long address_of(const struct user_regs_struct *r, const struct qn_insn *in, const struct qn_mem *m)
{
    unsigned long address = (unsigned long)m->disp + value_of(r, m->base) + value_of(r, m->index) * m->scale;

    return m->base == QN_RIP ? address + r->rip + in->len : address;
}

/* The instruction at rip has completed. */
static void account(const struct user_regs_struct *r, const struct qn_insn *in)
{
    bool none = (in->attr & QN_ATTR_STRING) && (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE)) && !r->rcx;

    count(&I1, IR, r->rip, in->len);
    for (unsigned k = 0; k < in->n_mem && !none; k++)
        if (in->mem[k].access) /* an operand that is read and written counts as read */
            count(&D1, in->mem[k].access & QN_ACC_READ ? DR : DW, address_of(r, in, &in->mem[k]), in->mem[k].size);
}

static bool look(pid_t pid, struct user_regs_struct *r, struct qn_insn *in)
{
    uint8_t bytes[QN_INSN_MAX_LEN] = {0};
    struct iovec here = {bytes, sizeof bytes}, there = {NULL, sizeof bytes};

    if (ptrace(PTRACE_GETREGS, pid, NULL, r))
        return false;
    there.iov_base = (void *)r->rip;
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0) { /* up to the end of the page */
        there.iov_len = here.iov_len = 4096 - r->rip % 4096;
        if (process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0)
            return false;
    }
    return qn_decode_insn_for(qn_decode_host(), bytes, sizeof bytes, in) == QN_DEC_OK;
}

/* Has the step ended, or is it a signal of the program's own (int3, too)? */
static bool is_step(pid_t pid, int status)
{
    siginfo_t info;

    return WSTOPSIG(status) == SIGTRAP && !ptrace(PTRACE_GETSIGINFO, pid, NULL, &info) && info.si_code != SI_KERNEL;
}

int main(int argc, char **argv)
{
    struct user_regs_struct r;
    struct qn_insn in;
    pid_t pid;
    int status, signal = 0;
    unsigned steps = 0;

    if (argc < 5)
        return 2;
    set_up(&I1, argv[1]);
    set_up(&D1, argv[2]);
    set_up(&LL, argv[3]);
    pid = fork();
    if (!pid) {
        personality(ADDR_NO_RANDOMIZE);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        execv(argv[4], argv + 4);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    while (WIFSTOPPED(status)) {
        bool known = look(pid, &r, &in), before = signal; /* with a signal, the step only enters the handler */

        ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(long)signal);
        waitpid(pid, &status, 0);
        signal = WIFSTOPPED(status) && !is_step(pid, status) ? WSTOPSIG(status) : 0;
        if (known && !before && (!signal || in.cls == QN_CLS_INT3) && !WIFSIGNALED(status))
            account(&r, &in);
        if (++steps == STEPS_MAX) {
            fprintf(stderr, "stepped: more than %u steps\n", STEPS_MAX);
            kill(pid, SIGKILL);
        }
    }
    for (unsigned k = 0; k < 9; k++)
        printf("%lu%c", counts[k], k < 8 ? ' ' : '\n');
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
