#!/bin/sh
# A module that has been edited in one place: is what is simulated the edited file, however it is run, to the last count?
#
#   sh tests/unit/sim/mutants.sh              each of mutants/mutants, and of mutants/claims
#   sh tests/unit/sim/mutants.sh srrip        those whose line has this in it; nothing is made in place
#
# A mutant is run as a copy: filtered, with --check, without the filter, as the second simulator of --versus, in a replay of the recorded
# program; where it is a policy or a predictor, many in one execution; and edited in place, with make.  All of these must agree, and
# differ from the module as it is.  Edits that make a wrong claim (policy_settled and such) are found by --check.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/sim/mutants/engine.inc"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
only=${1-}
XDG_CACHE_HOME=$SCRATCH/cache # hundreds of simulators
export XDG_CACHE_HOME
compile_program guest
lists=$top_srcdir/tests/unit/sim/mutants
caches='--I1=512,2,32 --D1=1024,2,64 --LL=8192,4,64'
"$QUERN" trace -o trace -- ./guest >trace.said 2>&1 || bail "cannot record: $(tail -n 1 trace.said)"

# ---- runs ----

# run NAME OPTIONS...: profile and words in NAME.profile and NAME.words
run() {
    name=$1
    shift
    # shellcheck disable=SC2086 # caches are words
    cpu_limited 60 "$QUERN" run $caches --branch-sim=yes --out-file="$name.profile" "$@" -- ./guest >"$name.log" 2>&1
    status=$?
    sed 's/^==[0-9]*== //' "$name.log" >"$name.words"
    [ $status -eq 0 ] || { echo "status $status of: quern run $caches $*"; tail -n 2 "$name.log"; return 1; }
}

counts() { sed -n 's/^summary: //p' "$1.profile"; }

# columns FILE PREFIX: the misses, B's with "B."
columns() {
    awk -v prefix="$2" '
        BEGIN { n = split("I1mr ILmr D1mr DLmr D1mw DLmw Bcm Bim", name, " ") }
        /^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
        /^summary:/ { for (i = 1; i <= n; i++) printf "%s ", $at[prefix name[i]]; print "" }' "$1.profile"
}

# What a run and a replay say alike.
figures() { sed 's/^==[0-9]*== //' "$1" | grep -E '^(I1  misses|LLi misses|D  |D1  misses|LLd misses|Mispredicts|[A-Z0-9]*\.[a-z]|D1: )'; }

# sim_of SLOT OTHERS MODULE: "D1=mine.c,LL=inclusive"
sim_of() { echo "$1=$3${2:+,}$2"; }

# as_it_is SLOT OTHERS OPTIONS FILE: counts of the module that was not edited
as_it_is() {
    case $4 in
    */*) module=${4##*/} module=${module%.c} ;;
    *) module=default ;;
    esac
    # shellcheck disable=SC2086 # options are words
    run unedited --sim="$(sim_of "$1" "$2" "$module")" $3 && counts unedited
}

