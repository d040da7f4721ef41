#!/bin/sh
# Does a run whose references are logged and simulated in batches (lib/run/core/references/reference.c) have the same counts, however large batches are and
# whenever they begin, and is it done where most references miss, and only there?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
programs=$top_builddir/tests/guest

# The ways to move a row (lib/sim/fast/rows.h) that this processor has, and the engine may use; its vector registers, in bytes.
all=scalar sizes=16
grep -qw avx2 /proc/cpuinfo && all="$all avx2" sizes="$sizes 32"
grep -qw avx512bw /proc/cpuinfo && grep -qw avx512vl /proc/cpuinfo && all="$all avx512" sizes="$sizes 64"
sizes=${QN_BYTES:-$sizes} # what programs may use
refused() { "$QUERN" run --vectors="$1" --out-file=refused true 2>&1; }
for vectors in avx2 avx512; do
    case " $all " in
    *" $vectors "*)
        [ -z "${QUERN_ENGINE_CPU:-}" ] || case $(refused $vectors) in *'QUERN_ENGINE_CPU='*'leaves no'*) all=$(echo "$all" | sed "s/ $vectors//") ;; esac ;;
    *) is "$(refused $vectors)" "quern: run: --vectors=$vectors: this processor has none" "$vectors is refused" ;;
    esac
done

# profile NAME OPTIONS... -- COMMAND...
profile() {
    name=$1
    shift
    cpu_limited 300 "$QUERN" run --quiet --out-file="$name" "$@" >"$name.out" 2>"$name.err" </dev/null
    echo "status $?" >>"$name.out"
}

# alike OPTIONS... -- COMMAND...: with the best vectors there are.
LL=65536,16,64 whens='never always often'
alike() {
    for when in $whens; do
        profile $when --batch=$when --I1=4096,8,64 --LL=$LL "$@"
        [ -s $when ] || { cat $when.err; return 1; }
        cmp never $when && cmp never.out $when.out || return 1
    done
}

# alike_each OPTIONS... -- COMMAND...: with each of them.
alike_each() {
    for vectors in $all; do
        alike --vectors="$vectors" "$@" || { echo "--vectors=$vectors"; return 1; }
    done
}

# ---- programs with known references ----
[ -x "$programs/sieve" ] || bail "no $programs/sieve: run make -C $top_builddir guests"
for program in $(ls "$programs"); do
    [ -x "$programs/$program" ] && [ -f "$programs/$program" ] || continue
    case $program in *.*) continue ;; esac
    ok "$program" alike_each --D1=1024,8,64 --branch-sim=yes -- "$programs/$program"
done

# ---- instructions that fault, at every place of a block ----
$CC -O1 -o exact "$top_srcdir/tests/fidelity/exact.c" || bail 'exact.c cannot be compiled'
ok '3,000 faults' alike --D1=4096,8,64 -- ./exact 1 3000
ok '3,000 faults, branches' alike --D1=32768,8,64 --branch-sim=yes -- ./exact 2 3000
ok '3,000 faults, short blocks, a small code cache' alike --D1=4096,8,64 --block-max=3 --tcache-size=1M -- ./exact 3 3000
ok '3,000 faults, counted as Cachegrind does' alike_each --D1=4096,8,64 --counting=cachegrind -- ./exact 4 3000

for vectors in $all; do
    ok "3,000 faults, $vectors" alike --vectors="$vectors" --D1=4096,8,64 -- ./exact 5 3000
done

# ---- a module at LL or L2: misses of the default level 1 are logged without batches, too ----
whens='never auto always often'
for module in LL=srrip LL=stride LL=fpj LL=ghb LL=hawkeye L2=srrip L2=bop L2=ship+nextline; do
    case $module in LL=*) more=$module ;; *) more="$module --L2=16384,4,64" ;; esac
    # shellcheck disable=SC2086
    ok "3,000 faults, $module" alike --D1=4096,8,64 --sim=$more -- ./exact 6 3000
    for program in sieve strings rep straddle; do
        # shellcheck disable=SC2086
        ok "$program, $module" alike --D1=1024,8,64 --branch-sim=yes --sim=$more -- "$programs/$program"
    done
    # shellcheck disable=SC2086
    ok "... checked" alike --D1=1024,8,64 --check=yes --sim=$more -- "$programs/sieve"
