#!/bin/sh
# Does any of these get a point: results written instead of earned, memory that is not counted, code that runs before or after it is asked?
#
# Each cheat replaces one file of a starter; the tests named are run, and none of them may pass.  Honest code passes the same tests.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out
lab='' file='' only=''

# setting LAB FILE ONLY: the next cheats are of this file.  The solution is the control.
setting() {
    lab=$1 file=$2 only=$3
    folder=$(basename "$top_srcdir"/labs/"$(printf %02d "$lab")"-*)
    if [ -d "$top_srcdir/labs/solutions/$folder" ]; then
        "$QUERN" lab check --case-seed=7 --seed=1 --only="$only" "$lab" "$top_srcdir/labs/solutions/$folder" >"$out" 2>&1
        is "$(grep -c '^not ok' "$out"):$(grep -c '^ok' "$out" | sed 's/[1-9].*/some/')" 0:some "lab $lab, '$only': honest code passes" || diag "$(cat "$out")"
    else
        skip 'the solutions are not here: this is a release' 1
    fi
}

# cheat WHAT [TEXT]: the file comes on stdin; no test passes, and a remark has TEXT.
cheat() {
    rm -rf "$SCRATCH/in"
    cp -r "$top_srcdir/labs/$folder/starter" "$SCRATCH/in"
    cat >"$SCRATCH/in/$file"
    "$QUERN" lab check --case-seed=7 --seed=1 --only="$only" "$lab" "$SCRATCH/in" >"$out" 2>&1
    is "$?:$(grep -c '^ok' "$out"):$(grep '^not ok' "$out" | grep -c .)" "1:0:$(sed -n 's/^1\.\.//p' "$out")" "lab $lab: $1" || diag "$(cat "$out")"
    [ -z "${2:-}" ] || ok "lab $lab: $1: it is told" grep -q "$2" "$out" || diag "$(cat "$out")"
}

# ---- lab 5: mine.c ----

setting 5 mine.c 'mine: at most'
before='#include "sim/module.h"
#define PREDICTOR "mine"
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; return 0; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }'
# mine WHAT [TEXT]: the same, behind $before.
mine() {
    { printf '%s\n' "$before" && cat; } >"$SCRATCH/code"
    cheat "$@" <"$SCRATCH/code"
}

