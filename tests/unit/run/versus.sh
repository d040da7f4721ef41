#!/bin/sh
# quern run --sim=A --versus=B: is what B does the same as in a run of its own, and is the first difference the first?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
caches='--I1=2048,2,32 --D1=1024,2,32 --LL=16384,4,32'

# run OPTIONS...: ./profile of ./guest; what it says in ./said, without the pid
run() {
    # shellcheck disable=SC2086
    "$QUERN" run $caches --branch-sim=yes --out-file=profile "$@" -- ./guest 2>raw
    status=$?
    sed 's/^==[0-9]*== //' raw >said
    return $status
}

# columns PREFIX: misses by line of ./profile, "FILE:LINE FUNCTION I1mr ILmr D1mr DLmr D1mw DLmw Bcm Bim"
columns() {
    awk -v prefix="$1" '
        BEGIN { n = split("I1mr ILmr D1mr DLmr D1mw DLmw Bcm Bim", name, " ") }
        /^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
        /^fl=/ { file = $0 } /^fn=/ { fn = $0 }
        /^[0-9]|^summary/ { line = file " " fn " " $1; for (i = 1; i <= n; i++) line = line " " $at[prefix name[i]]; print line }' profile
}

# differences: of the report, "COUNTS WHERE", without the totals
differences() { sed -n '/^Misses of B less/,$p' said | sed '1,2d;$d' | awk '{ print $1, $2, $3, $4, $5 }'; }

# ---- Belady's string: 26 references, the 24th is the first that differs ----

cat >guest.S <<'END'
        .globl  _start
_start:
        .irp page, 1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5
        mov     page0 + 4096 * \page, %eax
        .endr
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
        .balign 4096
page0:  .skip   65536
END
$CC -nostdlib -static -no-pie -g -o guest guest.S || bail 'cannot assemble'
address=$(nm guest | awk '/page0/ { printf "%s", $1 }' | sed 's/^0*//')
caches='--I1=2048,2,32 --D1=48,3,16 --LL=16384,4,32'
run --versus=D1=fifo
is "$(sed -n '/^First difference/,/^Different/p' said | sed 's/by the instruction.*/by X/')" \
    "First difference: reference 24 of the run, a read of 4 bytes at 0x$(printf %x $((0x$address + 5 * 4096))), by X
    guest.S:4: A misses, the LL has it; B hits
Different: 1 of 27 references; B missed more in 0, less in 1" 'lru against fifo, three places: the last reference'
caches='--I1=2048,2,32 --D1=64,4,16 --LL=16384,4,32'
run --versus=D1=fifo
is "$(sed -n 's/^First difference: \(reference [0-9]*\) .*/\1/p;s/^ *guest.S:4.*: \(A .*\)/\1/p' said | tr '\n' ' ')" \
    'reference 16 A hits; B misses, the LL misses, too ' 'four places: the eighth page'
caches='--I1=2048,2,32 --D1=1024,2,32 --LL=16384,4,32'

# ---- each against itself ----

cp "$top_builddir/tests/guest/sort" guest
for modules in D1=lru D1=fifo,LL=srrip D1=writeback,BC=gshare,BI=btb I1=lru,D1=lru,LL=exclusive; do
    spec=$(echo "--$modules" | sed 's/,/ --/g')
    # shellcheck disable=SC2086
    "$QUERN" sim build $spec -o itself || bail "cannot build $modules"
    run --sim=./itself --versus=./itself
    is "$(grep -c warning: raw)" 0 "$modules against itself: built without a warning"
    ok 'no difference' grep -q '^No difference in [0-9]* references\.$' said
    is "$(columns B.)" "$(columns '')" 'line by line'
done

# ---- the difference is that of two runs; the number is that of a recording ----

