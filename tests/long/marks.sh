#!/bin/sh
# marks.sh - `quern lab marks --on=slurm` of a class of 300 on a real Slurm of this machine, a node of which is killed in the middle: is each row
# what a check here says?  Then an interrupted one, with --cancel.
#
#   make -C build && sh tests/long/marks.sh             as root; packages slurm-wlm and munge; some minutes
#
# Submissions are made from the starter and the solution of lab 1, and four that are wrong in their own ways.  Marks here are those of six students,
# one of each kind: the inputs of all checks are the same (--case-seed).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

source=$top_srcdir
slurm_points=6
. "$source/tests/long/slurm.inc"

rm -rf kinds class marks.csv* cancelled.csv* # of a test before
starter=$source/labs/01-cache/starter/csim.c solution=$source/labs/solutions/01-cache/csim.c
mkdir -p kinds/1 kinds/2 kinds/3 kinds/4 kinds/5 kinds/6 class
cp "$starter" kinds/1/csim.c
cp "$solution" kinds/2/csim.c
sed "s/if (op == 'M')/if (op == 'm')/" "$solution" >kinds/3/csim.c
sed 's/line <= (addr + size - 1) >> c->b/line == addr >> c->b/' "$solution" >kinds/4/csim.c
printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >kinds/5/csim.c
{ cat "$solution"; echo 'it is not finished'; } >kinds/6/csim.c
"$QUERN" lab marks --case-seed=1 1 kinds -o kinds.csv || bail 'marks here'
is "$(sed 1d kinds.csv | cut -d, -f2- | sort -u | wc -l)" 4 'six kinds of submissions, which get four different marks' || cat kinds.csv >&2
head -n 1 kinds.csv >wanted.csv
for i in $(seq 300); do
    student=$(printf 's%03d' "$i")
    kind=$((i % 6 + 1))
    cp -r kinds/$kind "class/$student"
    sed -n "s/^$kind,/$student,/p" kinds.csv >>wanted.csv
done

began=$(date +%s)
"$QUERN" lab marks --case-seed=1 1 class --on=slurm --on-opt=--time=10 -o marks.csv >said 2>&1 &
marking=$!
some_checks() { [ "$(find "$1" -name '*.tap' 2>"$state/find" | wc -l)" -ge "$2" ]; }
await 'the first hundred' some_checks marks.csv.parts 100
kill_node n1
await 'another fifty on one node' some_checks marks.csv.parts 150
node n1
wait $marking
is "$? $(cat said)" '0 ' 'the marks end well'
diag "300 submissions in $(($(date +%s) - began)) s"
is "$(cmp wanted.csv marks.csv 2>&1)" '' 'each row is that of the same submission here, though a node was killed with what it ran'
is "$(ls -d marks.csv*)" 'marks.csv' 'nothing beside it'

"$QUERN" lab marks 1 class --on=slurm --cancel -o cancelled.csv >said 2>&1 &
marking=$!
await 'the first checks' some_checks cancelled.csv.parts 4
kill -TERM $marking
wait $marking
none_left() { [ -z "$(squeue -h)" ]; }
await 'no job left' none_left
ok 'interrupted with --cancel: no job is left' none_left
ok 'and what was checked is kept' some_checks cancelled.csv.parts 4
done_testing
