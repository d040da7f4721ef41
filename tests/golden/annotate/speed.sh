#!/bin/sh
# On a large profile annotate takes at most a twentieth of the time and a third of the memory of cg_annotate 3.19, and
# merging a hundred profiles takes the memory of one.
#
# The profile has 50,000 functions and 500,000 lines; FULL=1 makes it 500,000 and 5,000,000 (a minute and 3 GB for the
# original). Both are measured in one run, on the same machine, one after the other; figures are in the log.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

case $QUERN in /*) ;; *) QUERN=$PWD/$QUERN ;; esac
command -v cg_annotate >/dev/null 2>&1 || skip_all 'cg_annotate is not installed (Debian: valgrind)'
cg_annotate --version 2>&1 | grep -q '^cg_annotate-3\.1' || skip_all 'cg_annotate is not of the classic kind'
time=$(command -v time 2>/dev/null)
case $time in /*) ;; *) time=/usr/bin/time ;; esac
[ -x "$time" ] || skip_all 'GNU time is not installed'
cd "$SCRATCH" || bail 'no scratch directory'

files=500
[ -z "${FULL:-}" ] || files=5000
awk -v files=$files 'BEGIN {
    print "desc: I1 cache:         32768 B, 64 B, 8-way associative"
    print "cmd: ./big\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw"
    for (f = 0; f < files; f++) {
        print "fl=/home/user/project/source/directory" f % 50 "/file" f ".c"
        for (g = 0; g < 100; g++) {
            print "fn=some_function_name_" f "_" g
            for (l = 0; l < 10; l++) {
                s = (s * 1103 + 12345) % 4194304
                a = s % 100000; b = int(s / 3) % 2000; c = int(s / 7) % 5; d = int(b / 2); e = c > 3; h = c == 1
                print g * 30 + l * 2 + 1 " " a " " c " " e " " b " " c " 0 " d " " h " 0"
                ta += a; tb += b; tc += c; td += d; te += e; th += h
            }
        }
    }
    printf "summary: %.0f %.0f %.0f %.0f %.0f 0 %.0f %.0f 0\n", ta, tc, te, tb, tc, td, th
}' >big

# measure COMMAND...: sets seconds (in hundredths) and kilobytes.
measure() {
    "$time" -f '%e %M' -o cost "$@" >out 2>err || bail "failed: $* $(cat err)"
    read -r seconds kilobytes <cost
    diag "$* : $seconds s, $kilobytes KB"
    seconds=$(awk -v s="$seconds" 'BEGIN { printf "%d", s * 100 }')
}

measure cg_annotate big
original_seconds=$seconds
original_kilobytes=$kilobytes
for style in modern classic; do
    measure "$QUERN" annotate --style=$style big
    ok "$style style: at most a twentieth of the time" test $((seconds * 20)) -le "$original_seconds"
    ok "$style style: at most a third of the memory" test $((kilobytes * 3)) -le "$original_kilobytes"
done

# A hundred profiles of the same program, the first fiftieth of the lines of the large one.
awk -v files=$((files / 50)) '/^fl=/ && f++ == files { exit } { print }
    /^[0-9]/ { for (i = 2; i <= 10; i++) sum[i] += $i }
    END { printf "summary:"; for (i = 2; i <= 10; i++) printf " %.0f", sum[i]; print "" }' big >part
measure "$QUERN" merge -o one part
one=$kilobytes
set --
for i in 1 2 3 4 5 6 7 8 9 10; do
    set -- "$@" part part part part part part part part part part
done
measure "$QUERN" merge -o many "$@"
ok "merging $# profiles takes the memory of one" test $((kilobytes * 9)) -le $((one * 10))
done_testing