build_replay() { # OUTPUT MODULES
    # shellcheck disable=SC2046
    "$QUERN" sim build --replay $(echo "--$2" | sed 's/,/ --/g') -o "$1" || bail "cannot build a replay of $2"
}
# pair PROGRAM A B
pair() {
    cp "$top_builddir/tests/guest/$1" guest || bail "no guest program $1"
    # shellcheck disable=SC2046
    "$QUERN" sim build $(echo "--$2" | sed 's/,/ --/g') -o first || bail "cannot build $2"
    # shellcheck disable=SC2046
    "$QUERN" sim build $(echo "--$3" | sed 's/,/ --/g') -o second || bail "cannot build $3"
    run --sim=./first && columns '' >first.wanted
    run --sim=./second && columns '' >second.wanted
    run --sim=./first --versus=./second
    columns '' >got
    same_file got first.wanted "$1, $2 against $3: A is as alone"
    columns B. >got
    same_file got second.wanted 'B is as alone'
    differences >got
    paste -d' ' first.wanted second.wanted | awk '!/summary/ {
            i1 = $15 - $4; ll = $16 + $18 + $20 - $5 - $7 - $9; d1 = $17 + $19 - $6 - $8; b = $21 + $22 - $10 - $11
            sub(/.*\//, "", $1)
            if (i1 || d1 || ll || b) print i1, d1, ll, b, $1 ":" $3 }' | sed 's/fl=//' | sort >wanted
    sort got >got.sorted
    # twenty at most are shown
    if [ "$(wc -l <wanted)" -le 20 ]; then
        same_file got.sorted wanted 'the differences shown are those of the two runs'
    else
        is "$(comm -23 got.sorted wanted | wc -l) $(wc -l <got)" '0 20' 'the differences shown are among those of the two runs'
    fi
    "$QUERN" trace -o trace --sim=./first -- ./guest
    build_replay first.replay "$2"
    build_replay second.replay "$3"
    # shellcheck disable=SC2086
    ./first.replay $caches --outcomes=first.outcomes trace >out && ./second.replay $caches --outcomes=second.outcomes trace >out
    run --sim=./first --versus=./second
    is "$(sed -n 's/^First difference: reference \([0-9]*\) of.*/\1/p;s/^Different: \([0-9]*\) of \([0-9]*\) references.*/\1 \2/p' said | tr '\n' ' ')" \
        "$(paste -d' ' first.outcomes second.outcomes | awk '$1 != $2 { n++; if (!first) first = NR } END { print first; print n, NR }' | tr '\n' ' ')" \
        'first difference, differences and references are those of the recording'
    rm -f trace
}
pair sort D1=lru D1=fifo
pair matmul I1=default I1=random,D1=plru,LL=nru
pair branches BC=cachegrind BC=gshare,BI=btb
pair hash D1=writeback D1=nextline
pair conflict D1=fifo D1=victim
pair indirect BI=default BI=btb
pair rep D1=lru D1=nowa

# ---- the profile is one like others ----

cp "$top_builddir/tests/guest/sort" guest
run --versus=D1=fifo
is "$(grep -c '^desc: Modules: *I1=lru D1=lru LL=lru' profile)" 1 'its modules are those of A'
ok 'annotate computes the difference' sh -c '"$QUERN" annotate --show="D1mr,B.D1mr,more=B.D1mr-D1mr" profile | grep -q sift_down'
ok 'B is named' grep -q '^B: I1=lru D1=fifo:[0-9a-f]* LL=lru BC=cachegrind BI=cachegrind$' said
run --versus=D1=fifo --interval=50000 --interval-file=intervals
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "B.D1mr") at = i; next } { sum += $at } END { print sum }' intervals)" \
    "$(columns B. | awk '/summary/ { print $6 }')" 'intervals have it, too'
is "$(ls -d "$SCRATCH"/quern-sim.* 2>/dev/null)" '' 'no scratch directory stays behind'

# ---- mistakes ----

