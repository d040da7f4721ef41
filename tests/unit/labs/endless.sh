#!/bin/sh
# Does a solution without an end cost little?  What the check says of its limits is added up: the time itself depends on the machine.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out

# endless LAB WHAT MOST: what is in $SCRATCH/in gets no point, and all programs that were stopped had at most so many ms in sum.
endless() {
    "$QUERN" lab check --case-seed=7 --seed=1 "$1" "$SCRATCH/in" >"$out" 2>&1
    is "$?:$(grep -c '^ok' "$out")" 1:0 "lab $1, $2: no point" || diag "$(cat "$out")"
    sum=$(sed -n 's/.*took more than \([0-9]*\) s of processor.*/\1000/p; s/.*took more than \([0-9]*\) ms of processor.*/\1/p; s/.*: \([0-9]*\) s without using the processor/\1000/p' "$out" |
        awk '{ sum += $1 } END { print sum + 0 }')
    ok "lab $1, $2: $sum ms of processor time in sum, at most $3" test "$sum" -gt 0 -a "$sum" -le "$3" || diag "$(cat "$out")"
}

# The starter, with one file more.
start() {
    rm -rf "$SCRATCH/in"
    cp -r "$top_srcdir"/labs/"$(printf %02d "$1")"-*/starter "$SCRATCH/in"
}

start 1
echo 'int main(void) { for (;;) ; }' >"$SCRATCH/in/csim.c"
endless 1 'a loop' 3000
start 3
for file in "$SCRATCH"/in/*.c; do
    sed 's/^static unsigned policy_victim(unsigned set)/& { (void)set; for (;;) ; }\n__attribute__((unused)) static unsigned old_victim(unsigned set)/' "$file" >"$SCRATCH/edited"
    cp "$SCRATCH/edited" "$file"
done
endless 3 'seven victims that are looked for without an end' 4000
ok '... and it says in which function, at which reference' grep -q '^# It was in policy_victim, at reference [1-9]' "$out"
start 6
echo 'int main(void) { for (;;) ; }' >"$SCRATCH/in/probe.c"
endless 6 'a loop' 3000
printf '#include "box.h"\nint main(void) { for (;;) box_read(0); }\n' >"$SCRATCH/in/probe.c"
"$QUERN" lab check --case-seed=7 --seed=1 6 "$SCRATCH/in" >"$out" 2>&1
is "$(grep -c 'asked 300000 questions' "$out"):$(grep -c 'not run: it did not end' "$out")" 1:4 'lab 6, questions without an end: asked once' || diag "$(cat "$out")"
start 8
echo 'int main(void) { for (;;) ; }' >"$SCRATCH/in/profile.c"
endless 8 'three profilers without an end' 4000
done_testing
