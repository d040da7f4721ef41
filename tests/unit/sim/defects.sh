#!/bin/sh
# Does --check find a mistake in what is fast about the default caches and predictors, wherever it is: lib/sim/fast and emitted code?
#
#   sh tests/unit/sim/defects.sh              each of mutants/defects, put into a copy of one file
#   sh tests/unit/sim/defects.sh predict      those whose line has this in it
#
# The engine is the build's own but for that file.  Each of them must stop the run with status 70, the word that --check has found a
# difference, and the slot; without a defect the same run ends well.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/sim/mutants/engine.inc"

[ -f "$top_builddir/quern-engine" ] || bail 'quern-engine is not built: make'
only=${1-}
compile_program guest
caches='--I1=512,2,32 --D1=1024,2,64 --LL=8192,4,64 --branch-sim=yes'

# put_quern FOLDER: a quern that finds the engine there, for modules by name.
put_quern() {
    mkdir -p "$1" && cp "$QUERN" "$1/quern" && cp "$top_builddir/libquern-engine.a" "$1/" 2>/dev/null
}

# checked FOLDER OPTIONS: status of the run; what it says is in FOLDER/said
checked() {
    # shellcheck disable=SC2086 # options are words
    cpu_limited 60 "$1/quern" run --check $caches $2 --out-file="$1/profile" ./guest >"$1/said" 2>&1
}

# one NUMBER FILE OPTIONS SLOT EXPRESSION: its verdict in NUMBER.result, empty if the defect was found.
one() {
    folder=$SCRATCH/$1
    mkdir -p "$folder/lib/${2%/*}"
    edit "$top_srcdir/lib/$2" "$folder/lib/$2" "$5" || return
    make_engine "$folder" "$folder/quern-engine" "$2" || return
    put_quern "$folder"
    checked "$folder" "$3"
    status=$?
    grep -qE -- "--check found a difference: .*in slot $4" "$folder/said" && [ $status = 70 ] && return
    echo "status $status of a run with --check $caches $3"
    tail -n 3 "$folder/said"
}

# ---- each of them ----

grep -v '^#' "$top_srcdir/tests/unit/sim/mutants/defects" | grep . | grep -F -- "$only" >list
jobs=$(nproc)
number=0
while IFS= read -r line; do
    number=$((number + 1))
    echo "$line" | sed 's/ *@ */\
/g' >$number.fields
done <list
worker() {
    at=$1
    while [ "$at" -le "$number" ]; do
        { read -r file; read -r options; read -r slot; IFS= read -r expression; } <$at.fields
        one "$at" "$file" "$options" "$slot" "$expression" >$at.result 2>&1
        rm -rf "$SCRATCH/$at"
        at=$((at + jobs))
    done
}
for first in $(seq "$jobs"); do worker "$first" & done
wait
for at in $(seq "$number"); do
    name="$(sed -n 1p $at.fields): $(sed -n 5p $at.fields)"
    is "$(cat $at.result)" '' "$name"
done

# ---- the same runs without any ----

put_quern sound
cp "$top_builddir/quern-engine" sound/
cut -d @ -f 2 list | sort -u >options
while IFS= read -r options; do
    ok "nothing is found without a defect: $options" checked sound "$options"
done <options
done_testing