mine 'weak open and pwrite' 'open is weak' <<'END'
__attribute__((weak)) int open(const char *path, int how) { (void)path, (void)how; return 1; }
__attribute__((weak)) long pwrite(int fd, const void *b, unsigned long n, long at) { (void)fd, (void)b, (void)at; return (long)n; }
END
mine 'a destructor' 'a section of its own, .fini_array' <<'END'
__attribute__((destructor)) static void late(void) { sim_print("D1"); }
END
mine 'a constructor' 'a section of its own, .init_array' <<'END'
__attribute__((constructor)) static void early(void) { sim_print("D1"); }
END
mine 'a pointer in .init_array' 'a section of its own, .init_array' <<'END'
static void early(void) {}
__attribute__((section(".init_array"), used)) static void (*first)(void) = early;
END
mine 'a pointer in .preinit_array' 'a section of its own, .preinit_array' <<'END'
static void early(void) {}
__attribute__((section(".preinit_array"), used)) static void (*first)(void) = early;
END
mine 'an ifunc' '(ifunc)' <<'END'
static unsigned yes(void) { return 1; }
static unsigned (*choose(void))(void) { return yes; }
unsigned chosen(void) __attribute__((ifunc("choose")));
END
mine 'a versioned symbol' 'has a version' <<'END'
int old_write(int a) { return a; }
__asm__(".symver old_write, write@GLIBC_2.2.5");
END
mine 'a section of its own' 'a section of its own, results' <<'END'
__attribute__((section("results"), used)) static int result = 1;
END
mine 'an interpreter' 'a section of its own, .interp' <<'END'
__attribute__((section(".interp"), used)) static const char interpreter[] = "/bin/true";
END
mine 'a variable of threads' 'a variable of threads' <<'END'
__thread int hidden[4096];
int peek(int i) { return hidden[i]; }
END
mine 'code that can be changed' 'some that can be changed' <<'END'
__asm__(".section .textual,\"awx\"\n\tret\n\t.text");
END
mine 'instructions among the data' 'has instructions in section' <<'END'
__asm__(".section .data.code,\"ax\"\n\tret\n\t.text");
END
mine 'an executable stack' 'an executable stack' <<'END'
__asm__(".section .note.GNU-stack,\"x\",@progbits\n\t.text");
END
mine 'a system call in assembly' 'calls the system' <<'END'
long ask(long a) { __asm__ volatile("syscall" : "+a"(a) : : "rcx", "r11", "memory"); return a; }
END
mine 'the old system call' 'calls the system' <<'END'
long ask(long a) { __asm__ volatile("int $0x80" : "+a"(a) : : "memory"); return a; }
END
mine 'a call of the library' 'calls open' <<'END'
int open(const char *path, int how);
int look(void) { return open("outcomes", 2); }
END
mine 'atexit' 'calls atexit' <<'END'
int atexit(void (*f)(void));
static void late(void) {}
int leave_something(void) { return atexit(late); }
END
mine 'the name of the table that the host reads' 'host_module' <<'END'
const void *const host_module = 0;
END
mine "the host's entry" 'multiple definition' <<'END'
void host_start(void) { for (;;) ; }
END
mine 'main' <<'END'
int main(void) { return 0; }
END
mine "the host's headers, which have their own table" <<'END'
#define host_module other_module
END
mine 'the answers of another file' 'not found' <<'END'
__asm__(".incbin \"/etc/shadow\"");
END
before=''
mine 'the tournament predictor that ships' 'Permission denied' <<'END'
#include "sim/bpred/tournament.c"
END
mine 'tage, from where it is installed' 'Permission denied\|No such file' <<'END'
#include "/usr/local/share/quern/lib/sim/bpred/tage.c"
END
mine 'a plugin of the compiler' <<'END'
#pragma GCC optimize("-fplugin=cheat", "-fno-section-anchors", "-finstrument-functions")
#include "sim/module.h"
#define PREDICTOR "mine"
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; return 0; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }
END
mine 'the outcome, looked for in all that is on the stack' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static uint8_t seen[512];
static uint16_t score[512], best;
static __attribute__((noinline)) void look(void)
{
    for (unsigned i = 0; i < 512; i++)
        seen[i] = ((uint8_t *)__builtin_frame_address(0))[i] & 1;
}
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc, look(); return seen[best]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    (void)pc;
    for (uint16_t i = 0; i < 512; i++) {
        score[i] = seen[i] == taken ? score[i] + (score[i] < 60000) : score[i] / 2;
        best = score[i] > score[best] ? i : best;
    }
}
END
# Calls hidden in constants: "b8 imm32" with 0f 05 in it, and a jump into its middle.
hidden='#include "sim/module.h"
#define PREDICTOR "mine"
static long hidden(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("lea 1f+2(%%rip), %%r11; jmp *%%r11\n1:\tmov $0x9090050f, %%r8d; nop" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r8", "r11", "memory");
    return result;
}
static uint8_t one = 1;
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }'
before=$hidden
mine 'answers ahead, by a hidden system call' <<'END'
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; hidden(1, 1, (long)&one, 1); return 1; }
END
mine 'a second process, by a hidden system call' 'Bad system call' <<'END'
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; return (unsigned)hidden(57, 0, 0, 0) + one; }
END
mine 'memory, by a hidden system call' 'Bad system call' <<'END'
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; return (unsigned)hidden(9, 0, 1 << 20, 3) + one; }
END
mine 'questions read ahead, by a hidden system call' <<'END'
static uint8_t ahead[32];
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; hidden(0, 0, (long)ahead, 32); return ahead[4]; }
END
mine 'the end, by a hidden system call' 'ended after' <<'END'
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; hidden(60, 0, 0, 0); return one; }
END

