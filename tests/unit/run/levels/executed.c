/* executed.c - every instruction that the engine executes: does it need more than these features?
 *
 *   executed FEATURE,FEATURE,... COMMAND...       executed fpu,sse,sse2 build/quern run -q -- ./little
 *
 * Runs the command step by step from where it becomes quern-engine: the engine's own code, what it has emitted and the copies of the
 * program's instructions.  Prints each instruction that needs another feature, once, and how many different ones there were.  The
 * status is 0 if none does, and what it executed ended with status 0.
 *
 * A short loop of the engine's in which nothing else jumps is not stepped through to its end: what it executes has been seen.
 *
 * Leaves out: processes and threads that the program starts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode/decode.h"

#define SEEN (1u << 20) /* different instructions; some ten thousand in fact */

static const char *allowed;
static uint64_t seen[SEEN];
static unsigned long different, wrong, steps;

static bool is_allowed(const char *name)
{
    size_t n = strlen(name);

    for (const char *p = strstr(allowed, name); p; p = strstr(p + 1, name))
        if ((p == allowed || p[-1] == ',') && (!p[n] || p[n] == ','))
            return true;
    return false;
}

static bool is_new(uint64_t pc, const uint8_t bytes[QN_INSN_MAX_LEN + 1])
{
    uint64_t word[2], key;
    size_t i;

    memcpy(word, bytes, sizeof word);
    key = (pc ^ (word[0] * 0x9e3779b97f4a7c15u) ^ (word[1] << 8) * 0xc2b2ae3d27d4eb4fu) | 1;
    for (i = key >> 40 & (SEEN - 1); seen[i]; i = (i + 1) & (SEEN - 1))
        if (seen[i] == key)
            return false;
    if (different > SEEN / 2) {
        puts("too many instructions");
        exit(2);
    }
    seen[i] = key;
    return true;
}

/* ---- loops ---- */

#define ROUNDS 16 /* that are stepped through */
#define LOOP_BYTES 64

/* The loop ends with the jump at pc: how many bytes before it it begins; 0: that is none, or something jumps in it. */
static unsigned loop_bytes(pid_t pid, uint64_t pc, const struct qn_insn *jump)
{
    uint8_t bytes[LOOP_BYTES + QN_INSN_MAX_LEN] = {0};
    unsigned n = (unsigned)-(jump->imm + jump->len), at = 0;
    struct iovec here = {bytes, n}, there = {(void *)(pc - n), n};
    struct qn_insn insn;

    if (jump->cls != QN_CLS_JCC || n > LOOP_BYTES || process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)n)
        return 0;
    for (; at < n; at += insn.len)
        if (qn_decode_insn_for(qn_decode_host(), bytes + at, sizeof bytes - at, &insn) != QN_DEC_OK || insn.cls != QN_CLS_OTHER)
            return 0;
    return at == n ? n : 0;
}

static struct {
    uint64_t end, word; /* a breakpoint is there; what was there */
} leap;

/* At a jump that ended a loop each of the last times: the rest of it at once. */
static bool leaps(pid_t pid, uint64_t pc, const uint8_t *bytes)
{
    static uint64_t last;
    static unsigned rounds, apart, length;
    struct qn_insn insn;

    apart++;
    if (bytes[0] >> 4 != 7 && bytes[0] != 0x0f)
        return false;
    if (pc != last || apart > length) {
        rounds = 0;
        if (qn_decode_insn_for(qn_decode_host(), bytes, QN_INSN_MAX_LEN, &insn) != QN_DEC_OK || !(length = loop_bytes(pid, pc, &insn)))
            return last = 0, false;
        leap.end = pc + insn.len;
    }
    last = pc;
    apart = 0;
    if (++rounds < ROUNDS)
        return false;
    rounds = 0;
    errno = 0;
    leap.word = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, leap.end, NULL);
    return !errno && !ptrace(PTRACE_POKETEXT, pid, leap.end, (leap.word & ~0xffull) | 0xcc);
}

static void land(pid_t pid)
{
    struct user_regs_struct regs;

    ptrace(PTRACE_POKETEXT, pid, leap.end, leap.word);
    ptrace(PTRACE_GETREGS, pid, NULL, &regs);
    if (regs.rip == leap.end + 1)
        regs.rip = leap.end;
    ptrace(PTRACE_SETREGS, pid, NULL, &regs);
    leap.end = leap.word = 0;
}

/* ---- what is executed ---- */

/* True: leaps. */
static bool look(pid_t pid)
{
    const struct qn_feature *needs[QN_FEATURES_MAX];
    struct user_regs_struct regs;
    uint8_t bytes[QN_INSN_MAX_LEN + 1] = {0};
    struct qn_insn insn;
    char text[128];
    struct iovec here = {bytes, sizeof bytes}, there;

    if (ptrace(PTRACE_GETREGS, pid, NULL, &regs))
        return false;
    there = (struct iovec){(void *)regs.rip, sizeof bytes};
    steps++;
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0)
        return false;
    if (!is_new(regs.rip, bytes))
        return leaps(pid, regs.rip, bytes);
    different++;
    if (qn_decode_insn_for(qn_decode_host(), bytes, QN_INSN_MAX_LEN, &insn) != QN_DEC_OK)
        return false;
    for (size_t n = qn_decode_features(&insn, needs); n; n--) {
        if (needs[n - 1]->reg == QN_REG_NONE || is_allowed(needs[n - 1]->name)) /* every processor has what has no bit */
            continue;
        wrong++;
        qn_decode_print_as(QN_SYNTAX_ATT, bytes, &insn, regs.rip, text, sizeof text);
        printf("%llx: %s: %s\n", regs.rip, text, needs[n - 1]->name);
    }
    return false;
}

static bool is_engine(pid_t pid)
{
    char path[64], target[4096];
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    n = readlink(path, target, sizeof target - 1);
    if (n < 0)
        return false;
    target[n] = 0;
    return strstr(target, "/quern-engine") != NULL;
}

static pid_t start(char **command)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    execvp(command[0], command);
    _exit(127);
}

/* Signals that are the traced process's own go on to it; stops of the tracer's do not. */
static int passed_on(int status, bool stepping)
{
    int signal = WSTOPSIG(status);

    return status >> 16 || signal == SIGSTOP || (stepping && signal == SIGTRAP) ? 0 : signal;
}

int main(int argc, char **argv)
{
    pid_t first, pid, engine = 0;
    int status, result = 2;
    bool leaping = false;

    if (argc < 3)
        return 2;
    allowed = argv[1];
    first = start(argv + 2);
    waitpid(first, &status, 0);
    ptrace(PTRACE_SETOPTIONS, first, NULL, PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    ptrace(PTRACE_CONT, first, NULL, 0);
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) {
            if (pid == first)
                result = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
            continue;
        }
        if (!engine && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8) && is_engine(pid))
            engine = pid;
        if (leaping && pid == engine)
            land(pid);
        leaping = pid == engine ? look(pid) : leaping;
        ptrace(pid == engine && !leaping ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, passed_on(status, pid == engine));
    }
    printf("%lu different instructions, %lu need something else\n", different, wrong);
    fprintf(stderr, "%lu steps, status %d\n", steps, result);
    return wrong || !different ? 1 : result;
}
