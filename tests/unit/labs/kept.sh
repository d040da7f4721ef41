#!/bin/sh
# Is what --keep leaves of the labs the first thing that is wrong, and do the commands that it names show it?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -d "$top_srcdir/labs/solutions" ] || skip_all 'the solutions are not here: this is a release' 73
out=$SCRATCH/out cc=${CC:-cc}

# wrong LAB FILE EDIT ONLY: the solution with an edit, checked with --keep; $kept is the folder of the first test that failed.
wrong() {
    rm -rf "$SCRATCH/lab$1" "$SCRATCH/it's kept$1"
    dir=$SCRATCH/lab$1
    cp -r "$top_srcdir"/labs/"$(printf %02d "$1")"-*/starter "$dir"
    cp "$top_srcdir"/labs/solutions/"$(printf %02d "$1")"-*/*.c "$dir"
    sed "$3" "$top_srcdir"/labs/solutions/"$(printf %02d "$1")"-*/"$2" >"$dir/$2"
    ok "lab $1: the edit is one" test -n "$(diff "$dir/$2" "$top_srcdir"/labs/solutions/"$(printf %02d "$1")"-*/"$2")"
    "$QUERN" lab check --case-seed=7 --seed=1 --only="$4" --keep="$SCRATCH/it's kept$1" "$1" "$dir" >"$out" 2>&1
    kept=$SCRATCH/"it's kept$1"/$(ls "$SCRATCH/it's kept$1" | head -n 1)
    ok "lab $1: why.txt is there" test -s "$kept/why.txt" || diag "$(cat "$out")"
}

# debugged FILE: the command for a debugger reads this file, and is run with it: its arguments are good.
debugged() {
    command=$(sed -n 's/.*--args //p' "$kept/why.txt" | head -n 1)
    name=$1
    eval "set -- $command"
    for last; do :; done
    is "$(readlink -f "$last")" "$(readlink -f "$kept/$name")" "... and the command for a debugger reads $name"
    builds=$(sed -n 's/^ *quern \(sim build .*\)/\1/p' "$kept/why.txt" | head -n 1)
    [ -z "$builds" ] || (cd "$dir" && eval "\"$QUERN\" $builds") >"$out" 2>&1 || diag "$(cat "$out")"
    (cd "$dir" && eval "$command") >"$SCRATCH/debugged" 2>&1
    is $? 0 "... and is right: $command" || diag "$(cat "$SCRATCH/debugged")"
}

# Lab 1, 3, 5: what is run in the debugger is the student's file, on the references up to the first that is wrong.
wrong 1 csim.c "s/op == 'I'/0/" 'fetches are passed over'
"$cc" -O1 -o "$dir/csim" "$dir/csim.c" || bail 'no compiler'
debugged trace.txt
wrong 3 lru.c 's/++now/now/' 'lru: every'
debugged trace.txt
wrong 3 lru.c '/^static unsigned policy_victim/,/^}/s/unsigned oldest = 0;/& static unsigned calls; if (++calls == 20) *(volatile int *)8 = 1;/' 'lru: every'
reference=$(sed -n 's/^# It was in policy_victim, at reference \([0-9]*\)$/\1/p' "$out")
ok 'a crash: the status names the signal' grep -q 'ended with status 139: Segmentation fault' "$out"
command=$(sed -n 's/^ *gdb -ex run --args .\/mine \(.*\)/\1/p' "$kept/why.txt")
is "$(cd "$dir" && eval "\"$QUERN\" replay --sim=D1=lru.c $command" 2>&1 | grep -o 'policy_victim, reference [0-9]*')" "policy_victim, reference $reference" \
    '... and function and reference are those that a replay of the kept trace names'
wrong 5 twobit.c 's/ < 3/ < 2/' 'twobit: branch'
debugged branches.trace
is "$(sed -n 's/^Expected counter \(.*\):$/\1/p' "$kept/why.txt")" '2, yours acts like 1' 'lab 5: a counter that stops too early is found out'
wrong 5 gshare.c 's/+= \*entry(pc) < 3/+= 1/' 'gshare: branch'
is "$(sed -n 's/^Expected counter \(.*\):$/\1/p' "$kept/why.txt")" '1, yours acts like 3' 'lab 5: and one that goes too far'

# Lab 2: the call that it names finds the result wrong.
wrong 2 kernels.c '/^static void transpose_any/,/^}/s/i < n; i++/i < m; i++/' 'right for every shape'
cp "$top_srcdir/include/quern.h" "$top_srcdir/labs/host/stack.h" "$SCRATCH/lab2"
is "$(cd "$SCRATCH/lab2" && "$cc" -O1 -o loops driver.c kernels.c && $(sed -n 's/.*&& \(.\/loops .*\)/\1/p' "$kept/why.txt"))" wrong 'lab 2: the same call is wrong'

# Lab 4: right without the last reference, wrong with it.
wrong 4 mrc.c 's/with_distance\[distance < m ? distance : m\]/with_distance[distance < 3 ? distance : m]/' 'every size'
"$cc" -O1 -o "$SCRATCH/wrong" "$SCRATCH/lab4/mrc.c" && "$cc" -O1 -o "$SCRATCH/right" "$top_srcdir/labs/solutions/04-distance/mrc.c" || bail 'no compiler'
options=$(sed -n 's/.*\.\/mrc \(curve .*\) -t .*/\1/p' "$kept/why.txt")
sed '$d' "$kept/trace.txt" >"$SCRATCH/before"
is "$("$SCRATCH/wrong" $options -t "$SCRATCH/before" | cksum)" "$("$SCRATCH/right" $options -t "$SCRATCH/before" | cksum)" 'lab 4: before it all was right'
ok 'lab 4: with it no longer' test "$("$SCRATCH/wrong" $options -t "$kept/trace.txt" | cksum)" != "$("$SCRATCH/right" $options -t "$kept/trace.txt" | cksum)"