only='mine: better than both'
before=''
mine 'memory below the frame' 'keeps something elsewhere' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static uint8_t *far(uint64_t pc) { return (uint8_t *)__builtin_frame_address(0) - (1 << 18) + pc % 65536; }
static unsigned branchsim_BC_predict(uint64_t pc) { return *far(pc) >= 2; }
static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    *far(pc) = (uint8_t)(taken ? *far(pc) + (*far(pc) < 3) : *far(pc) - (*far(pc) > 0));
}
END
mine 'what a local variable held before' 'keeps something elsewhere' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static __attribute__((noinline)) volatile uint8_t *old(void) { return (volatile uint8_t *)((uintptr_t)__builtin_frame_address(0) & ~0xffful) - 20480; }
static unsigned branchsim_BC_predict(uint64_t pc) { return old()[pc % 8192] != 0; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { old()[pc % 8192] = (uint8_t)taken; }
END
mine 'a register that nobody saves' 'keeps something elsewhere' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static unsigned branchsim_BC_predict(uint64_t pc)
{
    uint64_t h;
    __asm__ volatile("movq %%xmm15, %0" : "=r"(h));
    return (h >> pc % 64 & 1) != 0;
}
static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    uint64_t h;
    __asm__ volatile("movq %%xmm15, %0" : "=r"(h));
    h = (h & ~(1ull << pc % 64)) | (uint64_t)taken << pc % 64;
    __asm__ volatile("movq %0, %%xmm15" : : "r"(h));
}
END
mine 'memory asked for, by its real name' <<'END'
#include "sim/module.h"
#undef sim_alloc
#define PREDICTOR "mine"
static uint8_t *more;
static unsigned branchsim_BC_predict(uint64_t pc) { return more && more[pc % 65536]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { more = more ? more : sim_alloc(65536); more[pc % 65536] = (uint8_t)taken; }
END
mine 'constants that are changed' 'Segmentation fault' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static const uint8_t table[65536] = { 1 };
static unsigned branchsim_BC_predict(uint64_t pc) { return ((volatile const uint8_t *)table)[pc % 65536]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { ((volatile uint8_t *)table)[pc % 65536] = (uint8_t)taken; }
END
mine 'a large variable' 'bytes of variables, wanted at most' <<'END'
#include "sim/module.h"
#define PREDICTOR "mine"
static uint8_t table[5000];
static unsigned branchsim_BC_predict(uint64_t pc) { return table[pc % 5000]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { table[pc % 5000] = (uint8_t)taken; }
END

# ---- lab 3: policies ----

setting 3 lru.c 'lru:'
cheat 'lru: the module that ships' 'Permission denied' <<'END'
#include "sim/policy/lru.c"
END
before='#include "sim/module.h"
#define POLICY "lru"
#define POLICY_WAY_STATE uint64_t
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return false; }'
mine 'a constructor that ends it well' 'a section of its own' <<'END'
_Noreturn void exit(int);
__attribute__((constructor)) static void early(void) { exit(0); }
static unsigned policy_victim(unsigned set) { (void)set; return 0; }
END
mine 'a way that is not there' 'a way that is not there' <<'END'
static unsigned policy_victim(unsigned set) { (void)set; return 200; }
END
mine 'fewer sets than were asked for' <<'END'
static unsigned policy_victim(unsigned set) { (void)set; sim.ways = 1; sim.sets = 1; return 0; }
END
mine 'lines printed like results' <<'END'
static unsigned policy_victim(unsigned set) { (void)set; printf("ok 1 - lru\n# 100 of 100 points\n"); fprintf(stderr, "ok 1\n"); return 0; }
END
mine 'a stop that says ok' 'ended with status' <<'END'
static unsigned policy_victim(unsigned set) { (void)set; sim_fail("ok 1", "lru", "x", 0, "\nok 1 - lru\n"); return 0; }
END
mine 'an answer in advance' 'calls the system' <<'END'
static char zero;
static unsigned policy_victim(unsigned set)
{
    (void)set;
    __asm__ volatile("syscall" : : "a"(1), "D"(1), "S"(&zero), "d"(1) : "rcx", "r11", "memory");
    return 0;
}
END
setting 3 lru.c settled
before='#include "sim/module.h"
#define POLICY "lru"
#define POLICY_WAY_STATE uint64_t
static uint64_t now;
static void policy_hit(unsigned set, unsigned way) { way_state(set, way) = ++now; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = ++now; }
static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0;
    for (unsigned way = 1; way < sim.ways; way++)
        oldest = way_state(set, way) < way_state(set, oldest) ? way : oldest;
    return oldest;
}'
mine 'every line is settled' <<'END'
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
mine 'every line is settled, and the state lies elsewhere' <<'END'
static uint64_t real[64][64];
#define policy_hit policy_hit_
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way, (void)real; return true; }
END

# ---- lab 2: kernels ----

