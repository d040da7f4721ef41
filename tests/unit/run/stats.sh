#!/bin/sh
# quern run --stats: are the references that reached the simulators counted, and is the memory within its bounds?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/conflict" ] || bail 'no guest programs: make guests'

# stats OPTIONS... -- PROGRAM...: what it says, in ./said without the pid and commas
stats() {
    "$QUERN" run --stats=yes --out-file=profile --I1=1024,2,32 --LL=16384,4,32 "$@" 2>raw >out || bail "run: $(tail -n 1 raw)"
    sed 's/^[-=]*[0-9]*[-=]* //;s/\([0-9]\),/\1/g' raw >said
}
# number LINE N: the Nth number of the line that begins so
number() { grep "^$1" said | grep -o '[0-9][0-9.]*' | sed -n "$2p"; }
# total EVENTS...: sums of the profile
total() {
    awk -v names="$*" '/^events:/ { n = split(names, name, " "); for (i = 2; i <= NF; i++) at[$i] = i }
                       /^summary:/ { for (i = 1; i <= n; i++) sum += $at[name[i]]; print sum }' profile
}

# ---- what the filter lets pass ----
# "D1: REFERENCES references, PERCENT% filtered, SLOW slow (HITS of them hits)"; the first number is the name's.

stats --D1=1024,2,32 --filter=no -- "$guests/conflict"
is "$(number D1: 4) $(number D1: 3)" "$(total Dr Dw) 0.000" 'without the filter every reference comes'
is "$(number I1: 2)" "$(total Ir)" 'and every fetch'
is "$(number D1: 5)" "$(($(total Dr Dw) - $(total D1mr D1mw)))" 'hits among them: those that did not miss'
is "$(number LL: 1)" "$(total I1mr D1mr D1mw)" 'the LL gets what missed level 1'
# One way: a line that is in the cache is the only one of its set, so nothing that hits within a line needs to come.
stats --D1=1024,1,32 -- "$guests/conflict"
is "$(number D1: 4) $(number D1: 5)" "$(total D1mr D1mw) 0" 'one way: only misses come'
is "$(number I1: 2)" "$(total I1mr)" 'of fetches only misses'
is "$(number D1: 3)" "$(awk -v slow="$(number D1: 4)" -v all="$(total Dr Dw)" 'BEGIN { printf "%.3f", 100 * (1 - slow / all) }')" 'the share'
stats --D1=1024,2,32 --branch-sim=yes -- "$guests/indirect"
is "$(number predictors: 1) $(number predictors: 2)" '0 0' 'the default predictors are not called'
"$QUERN" sim build --BC=gshare --BI=btb -o modules || bail 'cannot build gshare and btb'
stats --sim=./modules --D1=1024,2,32 --branch-sim=yes -- "$guests/indirect"
is "$(number predictors: 1)" "$(total Bc)" 'every conditional branch comes to a module'
is "$(number predictors: 2)" "$(total Bi)" 'and every indirect one'

# What is off is simulated, so that the caches are as they would be: it counts among the references, and in no profile.
cat >off.c <<'END'
static volatile char block[1 << 20];
__attribute__((noinline)) static void on(void) { block[0]++; }
int main(void)
{
    for (int i = 0; i < 1 << 20; i += 64)
        block[i]++;
    on();
    return 0;
}
END
"$CC" -g -O1 -o off off.c || bail 'off.c cannot be compiled'
stats --D1=1024,1,32 --collect-atstart=no --toggle-collect=on -- ./off
off=$(number D1: 2)
is "$(number D1: 3) $(($(total Dr Dw) < 10))" "$(awk -v slow="$(number D1: 4)" -v all="$off" 'BEGIN { printf "%.3f", 100 * (1 - slow / all) }') 1" 'what is off: the share'
stats --D1=1024,1,32 -- ./off
is "$off" "$(number D1: 2)" 'the references are those of all that was simulated'

# ---- time ----
# Translation is timed by the time stamp counter, which a program may forbid itself and whom it starts.

$CC -O1 -o clock "$top_srcdir/tests/corpus/programs/clock.c" || bail 'cannot compile clock.c'
./clock >wanted
"$QUERN" run --stats=yes --out-file=profile -- ./clock >out 2>raw
is "$?" 0 'a program that forbids itself the time stamp counter'
same_file out wanted 'prints the same'
cat >forbid.c <<'EOF'
#include <sys/prctl.h>
#include <unistd.h>
int main(void)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    return execl("./started", "started", (char *)0);
}
EOF
$CC -o forbid forbid.c || bail 'cannot compile forbid.c'
# Without a dynamic linker, for that may read the counter, and dies of it natively.
cat >started.S <<'EOF'
        .globl  _start
_start: mov     $1, %eax
        mov     $1, %edi
        lea     text(%rip), %rsi
        mov     $8, %edx
        syscall
        mov     $60, %eax
        xor     %edi, %edi
        syscall
text:   .ascii  "started\n"
EOF
$CC -nostdlib -static -o started started.S || bail 'started.S cannot be assembled'
"$QUERN" run --stats=yes --trace-children=yes --out-file=profile.%p -- ./forbid >out 2>raw
is "$? $(cat out)" '0 started' 'and one that becomes another'
is "$(grep -c 'translation: 0.0 ms' raw)" 1 'whose translation is not timed'
if command -v strace >/dev/null && strace -qq -o /dev/null true 2>/dev/null; then
    # asked OPTIONS...: how often the kernel is asked whether the counter may be read
    asked() {
        strace -f -qq -e trace=prctl -o calls "$QUERN" run --out-file=profile "$@" -- "$guests/conflict" >out 2>raw
        grep -c PR_GET_TSC calls
    }
    is "$(asked --stats=yes) $(asked)" '1 0' 'the kernel is asked for its state where translation is timed, once'
else
    skip 'strace is not installed, or may not trace'
fi

# ---- memory ----
# "memory: INSTRUCTIONS guest instructions; arena BYTES bytes, tables BYTES: N per instruction"

# fits BOUND [OPTIONS... --] PROGRAM...: bytes of arena and tables per guest instruction, and the same each time
fits() {
    bound=$1
    shift
    stats --D1=1024,2,32 "$@"
    first=$(grep '^memory' said)
    stats --D1=1024,2,32 "$@"
    [ "$(grep '^memory' said)" = "$first" ] || { echo "$first"; grep '^memory' said; return 1; }
    echo "$first"
    awk -v insns="$(number memory: 1)" -v arena="$(number memory: 2)" -v tables="$(number memory: 3)" -v bound="$bound" \
        'BEGIN { exit !(insns > 0 && (arena + tables) / insns <= bound) }'
}
ok 'a small program: at most 80 bytes for each instruction' fits 80 "$guests/sort"
cc1=$($CC -print-prog-name=cc1 2>/dev/null)
if [ -x "$cc1" ]; then
    echo 'int main(void) { return 0; }' >t.i
    ok 'a compiler: at most 60' fits 60 "$cc1" -quiet -O2 t.i -o /dev/null
    ok 'and with branches' fits 60 --branch-sim=yes -- "$cc1" -quiet -O2 t.i -o /dev/null
else
    skip "$CC has no cc1"
fi
done_testing