# mutant FILE SLOT OTHERS OPTIONS EXPRESSION: what is wrong, in the directory where it stands
mutant() {
    copy=${1##*/}
    edit "$top_srcdir/lib/sim/$1" "$copy" "$5" || return
    sim=$(sim_of "$2" "$3" "$copy")
    # shellcheck disable=SC2086 # options are words
    run plain --sim="$sim" $4 && run checked --check --sim="$sim" $4 && run unfiltered --no-filter --sim="$sim" $4 &&
        run versus --versus="$sim" $4 || return
    [ "$(counts plain)" != "$(as_it_is "$2" "$3" "$4" "$1")" ] || echo "the counts are those of $1 as it is: $(counts plain)"
    for other in checked unfiltered; do
        cmp -s plain.profile $other.profile || { echo "plain and $other:"; diff plain.profile $other.profile | head -n 6; }
    done
    [ "$(columns versus B.)" = "$(columns plain '')" ] ||
        echo "--versus: B has $(columns versus B.), alone it has $(columns plain '')"
    # shellcheck disable=SC2086
    "$QUERN" replay --sim="$sim" $caches $4 trace >replayed 2>&1 || { echo "status $? of quern replay"; tail -n 2 replayed; }
    figures plain.log >plain.figures
    figures replayed >replayed.figures
    cmp -s plain.figures replayed.figures || { echo 'run and replay:'; diff plain.figures replayed.figures | head -n 6; }
}

# claim FILE SLOT OTHERS OPTIONS EXPRESSION
claim() {
    copy=${1##*/}
    edit "$top_srcdir/lib/sim/$1" "$copy" "$5" || return
    # shellcheck disable=SC2086
    run checked --check --sim="$(sim_of "$2" "$3" "$copy")" $4 >checked.why
    [ "$status" = 70 ] && grep -qE "module [a-z]+ in slot $2, .*(settled|hit would change nothing|a call)" checked.log && return
    echo "status $status of a run with --check $4"
    tail -n 2 checked.log
}

# ---- all of them, at once as many as there are processors ----

jobs=$(nproc)

# split LIST: LIST.N.fields, a line for each field; prints how many
split() {
    grep -v '^#' "$lists/$1" | grep . | grep -F -- "$only" >"$1"
    awk -v list="$1" '{ gsub(/ *@ */, "\n"); print >(list "." NR ".fields") } END { print NR }' "$1"
}

# worker LIST FUNCTION FIRST LAST: every jobs-th
worker() {
    at=$3
    while [ "$at" -le "$4" ]; do
        mkdir -p "$1.$at" && cp guest "$1.$at/" && ln -s ../trace "$1.$at/trace"
        { read -r file; read -r slot; read -r others; read -r options; IFS= read -r expression; } <"$1.$at.fields"
        (cd "$1.$at" && $2 "$file" "$slot" "$others" "$options" "$expression") >"$1.$at.result" 2>&1
        at=$((at + jobs))
    done
}

# all LIST FUNCTION
all() {
    number=$(split "$1")
    for first in $(seq "$jobs"); do worker "$1" "$2" "$first" "$number" & done
    wait
    for at in $(seq "$number"); do
        is "$(cat "$1.$at.result")" '' "$(sed -n 2p "$1.$at.fields")=$(sed -n 1p "$1.$at.fields"): $(sed -n 6p "$1.$at.fields")"
    done
}
all mutants mutant
all claims claim
[ -z "$only" ] || done_testing

# ---- many in one execution: policies and predictors that have no others beside them ----

field() { sed -n "$2p" "mutants.$1.fields"; }

number=$(grep -c . mutants)
mkdir many && cp guest many/ && : >many/executions
sims= members=
for at in $(seq "$number"); do
    case $(field "$at" 1):$(field "$at" 2):$(field "$at" 3) in
    bpred/ras.c:* | policy/ship.c:* | policy/hawkeye.c:* | *:I1:* | *:?*:?*) continue ;; # runs alone
    policy/* | bpred/* | branchsim_*) ;;
    *) continue ;;
    esac
    file=$(field "$at" 1)
    sims=$sims${sims:+,}$(field "$at" 2)=../mutants.$at/${file##*/}
    members="$members $at"
done
many_caches='--I1=512,2,32 --D1=1024,4,64 --LL=8192,4,64 --branch-sim=yes'
# shellcheck disable=SC2086
(cd many && "$QUERN" sweep -q -j 1 $many_caches -L "sim=$sims" -o many.csv -- ./guest >said 2>&1)
is "$(cat many/said)" '' 'many at once: without a warning'
is "$(cat many/executions)" e "... $(echo "$members" | wc -w) of them in one execution"
row=1
for at in $members; do
    file=$(field "$at" 1) slot=$(field "$at" 2)
    row=$((row + 1))
    # shellcheck disable=SC2086
    : >"mutants.$at/executions"
    (cd "mutants.$at" && run alone $many_caches --sim="$slot=${file##*/}")
    is "$(awk -F , -v row=$row '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Ir") first = i }
        NR == row { for (i = first; i < first + 13; i++) printf "%s ", $i }' many/many.csv)" \
        "$(counts "mutants.$at/alone" | awk '{ for (i = 1; i <= 13; i++) printf "%s ", $i }')" "... $slot=$file: $(field "$at" 6)"
done

# ---- in place ----