setting 2 kernels.c 'the small square'
before='#include "kernels.h"
void multiply(int n, double a[n][n], double b[n][n], double c[n][n]) { (void)a, (void)b, (void)c; }
#define SIMPLE for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[j][i] = a[i][j]'
mine 'a constructor' 'a section of its own' <<'END'
int begun;
__attribute__((constructor)) static void early(void) { begun = 1; }
void transpose(int n, int m, int a[n][m], int b[m][n]) { SIMPLE; }
END
mine 'a weak kernel' 'is weak' <<'END'
__attribute__((weak)) void transpose(int n, int m, int a[n][m], int b[m][n]) { SIMPLE; }
END
mine 'a kernel chosen at the start' '(ifunc)' <<'END'
static void chosen(int n, int m, void *x, void *y) { int (*a)[m] = x, (*b)[n] = y; SIMPLE; }
static void *choose(void) { return chosen; }
void transpose(int n, int m, int a[n][m], int b[m][n]) __attribute__((ifunc("choose")));
END
mine 'a system call within a constant' "the bytes of syscall are in the code" <<'END'
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    __asm__ volatile("mov $0x9090050f, %%eax" : : : "eax");
    SIMPLE;
}
END
mine 'an order to quern within a constant' 'the bytes of an order to quern' <<'END'
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    __asm__ volatile("mov $0x90db8748, %%eax" : : : "eax");
    SIMPLE;
}
END
mine 'code that can be changed' 'some that can be changed' <<'END'
__asm__(".section .text.x,\"awx\"\n\tret\n\t.text");
void transpose(int n, int m, int a[n][m], int b[m][n]) { SIMPLE; }
END
mine "the driver's system calls" 'killed by signal 11' <<'END'
typedef long call(long number, long a, long b, long c, long d, long e, long f);
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    static const char text[] = "==1== 1 1 260 1 kernel\n";
    call *host_call = (call *)(((unsigned long)transpose & ~4095ul) - 8192);

    SIMPLE;
    host_call(1, 2, (long)text, sizeof text - 1, 0, 0, 0);
}
END
# The mark that begins the region is looked for in the driver, and gets another request.
mine 'the mark of the driver, to stop the counting' 'did not return' <<'END'
static unsigned long stop[6] = { 0x43470001ul };
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    static int again;
    unsigned char *at = (unsigned char *)((unsigned long)transpose & ~4095ul) - 4096;

    if (!again++) {
        while (at[0] != 0x48 || at[1] != 0x87 || at[2] != 0xdb)
            at++;
        __asm__ volatile("xor %%edx, %%edx; jmp *%1" : : "a"(stop), "r"(at - 16) : "rdx", "memory");
    }
    SIMPLE;
}
END
mine 'the mark that ends the region, before the work' 'is [0-9]*, a' <<'END'
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    unsigned char *at = (unsigned char *)((unsigned long)transpose & ~4095ul) - 4096;

    (void)a, (void)b, (void)n, (void)m;
    for (int marks = 0; marks < 2; at++)
        marks += at[0] == 0x48 && at[1] == 0x87 && at[2] == 0xdb;
    __asm__ volatile("jmp *%0" : : "r"(at - 1 - 16) : "memory");
}
END
mine 'a matrix of its own for the results' 'multiple definition' <<'END'
double memory[3 * 65536];
void transpose(int n, int m, int a[n][m], int b[m][n]) { SIMPLE; }
END
mine 'results written where they are expected, and the counting left' <<'END'
void transpose(int n, int m, int a[n][m], int b[m][n])
{
    int *results = (int *)(0x10000000 + 65536 * 8);

    (void)b;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            results[j * n + i] = a[i][j];
    *(int *)(0x10000000 + 3 * 65536 * 8) = 0x656e6f64;
    __builtin_trap();
}
END

# ---- lab 7: levels ----

