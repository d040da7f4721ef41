#!/bin/sh
# Do the rows of --analysis=interval add up to the summary: instructions, data references, misses, branches, mispredicts?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/rep" ] || skip_all 'the guest programs are not built: make guests'

# sums PROGRAM OPTIONS...: rows, and the summary, as "instructions data I1-misses D1-misses LL-misses branches mispredicts"
sums() {
    program=$1
    shift
    "$QUERN" run --analysis=interval --sim-opt=interval=1000 --branch-sim=yes --LL=65536,8,64 --out-file=profile --log-file=log "$@" -- "$guests/$program" \
        >/dev/null 2>&1 </dev/null
    sed 's/^[-=]*[0-9]*[-=][-=] *//' log | awk '/^AN: [0-9]/ { for (i = 3; i <= NF; i++) n[i] += $i } END { for (i = 3; i <= 9; i++) printf "%d ", n[i]; print "" }' >rows
    awk '
        /^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
        /^summary:/ {
            print $at["Ir"], $at["Dr"] + $at["Dw"], $at["I1mr"], $at["D1mr"] + $at["D1mw"], $at["ILmr"] + $at["DLmr"] + $at["DLmw"],
                $at["Bc"] + $at["Bi"], $at["Bcm"] + $at["Bim"] " "
        }' profile >summary
    [ -s summary ] && diff rows summary
}
for program in rep strings gather stack calls faults; do
    [ -x "$guests/$program" ] || continue
    ok "$program" sums $program
    ok "$program, counted as Cachegrind does" sums $program --counting=cachegrind
done
# A trace has the repetitions, too.
"$QUERN" trace -o trace -- "$guests/rep" >/dev/null 2>&1 || bail 'cannot record'
said() { sed 's/^[-=]*[0-9]*[-=][-=] *//' | grep '^AN: [0-9]'; }
caches='--I1=32768,8,64 --D1=32768,8,64 --LL=65536,8,64'
# shellcheck disable=SC2086
{
    "$QUERN" replay --sim=AN=interval --sim-opt=interval=1000 $caches trace 2>&1 | said >replayed
    "$QUERN" run --analysis=interval --sim-opt=interval=1000 --branch-sim=yes $caches --out-file=profile -- "$guests/rep" 2>&1 | said >run
}
ok 'a replay of its trace has the same intervals' cmp run replayed
ok '... more than ten' [ "$(wc -l <run)" -gt 10 ]
done_testing
