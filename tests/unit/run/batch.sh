#!/bin/sh
# References that are written down and simulated many at a time (lib/run/batch.c): does a profile say the same, to the last count, however
# and whenever they are, and is it done where most references miss, and only there?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || skip_all "there is no $QUERN"
grep -q avx512bw /proc/cpuinfo || skip_all 'this processor has no AVX-512: references are never simulated many at a time'
programs=$top_builddir/tests/guest
cd "$SCRATCH" || bail "no $SCRATCH"

# profile NAME OPTIONS... -- COMMAND...
profile() {
    name=$1
    shift
    timeout -k 5 300 "$QUERN" run --quiet --out-file="$name" "$@" >"$name.out" 2>"$name.err" </dev/null
    echo "status $?" >>"$name.out"
}

# alike OPTIONS... -- COMMAND...
alike() {
    for when in never always often; do
        profile $when --batch=$when --I1=4096,8,64 --LL=65536,16,64 "$@"
        [ -s $when ] || { cat $when.err; return 1; }
        cmp never $when && cmp never.out $when.out || return 1
    done
}

# ---- programs with known references ----
[ -x "$programs/sieve" ] || bail "no $programs/sieve: run make -C $top_builddir guests"
for program in $(ls "$programs"); do
    [ -x "$programs/$program" ] && [ -f "$programs/$program" ] || continue
    case $program in *.*) continue ;; esac
    ok "$program" alike --D1=1024,8,64 --branch-sim=yes -- "$programs/$program"
done

# ---- instructions that fault, at every place of a block ----
$CC -O1 -o exact "$top_srcdir/tests/fidelity/exact.c" || bail 'exact.c cannot be compiled'
ok '3,000 faults' alike --D1=4096,8,64 -- ./exact 1 3000
ok '3,000 faults, branches' alike --D1=32768,8,64 --branch-sim=yes -- ./exact 2 3000
ok '3,000 faults, short blocks, a small code cache' alike --D1=4096,8,64 --block-max=3 --tcache-size=1M -- ./exact 3 3000
ok '3,000 faults, counted as Cachegrind does' alike --D1=4096,8,64 --counting=cachegrind -- ./exact 4 3000

# ---- the registers that batches use ----
cat >registers.c <<'END'
/* Do they survive many references, and references over two lines?  The status says which did not. */
#include <stdint.h>
#include <string.h>
static uint64_t a[8], b[8], c[8], d[8], mask;
static volatile unsigned char room[1 << 16];
int main(void)
{
    unsigned at = 1;

    for (int i = 0; i < 8; i++)
        a[i] = i * 0x123456789abcdefull, b[i] = ~a[i];
    __asm__ volatile("vmovdqu64 %0, %%zmm16; vmovdqu64 %1, %%zmm17; kmovq %2, %%k1" : : "m"(a), "m"(b), "m"(a[3]));
    for (int i = 0; i < 5000; i++) {
        at = at * 1664525 + 1013904223;
        room[at >> 16]++;
        *(volatile uint32_t *)&room[(at >> 16 & 0xffc0) | 62] += 1;
    }
    __asm__ volatile("vmovdqu64 %%zmm16, %0; vmovdqu64 %%zmm17, %1; kmovq %%k1, %2" : "=m"(c), "=m"(d), "=m"(mask));
    return (memcmp(a, c, sizeof a) != 0) + 2 * (memcmp(b, d, sizeof b) != 0) + 4 * (mask != a[3]);
}
END
$CC -O1 -mgeneral-regs-only -o registers registers.c || bail 'registers.c cannot be compiled'
profile never --batch=always --D1=4096,8,64 -- ./registers
is "$(cat never.out)" 'status 0' 'the program finds its vector registers and its mask as they were'
ok 'and the counts are the same' alike --D1=4096,8,64 -- ./registers

# ---- programs as they are ----
seq 1 20000 | awk '{ print $1 * 7919 % 20011, $1 }' >numbers
command -v gzip >/dev/null && ok gzip alike --D1=32768,8,64 -- gzip -9nc numbers
ok sort alike --D1=8192,8,64 -- env LC_ALL=C sort -n numbers
ok 'processes' alike --D1=4096,8,64 -- sh -c 'for i in 1 2 3; do (echo $i); done; echo end'

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
    timeout -k 5 300 "$QUERN" run --stats=yes --batch="$1" --D1=32768,8,64 --out-file="$1" -- ./phases "$2" 2>"$1.err" || cat "$1.err"
}
counted auto 12000000
counted never 12000000
is "$(how_often auto)" 1 'begun after millions of misses, once'
is "$(how_often never)" '' 'or never, if that is wished'
ok 'with the same counts' cmp auto never
counted often 100000
counted never 100000
is "$(how_often often)" 2 'begun, ended and begun again'
ok 'with the same counts, too' cmp often never
counted auto 100000
is "$(how_often auto)" '' 'not for a short program'

is "$("$QUERN" run --batch=maybe true 2>&1)" "quern: run: --batch: got 'maybe', wanted auto, never, always or often" 'anything else is refused'
done_testing
