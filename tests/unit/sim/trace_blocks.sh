#!/bin/sh
# Does a replay of a trace that was recorded a block at a time print every figure of the run, of guest programs and of real ones; do windows,
# seeking and packing change nothing; and how many bits has a reference?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
guests=$top_builddir/tests/guest
caches='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'

# What is compared: all of it.
all='^(I|D|I1|D1|LLi|LLd|LL) *(refs|misses)|^Branches:|^Mispredicts:' compared=$all
figures() { sed 's/^==[0-9]*== //' "$1" | grep -E "$compared"; }

# same NAME COMMAND...
same() {
    name=$1
    shift
    # shellcheck disable=SC2086 # caches are words
    "$QUERN" run --branch-sim=yes --out-file=/dev/null $mode $caches -- "$@" >/dev/null 2>run </dev/null
    # shellcheck disable=SC2086
    "$QUERN" trace -o trace $mode -- "$@" >/dev/null 2>trace.err </dev/null
    # shellcheck disable=SC2086
    "$QUERN" replay $caches trace >replay 2>&1
    is "$(figures replay)" "$(figures run)" "$name"
}

# Strings, gathers, states, branches of all kinds, code that changes itself.
mode=--counting=cachegrind
for program in atomics avx beyond bits calls fetch flow fpstate indirect life lockbits loops masked recursion rep requests rmw segment straddle strings switch x87; do
    same "$program" "$guests/$program"
done
mode=--counting=exact
for program in avx fpstate masked rep strings; do same "$program, counted as the architecture has it" "$guests/$program"; done

# Faults in the middle of blocks, and of repeated strings.
cat >faults.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
static sigjmp_buf back;
static volatile long a[64];
static char *edge;
static void caught(int sig) { (void)sig; siglongjmp(back, 1); }
static __attribute__((noinline)) void touch(volatile long *p, int i)
{
    a[i % 64] += i;
    a[(i + 7) % 64]++;
    *p = a[i % 64];
    a[(i + 9) % 64]--;
}
static __attribute__((noinline)) void copy(char *to, const char *from, unsigned long n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}
int main(void)
{
    struct sigaction act;
    int i;

    memset(&act, 0, sizeof act);
    act.sa_handler = caught;
    sigaction(SIGSEGV, &act, NULL);
    edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(edge + 4096, 4096);
    for (i = 0; i < 300; i++)
        if (!sigsetjmp(back, 1)) {
            if (i % 3 == 0)
                touch((volatile long *)(edge + 4096), i);
            else if (i % 3 == 1)
                copy(edge + 4096 - 100, (const char *)edge, 200);
            else
                touch((volatile long *)edge, i);
        }
    return 0;
}
END
$CC -O1 -o faults faults.c || bail 'cannot compile'
# A line that a reference which faulted has brought into the simulated cache is not taken back by the run; the trace has no such reference.
compared='^(I|D) *refs|^Branches:'
same 'faults in the middle of blocks' ./faults

# Addresses, and targets of jumps, that look like words of the log.
cat >wild.c <<'END'
#include <setjmp.h>
#include <signal.h>
#include <string.h>
static sigjmp_buf back;
static long a[64], b[64];
static volatile long sum;
static const unsigned long wild[] = {0xffffffff80000001, 0x8000000000001234, 0x9d00000000000007, 0x8f00000000000001, 0x1ffffffff, ~0ul - 3, 0, 1};
static void caught(int sig) { (void)sig; siglongjmp(back, 1); }
static __attribute__((noinline)) long work(volatile long *p, volatile long *q, int i)
{
    long s = a[i & 63];
    a[(i + 1) & 63] = s + 1;
    s += *p;
    b[i & 63] = s;
    return s + *q;
}
int main(void)
{
    struct sigaction act;
    unsigned long x = 88172645463325252;

    memset(&act, 0, sizeof act);
    act.sa_handler = caught;
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGBUS, &act, NULL);
    for (volatile int i = 0; i < 3000; i++) {
        volatile unsigned long r;
        if (sigsetjmp(back, 1))
            continue;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        r = x;
        if ((r & 60) == 4)
            ((void (*)(void))wild[r >> 20 & 7])();
        sum += work(r & 1 ? (long *)wild[r >> 8 & 7] : &a[r >> 8 & 63], r & 2 ? (long *)wild[r >> 12 & 7] : &b[r >> 12 & 63], i);
    }
    return 0;
}
END
$CC -O1 -o wild wild.c || bail 'cannot compile'
same 'faults at addresses that look like words of the log' ./wild
compared=$all
mode=
seq 1 7 20000 >lines
same 'sort' sort -r lines
same 'gzip' gzip -9 -c lines
# Both executions list the same: names and times of / change while other tests run.
mkdir fixed fixed/folder && touch fixed/one fixed/two fixed/three && touch -d 2020-02-02 fixed/*
same 'ls' ls -l fixed
rm -f absent
same 'a program that fails' cat absent

# ---- references, one by one, as an analysis sees them ----

cat >lines.c <<'END'
/* Writes a line for each reference and branch to descriptor 9. */
#include "base/format.h"
#include "base/syscall.h"
#include "sim/module.h"