"$cc" -O1 -o "$dir/mrc" "$dir/mrc.c" && debugged trace.txt

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
debugged trace.txt
ok 'lab 7: what the set would hold is told' grep -q 'prefetched and marked' "$kept/why.txt"

# Lab 9: its call, the commands that say what its lines cost, and the breakpoint; of a protocol, the events up to the first that goes wrong.
wrong 9 share.c 's/q->take.mine++ % CAPACITY/(q->take.mine++ + 1) % CAPACITY/' 'queue: right'
cp "$top_srcdir/labs/host/workers.h" "$dir" && "$QUERN" lab start 9 "$SCRATCH/started9" >"$out" 2>&1 && cp "$SCRATCH/started9/rules.h" "$dir" || bail 'no rules.h'
is "$(cd "$dir" && eval "$(sed -n 's/^ *\(cc .* && .\/share .*\)/\1/p' "$kept/why.txt" | sed "s|^cc|$cc|")")" wrong 'lab 9: the same call is wrong'
command=$(sed -n 's/^ *quern \(run .*\)/\1/p' "$kept/why.txt")
is "$(cd "$dir" && eval "\"$QUERN\" $command" 2>"$out")" wrong '... and with cores, in the turns that it names' || diag "$command: $(cat "$out")"
(cd "$dir" && eval "\"$QUERN\" $(sed -n 's/^ *quern \(annotate .*\)/\1/p' "$kept/why.txt")") >"$out" 2>&1
ok '... whose lines have their costs' grep -q '[1-9].* q->value\[' "$out" || diag "$(cat "$out")"
is "$(sed -n "s/^ *gdb -ex 'break \([a-z_]*\)' .*--args .\/share .*/\1/p" "$kept/why.txt")" queue_put '... and the debugger stops at a function of share.c'
wrong 9 msi.c 's/{SHARED, SIM_SUPPLIES | SIM_WRITES_BACK}/{INVALID, SIM_SUPPLIES | SIM_WRITES_BACK}/' 'msi: the states'
last=$(tail -n 1 "$kept/why.txt")
is "$(echo "$last" | sed 's/.*; core [0-9] \([a-z]*\) the line$/\1/')" reads 'lab 9: the last event is the one that goes wrong'
is "$(echo "$last" | grep -o ' M' | wc -l | tr -d ' ')" 1 "... at a line that a core has Modified: $last"

# Lab 10: the entries that a walk should read, and those that it reads.
wrong 10 tlb.c 's/8 \* (addr/4 * (addr/' 'tlb: a walk'
command=$(sed -n 's/^ *quern \(sim build .*\)/\1/p' "$kept/why.txt")
(cd "$SCRATCH/lab10" && eval "\"$QUERN\" $command") >"$out" 2>&1
is $? 0 'lab 10: the command that it names builds it' || diag "$(cat "$out")"
debugged trace.txt
is "$(grep -c 'entry [0-9]* of level [0-3]$' "$kept/why.txt")" 8 'lab 10: both walks are told'

# Lab 11: the input and what is wanted.
wrong 11 timing.c 's/n\[IR\] + last/last/' 'stack: one'
"$cc" -O1 -o "$dir/timing" "$dir/timing.c" && debugged input.txt
"$cc" -O1 -o "$SCRATCH/timing" "$top_srcdir/labs/solutions/11-timing/timing.c"
is "$(eval "\"$SCRATCH/timing\" $(echo "$command" | sed 's/^[^ ]* //')" | cksum)" "$(cksum <"$kept/wanted.txt")" 'lab 11: what is wanted of it'

# Lab 12: its call, and the commands that count.
wrong 12 layout.c 's/v\[i\] ^ carry/v[i]/' 'scan is'
cp "$top_srcdir/include/quern.h" "$top_srcdir/labs/host/stack.h" "$dir"
is "$(cd "$dir" && "$cc" -O1 -o layout driver.c layout.c && $(sed -n 's/.*&& \(.\/layout .*\)/\1/p' "$kept/why.txt"))" wrong 'lab 12: the same call is wrong'

# Lab 13: the simulator that it names replays the trace.
wrong 13 drrip.c 's/selector > 511);/selector <= 511);/' 'drrip: loops'
(cd "$dir" && eval "\"$QUERN\" $(sed -n 's/^ *quern \(sim build .*\)/\1/p' "$kept/why.txt")") >"$out" 2>&1
is $? 0 'lab 13: the command that it names builds it' || diag "$(cat "$out")"
debugged trace.txt

# Lab 8: the stream and what is wanted.
wrong 8 profile.c 's/4 \* n\[0\] + 40/n[0] + 40/' 'the mix'
"$cc" -O1 -o "$SCRATCH/profile" "$top_srcdir/labs/solutions/08-sampling/profile.c"
is "$("$SCRATCH/profile" mix -t "$kept/stream.txt" | cksum)" "$(cksum <"$kept/wanted.txt")" 'lab 8: what is wanted of the stream'
"$cc" -O1 -o "$dir/profile" "$dir/profile.c" && debugged stream.txt
done_testing