done
ok 'lines of an LL with a module shorter than those above' alike --LL=131072,16,32 --D1=1024,8,64 --sim=LL=srrip -- "$programs/straddle"
whens='never always often'

# ---- caches of all shapes ----
for shape in 8192,1,64 8192,2,64 3072,3,64 8192,4,64 20480,5,64 24576,6,64 49152,12,64 16384,16,64; do
    ok "a D1 of $shape" alike_each --D1=$shape -- "$programs/sieve"
done
LL=131072,16,32
ok 'lines of the last level shorter than those above' alike_each --D1=4096,8,64 --branch-sim=yes -- "$programs/sieve"
LL=262144,16,128
ok 'or longer' alike_each --D1=4096,8,64 --branch-sim=yes -- "$programs/sieve"
LL=65536,16,64

# ---- the registers that batches use ----
cat >registers.c <<'END'
/* Do they survive many references, and references over two lines?  The status is how many did not. */
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define MORE(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
static uint64_t before[33][8], after[33][8];
static volatile unsigned char room[1 << 16];
int main(int argc, char **argv)
{
    unsigned at = 1, bytes = argc > 1 ? atoi(argv[1]) : 16, wrong = 0;

    for (int r = 0; r < 33; r++)
        for (int i = 0; i < 8 && (r < 16 || bytes == 64); i++)
            before[r][i] = i < bytes / 8 ? (r * 8 + i + 1) * 0x123456789abcdefull : 0;
#define PUT_Z(r) __asm__ volatile("vmovdqu64 %0, %%zmm" #r : : "m"(before[r]));
#define GET_Z(r) __asm__ volatile("vmovdqu64 %%zmm" #r ", %0" : "=m"(after[r]));
#define PUT_Y(r) __asm__ volatile("vmovdqu %0, %%ymm" #r : : "m"(before[r]));
#define GET_Y(r) __asm__ volatile("vmovdqu %%ymm" #r ", %0" : "=m"(after[r]));
#define PUT_X(r) __asm__ volatile("movdqu %0, %%xmm" #r : : "m"(before[r]));
#define GET_X(r) __asm__ volatile("movdqu %%xmm" #r ", %0" : "=m"(after[r]));
    if (bytes == 64) {
        EACH(PUT_Z) MORE(PUT_Z)
        __asm__ volatile("kmovq %0, %%k1; kmovq %1, %%k2" : : "m"(before[32][0]), "m"(before[32][1]));
        memcpy(after[32], before[32], 64);
    } else if (bytes == 32) {
        EACH(PUT_Y)
    } else {
        EACH(PUT_X)
    }
    for (int i = 0; i < 5000; i++) {
        at = at * 1664525 + 1013904223;
        room[at >> 16]++;
        *(volatile uint32_t *)&room[(at >> 16 & 0xffc0) | 62] += 1;
    }
    if (bytes == 64) {
        EACH(GET_Z) MORE(GET_Z)
        __asm__ volatile("kmovq %%k1, %0; kmovq %%k2, %1" : "=m"(after[32][0]), "=m"(after[32][1]));
    } else if (bytes == 32) {
        EACH(GET_Y)
    } else {
        EACH(GET_X)
    }
    for (int r = 0; r < 33; r++)
        wrong += memcmp(before[r], after[r], sizeof before[r]) != 0;
    return wrong;
}
END
$CC -O1 -mgeneral-regs-only -o registers registers.c || bail 'registers.c cannot be compiled'
for vectors in scalar avx2 avx512; do
    for bytes in 16 32 64; do
        case " $all : $sizes " in
        *" $vectors "*:*" $bytes "*) ;;
        *) skip "registers of $bytes bytes, $vectors: this processor has none${QUERN_ENGINE_CPU:+, with QUERN_ENGINE_CPU=$QUERN_ENGINE_CPU}" && continue ;;
        esac
        profile never --batch=always --vectors=$vectors --D1=3072,12,64 -- ./registers $bytes
        is "$(cat never.out)" 'status 0' "registers of $bytes bytes are as they were, $vectors"
    done
done
ok 'and the counts are the same' alike_each --D1=4096,8,64 -- ./registers