#define ANALYSIS "lines"

static char text[65536];
static unsigned used;

static void put(void)
{
    qn_sys3(__NR_write, 9, (long)text, used);
    used = 0;
}

static void analysis_init(const struct sim_config *config) { (void)config; }

static void analysis_ref(const struct sim_ref *ref)
{
    used += (unsigned)qn_format(text + used, sizeof text - used, "%u %lx %u %lx %u%u\n", ref->kind, ref->addr, ref->size, ref->target,
                                ref->kind == SIM_REF_COND ? ref->outcome & SIM_TAKEN : 0u, ref->backward);
    if (used > sizeof text - 200)
        put();
}

static void analysis_finish(void) { put(); }
END
# Steps of repeated strings that are counted and not fetched are no references.
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o sequence "$top_srcdir/tests/unit/sim/slow/sequence.c" "$top_srcdir"/lib/trace/read.c \
    "$top_srcdir"/lib/trace/champsim_read.c "$top_srcdir"/lib/trace/parts.c -lzstd -llzma || bail 'cannot compile sequence.c'
"$QUERN" sim build --AN=lines.c -o lines_engine || bail 'cannot build an engine'
# one_by_one NAME OPTIONS COMMAND...
one_by_one() {
    name=$1 mode=$2
    shift 2
    : >refs
    # shellcheck disable=SC2086 # words or none
    "$QUERN" run --sim=./lines_engine $mode --branch-sim=yes --out-file=/dev/null -- "$@" 9>refs >/dev/null 2>run
    # shellcheck disable=SC2086
    "$QUERN" trace -o blocks --sim=./lines_engine $mode -- "$@" >/dev/null
    ./sequence blocks >blocks.refs 2>blocks.ir
    same_file blocks.refs refs "$name: the references are those that an analysis sees"
    is "$(cat blocks.ir)" "$(sed -n 's/,//g; s/^.*I *refs: *//p' run)" 'fetches and what is counted beyond them are the instructions of the run'
    "$QUERN" replay --outcomes=text --format=text blocks >/dev/null
    ./sequence text 2>ir | cmp - blocks.refs
    is $? 0 'and its text reads back as the same references'
}
one_by_one gzip '' gzip -c lines
for mode in exact cachegrind; do one_by_one "repeated strings, --counting=$mode" --counting=$mode "$guests/rep"; done
mode=

# ---- windows, seeking ----

# A trace of several parts, of a program that does the same each time (gawk does not).
cat >table.c <<'END'
static volatile unsigned x[65536];
int main(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 800000; i++) {
        x[i % 65536] = i;
        sum += i % 3 ? x[i * 7 % 65536] : x[sum % 4096];
    }
    return sum == 1;
}
END
"$CC" -O1 -o table table.c || bail 'table.c cannot be compiled'
"$QUERN" trace -o long -- ./table
parts=$("$QUERN" trace --info long | sed -n 's/^parts \([0-9]*\),.*/\1/p')
total=$("$QUERN" trace --info long | sed -n 's/.*instructions \([0-9]*\),.*/\1/p')
ok "a trace of several parts ($parts)" test "$parts" -ge 4
for from in 1 $((total / 3)) $((total / 2 + 1)) $((total - 5)); do
    "$QUERN" replay --from="$from" --count=100000 long >seek
    # a pipe cannot be sought in
    "$QUERN" replay --from="$from" --count=100000 - <long >piped
    same_file seek piped "from $from: by the index what is read through otherwise"
done
for from in 1000 4999 5000 $((total / 2 + 1)); do
    "$QUERN" trace -o window --from="$from" --count=1000 -- ./table
    "$QUERN" replay window >a
    "$QUERN" replay --from="$from" --count=1000 long >b
    same_file a b "a window from $from on, recorded and cut out"
    is "$("$QUERN" trace --info window | sed -n 's/.*instructions \([0-9]*\),.*/\1/p')" 1000 'has so many instructions'
done

# ---- packing, size ----

"$QUERN" trace -o trace -- gzip -c lines >/dev/null
for how in none zstd xz; do
    "$QUERN" trace --compress=$how -o packed -- gzip -c lines >/dev/null 2>err
    is "$("$QUERN" trace --info packed | sed -n 's/.*compressed by //p')" $how "$how"
    "$QUERN" replay packed >got && "$QUERN" replay trace >wanted
    same_file got wanted "$how: the same"
done
# At most two bits for a reference: without a library that packs there are more.
bits=$("$QUERN" trace --info long | sed -n 's/.*bits per reference \([0-9.]*\),.*/\1/p')
ok "at most two bits for a reference ($bits)" sh -c 'awk "BEGIN { exit !($1 > 0 && $1 <= 2) }"' sh "$bits"
done_testing