# refused TEXT OPTIONS...
refused() {
    text=$1
    shift
    run "$@"
    is "$?" 2 "status 2: $text"
    is "$(sed "s,$SCRATCH/,," said)" "quern: run: $text" 'said'
}
refused '--versus=nobody: no such simulator beside quern or in its libexec, and no module' --versus=nobody
refused "--versus=XX=lru: got 'XX=lru', wanted a simulator, or SLOT=MODULE with slot I1, D1, L2, LL, BC, BI or AN" --versus=XX=lru
refused '--versus=values: wanted a simulator, or modules in slots I1, D1, LL, BC or BI' --versus=values
refused '--versus=fifo: not with an analysis module that observes instructions' --versus=D1=fifo --sim=values
refused '--versus: not with --check; `quern run --help=all` describes it' --versus=D1=fifo --check
refused '--versus: not with --explain; `quern run --help=all` describes it' --versus=D1=fifo --explain=sort.c:37
refused '--versus: nothing is simulated that could be compared' --versus=D1=fifo --no-cache-sim --branch-sim=no
cp "$top_srcdir/lib/sim/policy/fifo.c" mine.c
echo '/* mine */' >>mine.c
sed 's/mine/other/' mine.c >other.c
"$QUERN" sim build --D1=mine.c -o mine && "$QUERN" sim build --D1=other.c -o other || bail 'cannot build'
echo '/* changed */' >>mine.c
run --versus=./mine
is "$? $(sed -n 's/^B: .* D1=\(mine\):.*/\1/p' said)" '0 mine' 'an engine has what the other one needs, though a source has changed'
run --sim=./other --versus=./mine
is "$?" 2 'a source that has changed, and both have one'
ok 'is named' grep -q 'mine: slot D1 was built from .*/mine.c, which has changed since; build it again' said
run --versus=/bin/true
is "$?$(sed 's/.*true: //' said)" '2not a simulator; `quern sim build` makes them' 'a program that is no simulator'
cat >bad.c <<'END'
#include "sim/module.h"
#define POLICY "bad"
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return 99; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return false; }
END
run --versus=D1=bad.c
is "$? $(grep -o 'module .*' said | sed 's/reference [0-9]*/reference N/')" \
    '70 module bad in slot D1 of B, policy_victim, reference N: chose a way that the set does not have' \
    'a mistake of a module of B stops the run, and is named'

# blunder SLOT: a module that stands in D1, or BC, and makes the mistake
blunder() {
    if [ "$1" = D1 ]; then
        sed "s/return 99;/$2/" bad.c
    else
        printf '#include "sim/module.h"\n#define PREDICTOR "bad"\n'
        printf 'static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc; %s }\n' "$2"
        printf 'static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; }\n'
    fi >blunder.c
}
"$QUERN" sim build --D1=fifo --BC=gshare -o good || bail 'cannot build fifo and gshare'
crash='return *(volatile unsigned *)0;' loop='for (;;) sim.sets += 0 * *(volatile uint32_t *)\&sim.sets;'
# named: of what was said, the module and what it did; numbers of references, folders and lines of module.h vary
named() { grep -o 'module .*' said | sed "s/reference [0-9]*/reference N/; s,at $SCRATCH/,at ,"; }
sanitize="; \`quern replay --sanitize\` checks each access of a module"
for slot in D1 BC; do
    line=3
    [ $slot = BC ] || line=$(grep -n 'return 99;' bad.c | cut -d: -f1)
    function=policy_victim
    [ $slot = D1 ] || function=branchsim_BC_predict
    blunder $slot "$crash"
    for first in '' --sim=./good; do # A has a module there, too, or the default
        run $first --versus=$slot=blunder.c
        is "$? $(named)" \
            "70 module bad in slot $slot of B, $function, reference N: crashed: an access out of bounds, at blunder.c:$line$sanitize" "a crash of B, $slot${first:+, $first}"
    done
    cp blunder.c crash.c
    "$QUERN" sim build --$slot=crash.c -o crash || bail 'cannot build the crash'
    run --sim=./crash --versus=$slot=default
    is "$? $(named)" \
        "70 module bad in slot $slot, $function, reference N: crashed: an access out of bounds, at crash.c:$line$sanitize" "a crash of A, $slot"
done
blunder D1 "$loop"
mkdir loop
mv blunder.c loop/bad.c # who does not come back is named by its file
QUERN_MODULE_SECONDS=1 run --sim=./good --versus=D1=loop/bad.c
is "$? $(named)" "70 module bad in slot D1 of B, policy_victim, reference N: does not come back (an endless loop?), at loop/bad.c:5 (after 1 s of \
processor time; QUERN_MODULE_SECONDS sets another number)" 'an endless loop of B'

done_testing