setting 7 nextline.c 'nextline: a walk'
before=$(sed '/^static void cachesim_X_doref/,$d' "$top_srcdir/labs/07-prefetch/starter/nextline.c")
refs='static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result) { (void)addr, (void)size, (void)kind; result->miss = addr & 64; }'
mine 'a destructor that prints' 'a section of its own' <<END
__attribute__((destructor)) static void late(void) { printf("D1.prefetches 400"); }
$refs
END
mine 'a call of the library' 'calls open' <<END
int open(const char *, int);
__attribute__((used)) static int look(void) { return open("outcomes", 2); }
$refs
END
mine 'a weak main' 'is weak' <<END
__attribute__((weak)) int main(void) { return 0; }
$refs
END
mine 'an end before the end' 'calls _exit' <<END
void _exit(int);
__attribute__((used)) static void leave(void) { _exit(0); }
$refs
END
mine 'a next level of its own' 'multiple definition of .sim_next' <<END
bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { (void)addr, (void)size, (void)kind; return false; }
$refs
END
mine "the host's own functions" 'calls host_main' <<END
void host_main(void);
__attribute__((used)) static void again(void) { host_main(); }
$refs
END
mine "words of the host's, said by the system" 'calls the system' <<END
__attribute__((used)) static void speak(void) { __asm__ volatile("syscall" : : "a"(1), "D"(1), "S"(&lines), "d"(16) : "rcx", "r11", "memory"); }
$refs
END
only='nextline: every reference'
mine 'every second reference hits' <<END
$refs
END
before=''
mine 'the prefetcher that ships' 'Permission denied' <<'END'
#include "sim/prefetch/nextline.c"
END

# ---- programs: labs 1, 4, 6 and 8 ----

setting 1 csim.c 'several ways'
cheat 'constants' <<'END'
#include <stdio.h>
int main(void) { return puts("hits:200 misses:200 evictions:180") < 0; }
END
cheat 'many answers' <<'END'
#include <stdio.h>
int main(void) { for (int h = 0; h <= 400; h++) for (int e = 0; e <= 400 - h; e++) printf("hits:%d misses:%d evictions:%d\n", h, 400 - h, e); return 0; }
END
cheat 'a destructor that ends it well' <<'END'
#include <stdio.h>
#include <unistd.h>
__attribute__((destructor)) static void late(void) { puts("ok 1 - several ways"); fflush(stdout); _exit(0); }
int main(void) { return 1; }
END
cheat "the memory of the check" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void)
{
    static char bytes[4096];
    struct iovec here = { bytes, sizeof bytes }, there = { (void *)0x400000, sizeof bytes };
    if (process_vm_readv(getppid(), &here, 1, &there, 1, 0) < 0) return perror("memory"), 1;
    return 0;
}
END
cheat 'another program' <<'END'
#include <unistd.h>
int main(void) { execl("/usr/bin/true", "true", (char *)0); return 1; }
END
cheat 'the solution, included' 'Permission denied\|No such file' <<END
#include "$top_srcdir/labs/solutions/01-cache/csim.c"
END
setting 4 mrc.c 'the curve is'
cheat 'zeros' <<'END'
#include <stdio.h>
int main(void) { puts("lines,misses"); for (int n = 1; n < 70; n++) printf("%d,%d\n", n, 0); return 0; }
END
cheat 'a crash behind the answer' 'killed by signal' <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { puts("lines,misses\n1,400"); fflush(stdout); abort(); }
END
setting 6 probe.c 'probe: line'
cheat 'one box for all' <<'END'
#include "box.h"
int main(void) { box_answer(16384, 4, 24, "lru", 7); return 0; }
END
cheat 'all boxes' <<'END'
#include "box.h"
int main(void) { for (unsigned l = 128; l >= 16; l /= 2) box_answer(16384, 4, l + 1, "lru", 7); return 0; }
END
cheat 'an answer in the output of a destructor' <<'END'
#include <stdio.h>
__attribute__((destructor)) static void late(void) { puts("answer size=1 ways=1 line=1 policy=lru history=1"); }
int main(void) { return 0; }
END
setting 8 profile.c 'a counter has'
cheat 'a constant tau' 'got a tau' <<'END'
#include <stdio.h>
int main(void) { return puts("tau,700") < 0; }
END
setting 8 profile.c '95% of'
cheat 'exact counts of all values' 'estimates are too low, 0 too high' <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    static unsigned count[1 << 16];
    unsigned v;
    FILE *f = NULL;
    for (int i = 1; i + 1 < argc; i++)
        if (!strcmp(argv[i], "-t")) f = fopen(argv[i + 1], "r");
    while (f && fscanf(f, "%u", &v) == 1) count[v % 65536]++;
    printf("tau,50\n7,%u\n", count[7]);
    return 0;
}
END
done_testing
