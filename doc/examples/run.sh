#!/bin/sh
# run.sh - makes the examples of this folder anew: data, scripts, pictures.
#
#   sh doc/examples/run.sh loops          loops.runs.csv by `quern sweep`, then loops.csv, loops.gp, loops.svg by `quern plot`
#   sh doc/examples/run.sh all            all of them: make examples
#   OUT=/tmp/x sh doc/examples/run.sh belady     into another folder than build/examples
#
# Programs and inputs are made in OUT/work.  QUERN names the quern command (build/quern of this tree),
# CC the C compiler.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${QUERN:=$here/../../build/quern}" "${CC:=gcc}"
case $QUERN in /*) ;; *) QUERN=$PWD/$QUERN ;; esac
: "${OUT:=$here/../../build/examples}"
work=$OUT/work
mkdir -p "$OUT" "$work"
OUT=$(cd "$OUT" && pwd)
cd "$work"

# The environment lies on the stack, and is searched at the start: another one would change counts a little.
alone() { env -i PATH=/usr/local/bin:/usr/bin:/bin LC_ALL=C "$@"; }
# sweep NAME: a file of runs that is there is from before: begin anew
sweep() {
    rm -f "$OUT/$1.runs.csv"
    alone "$QUERN" sweep -q -o "$OUT/$1.runs.csv" "$here/$1.exp"
}
plot() { # plot NAME KIND [OPTIONS]
    name=$1
    kind=$2
    shift 2
    "$QUERN" plot "$kind" "$OUT/$name.runs.csv" -o "$OUT/$name.svg" "$@"
}
# program NAME [FLAGS AND FILES]
program() {
    name=$1
    shift
    cp "$here/programs/$name.c" .
    "$CC" -O1 -o "$name" "$name.c" "$@"
}
# With these nothing but the program itself is counted: see start.c.
bare="-nostdlib -static -no-pie -fno-builtin -fno-stack-protector -Wl,--build-id $here/programs/start.c"
inputs() {
    awk -f "$here/programs/words.awk" -v lines=1500 >text
    cp "$here/programs/words.py" "$here/programs/query.sql" "$here/programs/mm.c" .
    ln -sf "$("$CC" -print-prog-name=cc1)" cc1
}

loops() {
    program mm $bare
    sweep loops
    plot loops curve --x=n --y=D1_miss_percent --title='Matrix multiply in its loop orders'
}
machines() {
    program mm $bare
    sweep machines
    plot machines curve --x=machine --y=CPI --curve=order --panel=n --log=y \
        --title='Thirty years of machines: matrix multiply in three loop orders, n x n'
}
blocks() {
    program blocked $bare
    sweep blocks
    plot blocks curve --x=block --y=D1_mpki --title='Matrix multiply, 128 x 128, in blocks'
}
policies() {
    inputs
    sweep policies
    plot policies size
}
belady() {
    cp "$here/programs/belady.S" .
    "$CC" -nostdlib -static -no-pie -s -o belady belady.S
    sweep belady
    plot belady ways --y=D1mr --title='The anomaly of Belady: more places, more misses'
}
history() {
    inputs
    program nested
    sweep history
    plot history curve --x=history --y=Bc_miss_percent --title='How much history gshare needs'
}
# study [PROGRAM...]: three pictures of one sweep; of these programs only
study() {
    inputs
    program mm $bare
    rm -f "$OUT/study.runs.csv"
    { grep -v '^program ' "$here/study.exp" && for name in ${*:-'[a-z0-9]*'}; do grep "^program $name " "$here/study.exp"; done; } >study.exp
    alone "$QUERN" sweep -q -o "$OUT/study.runs.csv" study.exp
    # Rows by what stands in column sim, which no other column has.
    rows 'LL=[a-z]*' | relative lru LL_misses_of_lru ILmr DLmr DLmw >"$OUT/study-policies.runs.csv"
    rows 'default|D1=[a-z]*' | relative default D1_misses_of_none D1mr D1mw >"$OUT/study-prefetchers.runs.csv"
    rows '(bimodal|local|gshare|yags|2bcgskew|perceptron|hashed|mpp)-[0-9]*K|tournament|tage06|tagescl' >"$OUT/study-predictors.runs.csv"
    plot study-policies curve --x=program --y=LL_misses_of_lru --curve=sim --panel= --log=none --size=1200,800 \
        --title='Policies at an LL of 64 KiB: misses, lru = 1'
    plot study-prefetchers curve --x=program --y=D1_misses_of_none --curve=sim --panel= --log=none --size=1200,800 \
        --title='Prefetchers at a D1 of 8 KiB: misses, none = 1'
    plot study-predictors budget --curve=BC_module --size=1200,2400 --title='Predictors by their storage'
}
# relative BASE NAME EVENT...: a column more, with the sum of these events divided by that of the run of the same program whose sim is BASE. Commands may have
# commas, so columns behind the program are counted from the end.
relative() {
    awk -F, -v base="$1" -v name="$2" -v events="$(shift 2; echo "$*")" '
        NR == 1 { n = NF; for (i = 1; i <= NF; i++) at[$i] = i; print $0 "," name; next }
        {
            sum = 0
            for (i = split(events, event, " "); i > 0; i--) sum += $(NF - n + at[event[i]])
            line[NR] = $0; program[NR] = $2; sums[NR] = sum
            if ($(NF - n + at["sim"]) == base) base_of[$2] = sum
        }
        END { for (i = 2; i <= NR; i++) printf "%s,%.4f\n", line[i], sums[i] / base_of[program[i]] }'
}
# Modules without hashes, a sim without its slot.
rows() { grep -E "^quern,|,($1),[0-9]*,[0-9]*,[0-9]*," "$OUT/study.runs.csv" | sed 's/,\([a-z0-9]*\):[0-9a-f]\{16\},/,\1,/g; s/,\(LL\|D1\)=\([a-z]*\),/,\2,/'; }
predictors() {
    inputs
    sweep predictors
    plot predictors budget
}
phases() {
    inputs
    alone "$QUERN" run -q --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64 --branch-sim=yes \
        --interval=500000 --interval-file="$OUT/phases.intervals.csv" --out-file=phases.profile \
        ./cc1 -quiet -O2 mm.c -o /dev/null
    "$QUERN" plot time "$OUT/phases.intervals.csv" phases.profile --y=D1m%,I1mr%,Bcm% -o "$OUT/phases.svg" \
        --title='Phases of gcc: the compiler proper at work on programs/mm.c'
}

conflict() {
    cp "$here/programs/conflict.c" .
    "$CC" -O1 -g -fno-tree-vectorize -ffile-prefix-map="$PWD=." -I"$here/../../include" -o conflict conflict.c
    alone "$QUERN" watch -q --region=multiply --references=1200 --cache=lru:2048,2,64 --cache=lru:4096,4,64 -o "$OUT/conflict.html" ./conflict
}

branches() {
    program branches -g -fno-unroll-loops -ffile-prefix-map="$PWD=." $bare
    alone "$QUERN" watch -q --references=200 --predictor=bimodal:bits=6 --predictor=gshare:bits=6,gshare-history=6 -o "$OUT/branches.html" ./branches
}

case ${1-} in
branches | conflict | loops | machines | blocks | policies | belady | history | predictors | phases) "$1" ;;
study) "$@" ;;
all) for name in branches conflict loops machines blocks policies belady history predictors phases; do "$name"; done ;;
*)
    echo 'usage: run.sh branches|conflict|loops|machines|blocks|policies|belady|history|predictors|phases|all, or study [PROGRAM...]' >&2
    exit 2
    ;;
esac
