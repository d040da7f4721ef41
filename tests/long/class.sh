#!/bin/sh
# class.sh - `quern lab marks` of 300 submissions of lab 1 on this machine: is each a row with what is right, or refused by name?
#
#   make -C build && sh tests/long/class.sh [N]         twenty minutes on two cores, with GNU parallel; N submissions, not 300
#
# Submissions are made from the starter and the solution, and others that are wrong in their own ways; some names would be something else to
# CSV, a shell or a spreadsheet, and some folders have the file of another student, or none.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

n=${1:-300}
starter=$top_srcdir/labs/01-cache/starter/csim.c solution=$top_srcdir/labs/solutions/01-cache/csim.c
[ -e "$solution" ] || skip_all 'the solutions are not here: this is a release' 6
on=here
command -v parallel >said 2>&1 && on=parallel
rm -rf class wanted marks.csv*
mkdir class
for i in $(seq "$n"); do
    case $((i % 30)) in
    1) name="lovelace, ada $i" ;; 2) name="quo\"te $i" ;; 3) name="=cmd|calc $i" ;; 4) name="\$(touch run) $i" ;; 5) name="it's $i" ;; *) name="s$i" ;;
    esac
    mkdir "class/$name"
    case $((i % 5)) in
    0) cp "$starter" "class/$name/csim.c"; points=0 ;;
    1) cp "$solution" "class/$name/csim.c"; points=100 ;;
    2) sed "s/op == 'I'/0/" "$solution" >"class/$name/csim.c"; points=95 ;;
    3) printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >"class/$name/csim.c"; points=0 ;;
    *) points=0 ;; # nothing was handed in
    esac
    printf 'lab 1\nseed %d\n' $((i / 2)) >"class/$name/.quern-lab" # each two have the same
    echo "$points"
done | LC_ALL=C sort -n >wanted
began=$(date +%s)
"$QUERN" lab marks --on=$on -o marks.csv 1 class >said 2>&1
is "$?:$(cat said)" 0: 'marks of a class' || diag "$(cat said)"
diag "$n submissions in $(($(date +%s) - began)) s, $on"
"$QUERN" json marks.csv >marks.json || bail 'not CSV'
is "$(jq -r '.rows[].points' marks.json | LC_ALL=C sort -n | cmp - wanted 2>&1)" '' 'each has its points'
is "$(jq -r '.rows | length' marks.json)" "$n" 'each is a row'
is "$(jq -r '.rows[].student' marks.json | grep -c '^[=+@-]')" 0 'no name is a formula'
ok 'two of each pair have the same file, which is told' test "$(jq -r '.rows[].note' marks.json | grep -c '^.quern-lab is that of ')" -ge $((n - 2))
ok 'no name was a command' test ! -e run -a ! -e class/run
done_testing