# ---- and which of them are in use ----
cat >in_use.c <<'END'
/* AVX and AVX-512 state in use (XINUSE) after many references by a program that has none in use: in most of 100 rounds, says the status. */
#include <stdint.h>
#define XMM 2
#define VECTORS 0xe6 /* components: xmm, ymm, opmask, zmm */
static volatile unsigned char room[1 << 16];
static uint8_t initial[4096] __attribute__((aligned(64))), now[4096] __attribute__((aligned(64)));
int main(void)
{
    unsigned at = 1, rounds = 0;

    initial[25] = 0x1f; /* MXCSR */
    initial[24] = 0x80;
    for (int round = 0; round < 100; round++) {
        __asm__ volatile("xrstor64 %0" : : "m"(initial), "a"(VECTORS), "d"(0));
        for (int i = 0; i < 3000; i++) {
            at = at * 1664525 + 1013904223;
            room[at >> 16]++;
        }
        __asm__ volatile("xsave64 %0" : "+m"(now) : "a"(VECTORS), "d"(0));
        rounds += (now[512] & VECTORS & ~XMM) != 0;
    }
    return rounds > 50;
}
END
$CC -O1 -mgeneral-regs-only -o in_use in_use.c || bail 'in_use.c cannot be compiled'
for vectors in avx2 avx512; do
    case " $all " in
    *" $vectors "*)
        profile never --batch=always --vectors=$vectors --D1=3072,12,64 -- ./in_use
        is "$(cat never.out)" 'status 0' "$vectors leaves no vector state in use that was not" ;;
    *) skip "state in use, $vectors: this processor has none${QUERN_ENGINE_CPU:+, with QUERN_ENGINE_CPU=$QUERN_ENGINE_CPU}" ;;
    esac
done

# ---- programs as they are ----
seq 1 20000 | awk '{ print $1 * 7919 % 20011, $1 }' >numbers
command -v gzip >/dev/null && ok gzip alike_each --D1=32768,8,64 -- gzip -9nc numbers
ok sort alike --D1=8192,8,64 -- env LC_ALL=C sort -n numbers
# No handler of SIGCHLD, as shells have, which comes when it comes and moves the stack.
cat >forks.c <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        if (!fork())
            return puts("child") < 0;
        if (wait(NULL) < 0)
            return 1;
    }
    return puts("end") < 0;
}
END
$CC -O1 -o forks forks.c || bail 'cannot compile forks.c'
ok 'processes' alike --D1=4096,8,64 -- ./forks

# ---- when ----
cat >phases.c <<'END'
/* so many references of which most miss, then so many that hit, and the same again */
#include <sched.h>
#include <stdlib.h>
static volatile unsigned char room[1 << 20];
static unsigned spread(unsigned n, unsigned mask)
{
    unsigned sum = 0, at = 1;

    while (n--) {
        at = at * 1664525 + 1013904223;
        sum += room[at >> 8 & mask];
    }
    return sum;
}
int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 0, sum = 0;

    for (int i = 0; i < 4; i++) {
        sum += spread(n, i & 1 ? 1023 : sizeof room - 1);
        sched_yield(); /* a system call, at which the dispatcher looks */
    }
    return sum == 1;
}
END
$CC -O2 -o phases phases.c || bail 'phases.c cannot be compiled'

# how_often WHEN: how often it began, as --stats says.
how_often() { sed -n 's/.*D1: references simulated many at a time, begun \([0-9]*\).*/\1/p' "$1.err"; }

# counted WHEN REFERENCES: ./WHEN and what --stats says
counted() {
    cpu_limited 300 "$QUERN" run --stats=yes --batch="$1" --D1=32768,8,64 --out-file="$1" -- ./phases "$2" 2>"$1.err" || cat "$1.err"
}
counted auto 12000000
counted never 12000000
# An engine with small tables looks more often (make tiny).
figures() { if [ "${QN_FIGURES-}" = no ]; then skip 'the figures are those of tables of the usual size'; else is "$@"; fi; }
figures "$(how_often auto)" 1 'begun after millions of misses, once'
is "$(how_often never)" '' 'or never, if that is wished'
ok 'with the same counts' cmp auto never
counted often 100000
counted never 100000
figures "$(how_often often)" 2 'begun, ended and begun again'
ok 'with the same counts, too' cmp often never
counted auto 100000
is "$(how_often auto)" '' 'not for a short program'

is "$("$QUERN" run --vectors=sse true 2>&1)" "quern: run: --vectors: got 'sse', wanted auto, scalar, avx2 or avx512" 'other vectors are refused'
is "$("$QUERN" run --batch=maybe true 2>&1)" "quern: run: --batch: got 'maybe', wanted auto, never, always or often" 'anything else is refused'
done_testing
