#!/bin/sh
# On a large profile annotate takes at most a third of the memory of cg_annotate 3.19, and of its own no more than the rows; merging a
# hundred profiles takes the memory of one.
#
# The profile has 50,000 functions and 500,000 lines. Ten times as many, and seconds: sh tests/perf/annotate.sh.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

time=$(command -v time 2>/dev/null)
case $time in /*) ;; *) time=/usr/bin/time ;; esac
[ -x "$time" ] || absent_all 'GNU time is not installed' 5
here=$top_srcdir/tests/golden/annotate
cd "$SCRATCH" || bail 'no scratch directory'
files=500
awk -v files=$files -f "$here/large.awk" >big

# measure COMMAND...: sets kilobytes, the most that it had in memory.
measure() {
    "$time" -f '%M' -o cost "$@" >out 2>err || bail "failed: $* $(cat err)"
    read -r kilobytes <cost
    diag "$* : $kilobytes KB"
}

if command -v cg_annotate >/dev/null 2>&1 && cg_annotate --version 2>&1 | grep -q '^cg_annotate-3\.1'; then
    measure cg_annotate big
    original=$kilobytes
    for style in modern classic; do
        measure "$QUERN" annotate --style=$style big
        ok "$style style: at most a third of the memory" test $((kilobytes * 3)) -le "$original"
    done
else
    absent 'cg_annotate 3.19 is not installed (Debian: valgrind)' 2
fi

# A hundred profiles of the same program, the first fiftieth of the lines of the large one.
awk -v files=$((files / 50)) '/^fl=/ && f++ == files { exit } { print }
    /^[0-9]/ { for (i = 2; i <= 10; i++) sum[i] += $i }
    END { printf "summary:"; for (i = 2; i <= 10; i++) printf " %.0f", sum[i]; print "" }' big >part
measure "$QUERN" merge -o one part
one=$kilobytes

# A row: nine counts, its place (12 bytes), its number in order (4), the key that it is sorted by (16), and 4 for arrays that grow.
measure "$QUERN" annotate big
ok 'annotate: no index of the rows of a sorted profile' test $((kilobytes - one)) -le $((files * 1000 * (9 * 8 + 12 + 4 + 16 + 4) / 1024))

set --
for i in 1 2 3 4 5 6 7 8 9 10; do
    set -- "$@" part part part part part part part part part part
done
measure "$QUERN" merge -o many "$@"
ok "merging $# profiles takes the memory of one" test $((kilobytes * 9)) -le $((one * 10))
is "$(awk '/^summary:/ { print $2 }' many)" "$(awk '/^summary:/ { printf "%.0f", $2 * 100 }' one)" 'and adds them up'
done_testing
