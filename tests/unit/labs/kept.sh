#!/bin/sh
# Is what --keep leaves of labs 2, 4, 6, 7 and 8 the first thing that is wrong, and do the commands that it names show it?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -d "$top_srcdir/labs/solutions" ] || skip_all 'the solutions are not here: this is a release' 16
out=$SCRATCH/out cc=${CC:-cc}

# wrong LAB FILE EDIT ONLY: the solution with an edit, checked with --keep; $kept is the folder of the first test that failed.
wrong() {
    dir=$SCRATCH/lab$1
    cp -r "$top_srcdir"/labs/0"$1"-*/starter "$dir"
    cp "$top_srcdir"/labs/solutions/0"$1"-*/*.c "$dir"
    sed "$3" "$top_srcdir"/labs/solutions/0"$1"-*/"$2" >"$dir/$2"
    ok "lab $1: the edit is one" test -n "$(diff "$dir/$2" "$top_srcdir"/labs/solutions/0"$1"-*/"$2")"
    "$QUERN" lab check --case-seed=7 --seed=1 --only="$4" --keep="$SCRATCH/kept$1" "$1" "$dir" >"$out" 2>&1
    kept=$SCRATCH/kept$1/$(ls "$SCRATCH/kept$1" | head -n 1)
    ok "lab $1: why.txt is there" test -s "$kept/why.txt" || diag "$(cat "$out")"
}

# Lab 2: the call that it names finds the result wrong.
wrong 2 kernels.c '/^static void transpose_any/,/^}/s/i < n; i++/i < m; i++/' 'right for every shape'
cp "$top_srcdir/include/quern.h" "$SCRATCH/lab2"
is "$(cd "$SCRATCH/lab2" && "$cc" -O1 -o loops driver.c kernels.c && $(sed -n 's/.*&& \(.\/loops .*\)/\1/p' "$kept/why.txt"))" wrong 'lab 2: the same call is wrong'

# Lab 4: right without the last reference, wrong with it.
wrong 4 mrc.c 's/with_distance\[distance < m ? distance : m\]/with_distance[distance < 3 ? distance : m]/' 'every size'
"$cc" -O1 -o "$SCRATCH/wrong" "$SCRATCH/lab4/mrc.c" && "$cc" -O1 -o "$SCRATCH/right" "$top_srcdir/labs/solutions/04-distance/mrc.c" || bail 'no compiler'
options=$(sed -n 's/.*\.\/mrc \(curve .*\) -t .*/\1/p' "$kept/why.txt")
sed '$d' "$kept/trace.txt" >"$SCRATCH/before"
is "$("$SCRATCH/wrong" $options -t "$SCRATCH/before" | cksum)" "$("$SCRATCH/right" $options -t "$SCRATCH/before" | cksum)" 'lab 4: before it all was right'
ok 'lab 4: with it no longer' test "$("$SCRATCH/wrong" $options -t "$kept/trace.txt" | cksum)" != "$("$SCRATCH/right" $options -t "$kept/trace.txt" | cksum)"

# Lab 6: the box that it names is asked the same questions.
wrong 6 probe.c 's/box_answer(find_size/box_answer(2 * find_size/' 'probe: size'
"$cc" -O1 -o "$SCRATCH/lab6/probe" "$SCRATCH/lab6/probe.c" "$SCRATCH/lab6/box.c" || bail 'no compiler'
seed=$(sed -n 's/.*--seed=\([0-9]*\) .*/\1/p' "$kept/why.txt")
"$QUERN" lab box --seed="$seed" "$SCRATCH/lab6" "$SCRATCH/lab6/probe" >"$SCRATCH/box"
is "$(sed -n 's/after \([0-9]*\) questions.*/\1/p' "$SCRATCH/box")" "$(wc -l <"$kept/conversation.txt" | tr -d ' ')" 'lab 6: the same box, as many questions'
ok 'lab 6: each with its answer' grep -q '^r [0-9a-f]*    [hm]$' "$kept/conversation.txt"

# Lab 7: the simulator that it names replays the trace.
wrong 7 nextline.c 's/(missed)/(true)/' 'nextline: every'
command=$(sed -n 's/^ *quern \(sim build .*\)/\1/p' "$kept/why.txt")
(cd "$SCRATCH/lab7" && eval "\"$QUERN\" $command") >"$out" 2>&1
is $? 0 'lab 7: the command that it names builds it' || diag "$(cat "$out")"
replay=$(sed -n 's/.*--args \.\/mine \(.*\) [^ ]*trace.txt$/\1/p' "$kept/why.txt")
"$SCRATCH/lab7/mine" $replay "$kept/trace.txt" >"$out" 2>&1
is $? 0 'lab 7: and what was built replays the trace' || diag "$(cat "$out")"
ok 'lab 7: what the set would hold is told' grep -q 'guessed and not used yet' "$kept/why.txt"

# Lab 8: the stream and what is wanted.
wrong 8 profile.c 's/4 \* n\[0\] + 40/n[0] + 40/' 'the mix'
"$cc" -O1 -o "$SCRATCH/profile" "$top_srcdir/labs/solutions/08-sampling/profile.c"
is "$("$SCRATCH/profile" mix -t "$kept/stream.txt" | cksum)" "$(cksum <"$kept/wanted.txt")" 'lab 8: what is wanted of the stream'
done_testing