[ ! -e "$top_srcdir/config.status" ] || { skip 'the source directory is configured itself'; done_testing; }
tree=$SCRATCH/tree
mkdir -p "$tree/build"
(cd "$top_srcdir" && tar cf - --exclude=./.git $(find . -maxdepth 2 -name config.status | sed 's,/config.status$,,; s,^,--exclude=,') .) |
    (cd "$tree" && tar xf -) || bail 'cannot copy the sources'
(cd "$top_builddir" && tar cf - Makefile config.h config.status stamp-h1 lib sim_units sim_slots.h sim_units.h lib*.a quern quern-engine) |
    (cd "$tree/build" && tar xf -) || bail 'cannot copy the build'
find "$tree/build" -name '*.Po' -o -path '*/sim_units/*.mk' | xargs grep -lF "$top_srcdir/" | xargs -r sed -i "s,$top_srcdir/,$tree/,g" # what depends on what
# The makefile refuses a copy; in this one it has the copy's paths.
sed -i "s,$top_builddir,@TREE@/build,g; s,$top_srcdir,@TREE@,g; s,@TREE@,$tree,g" "$tree/build/Makefile"

make_tree() {
    make -s -j "$jobs" -C "$tree/build" srcdir=.. top_srcdir=.. VPATH=.. abs_srcdir="$tree" abs_top_srcdir="$tree" AUTOMAKE=: AUTOCONF=: \
        ACLOCAL=: AUTOHEADER=: quern-engine libquern-engine.a >make.log 2>&1 || bail "make: $(grep -m 3 'rror' make.log)"
}
# in_place NAME OPTIONS...: as run, with the tree's engine
in_place() { (QUERN=$tree/build/quern QUERN_SIM_DIR=$tree/lib; export QUERN_SIM_DIR; run "$@"); }

# All counts; not the hash of the engine.
lines() { grep -v '^desc:' "$1.profile"; }

# Round n has the n-th mutant of each default file, all at the same time.
of_slot() {
    for at in $(seq "$number"); do
        case $(field "$at" 1) in *sim_"$1".c) echo "$at" ;; esac
    done
}
slots='I1 D1 LL BC BI'
rounds=0
for slot in $slots; do
    of_slot $slot >of.$slot
    [ "$(grep -c . of.$slot)" -le $rounds ] || rounds=$(grep -c . of.$slot)
done
make_tree
is "$(grep -c define "$tree/build/sim_slots.h")" 0 'in place: nothing is edited, nothing is given'
for round in $(seq "$rounds"); do
    sim=
    for slot in $slots; do
        at=$(awk -v n="$round" '{ line[NR] = $0 } END { print line[(n - 1) % NR + 1] }' of.$slot)
        file=$(field "$at" 1)
        cp "mutants.$at/$file" "$tree/lib/sim/$file"
        sim=$sim${sim:+,}$slot=mutants.$at/$file
    done
    make_tree
    ok "in place, round $round: runs" in_place edited
    ok '... and with --check' in_place edited-checked --check
    ok '... and the copies' run copied --sim="$sim"
    is "$(lines edited)" "$(lines copied)" '... alike'
    is "$(lines edited-checked)" "$(lines copied)" '... --check, too'
done

# Of each module that ships the first mutant, all at the same time: a run has one of them.
for slot in $slots; do cp "$top_srcdir"/lib/sim/*sim_$slot.c "$tree/lib/sim/"; done
first=
for at in $(seq "$number"); do
    file=$(field "$at" 1)
    case $file in */*) ;; *) continue ;; esac
    case " $first " in *":$file "*) continue ;; esac
    first="$first $at:$file"
    cp "mutants.$at/${file##*/}" "$tree/lib/sim/$file"
done
make_tree
for pair in $first; do
    at=${pair%%:*} file=${pair#*:} name=${pair##*/}
    others=$(field "$at" 3 | sed "s,=lru,=$top_srcdir/lib/sim/policy/lru.c,g") # which is edited in the tree, too
    # shellcheck disable=SC2046
    ok "in place, $file: runs by its name" in_place edited --sim="$(sim_of "$(field "$at" 2)" "$others" "${name%.c}")" $(field "$at" 4)
    is "$(lines edited)" "$(lines "mutants.$at/plain")" '... as the copy'
done
done_testing
