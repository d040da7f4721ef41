#!/bin/sh
# --explain reads records (sim/explain.c): does it write, word for word, what it writes where it is called for every
# reference, and leave the same profile?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || skip_all 'the guest programs are not built: make guests'

# With tables so small that blocks are translated a million times (make tiny), the trace would have gigabytes.
trace=--trace=emit
[ "${QN_CORPUS:-}" != tiny ] || trace=
# explain NAME OPTIONS COMMAND...: NAME.told, NAME.profile, and NAME.emit, which says where each reference is a call
explain() {
    name=$1
    shift
    rm -f "$name".*
    # shellcheck disable=SC2086 # an option or none
    "$QUERN" run -q --LL=65536,8,64 --out-file="$name.profile" --explain-file="$name.told" --explain-first=40 --explain-every=7 $trace "$@" \
        >/dev/null 2>"$name.emit" </dev/null
}
# same OPTIONS COMMAND...: as it is, and with each reference a call
same() {
    explain fast "$@"
    explain slow --no-filter "$@"
    cmp fast.told slow.told && cmp fast.profile slow.profile && grep -q 'references: [0-9]* hits' fast.told
}
# The same where hits are no calls.  A reference may not evict its own lines: the sets have 4096 bytes in all, or two lines if no reference is
# larger (--counting=cachegrind).
alike() {
    same "$@" || return
    [ -z "$trace" ] || { ! grep -q 'each reference is a call: --explain' fast.emit && grep -q 'each reference is a call: --explain' slow.emit; }
}
# worst PROGRAM: the line of its source with the most misses, one with some, as --explain wants them
worst() {
    "$QUERN" run -q --D1=1024,2,64 --LL=65536,8,64 --out-file=plain "$guests/$1" >/dev/null 2>&1 </dev/null
    awk '/^fl=/ { file = $0; sub(/.*[\/=]/, "", file) } /^[0-9]/ { print $6 + $9, file ":" $1 }' plain | sort -rn |
        awk 'NR == 1 || NR == 5 { printf "--explain=%s ", $2 }'
}

is "$("$QUERN" run -q --trace=emit --out-file=plain --explain=sort.c:55 "$guests/sort" 2>&1 >/dev/null |
    grep -c 'each reference is a call: --explain')" 0 'hits of other lines are no calls'
is "$("$QUERN" run -q --trace=emit --no-filter --out-file=plain --explain=sort.c:55 "$guests/sort" 2>&1 >/dev/null |
    grep -q 'each reference is a call: --explain' && echo yes)" yes '... with --no-filter they are'

shapes() { # PROGRAM SHAPES...
    program=$1
    shift
    lines=$(worst "$program")
    for shape in "$@"; do
        # shellcheck disable=SC2086 # options
        ok "$shape: $program $lines" alike --counting=cachegrind --D1="$shape" $lines "$guests/$program"
    done
}
shapes sort 32768,8,64 512,1,64 4096,2,16
shapes matmul 1024,2,64 8192,64,64
shapes conflict 1024,2,64 2048,4,32
for program in strings rep masked; do
    lines=$(worst $program)
    # shellcheck disable=SC2086
    ok "$program $lines: lines that straddle, string instructions, masks" alike --counting=cachegrind --D1=1024,2,64 $lines "$guests/$program"
    # shellcheck disable=SC2086
    ok '... counted as the processor makes them' alike --counting=exact --D1=4096,1,16 $lines "$guests/$program"
done
lines=$(worst sort)
# shellcheck disable=SC2086
{
    ok 'beside analyses of misses' alike --D1=8192,2,64 --analysis=culprits,sets $lines "$guests/sort"
    ok '... of lines that are not recent' alike --D1=8192,2,64 --analysis=3c,mattson $lines "$guests/sort"
    ok '... of each reference' same --D1=8192,2,64 --analysis=interval $lines "$guests/sort"
    ok 'by object of the data' alike --D1=8192,2,64 --data=yes $lines "$guests/sort"
    ok 'an inclusive last level, which takes lines away' same --sim=LL=inclusive --D1=8192,2,64 $lines "$guests/sort"
    ok 'another policy' same --sim=D1=srrip --D1=8192,2,64 $lines "$guests/sort"
}
cat >fork.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int table[4096];
static void touch(int step)
{
    for (int i = 0; i < 4096; i += step)
        table[i] += i;
}
static void caught(int number)
{
    touch(64);
    (void)number;
    _exit(0);
}
int main(void)
{
    char text[3000];

    touch(3);
    memset(text, 1, sizeof text);
    memmove(text + 5, text, 2000);
    touch(text[7]);
    signal(SIGSEGV, caught);
    if (!fork())
        touch(16);
    wait(NULL);
    touch(5);
    *(volatile int *)0 = 1;
    return 0;
}
END
$CC -g -O1 -o fork fork.c || bail 'cannot compile'
ok 'a program that forks and faults' alike --D1=8192,2,64 --explain=fork.c:11 ./fork

. "$top_srcdir/tests/unit/run/faults.inc"
ok 'references that a fault has cut off have no number' alike --D1=8192,2,64 --explain=faults.c:20 ./faults
done_testing
