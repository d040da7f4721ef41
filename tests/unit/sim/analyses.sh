#!/bin/sh
# Do the analysis modules say what brute force says (tests/models/analyse.c): the class of every miss, the misses of a cache of
# every size and associativity, the counts of every interval, the misses of every set, those of D1s of other sizes?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

geometries='1024,2,32 4096,8,64 256,16,16 512,1,32'

# said FILE: what the module AN says, as the model prints it
said() {
    sed -n 's/^\(AN\.[a-z0-9-]*\) *\([0-9][0-9]*\)  .*/\1 \2/p; s/^\(AN: [0-9]* lines touched\).*/\1/p
        /^AN: [0-9]* \(lines\|ways\|bytes\): /p; /^AN: [0-9]* [0-9]* /p; /^AN: from /p' "$1"
}

# compare MODULE OPTIONS: on all traces and geometries
compare() {
    build_replay "$SCRATCH/replay" AN="$1"
    for kind in random cyclic stride zipf mixed; do
        for D1 in $geometries; do
            "$SCRATCH/model" "$SCRATCH/trace" "$SCRATCH/outcomes" kind=$kind n=4000 seed=5 an="$1" opt="$2" D1="$D1" >"$SCRATCH/wanted" ||
                bail "model $1"
            "$SCRATCH/replay" --I1=1024,2,32 --LL=4096,4,64 --D1="$D1" --sim-opt="$2" "$SCRATCH/trace" >"$SCRATCH/out" || return 1
            said "$SCRATCH/out" >"$SCRATCH/got"
            grep -v 'conflict misses' "$SCRATCH/wanted" | diff - "$SCRATCH/got" || { echo "$kind, $D1"; return 1; }
            worst_lines || { echo "$kind, $D1"; return 1; }
        done
    done
}

# The lines with the most conflict misses: each with its own count, and no line of the model has more than they.
worst_lines() {
    sed -n '/conflict misses/p' "$SCRATCH/out" >"$SCRATCH/worst"
    while IFS= read -r line; do
        grep -qxF "$line" "$SCRATCH/wanted" || { echo "not so: $line"; return 1; }
    done <"$SCRATCH/worst"
    counts() { sed -n 's/.*: \([0-9]*\) conflict misses/\1/p' "$1" | sort -rn | head -n 10 | tr '\n' ' '; }
    [ "$(counts "$SCRATCH/worst")" = "$(counts "$SCRATCH/wanted")" ] || { echo 'others have more'; return 1; }
}

build_model
ok 'three Cs' compare 3c ''
ok 'stack distances: 4 KiB to 64 MiB' compare mattson ''
ok '... from one line on' compare mattson smallest=1
ok 'stack distances: sizes and ways that are powers of two' compare mattson sets=16
ok 'stack distances: each size up to 300 lines, each number of ways up to 64' compare mattson sizes=300
ok '... with a number of sets of its own' compare mattson sizes=40,sets=5
ok 'intervals of 100 instructions' compare interval interval=100
ok 'intervals that have to be made longer' compare interval interval=1
ok 'misses by set' compare sets ''
ok 'D1s of other sizes' compare sizes ''
ok '... more of them' compare sizes smaller=11,larger=7
ok '... this one alone' compare sizes smaller=0,larger=0

"$SCRATCH/replay" --D1=4194304,65536,64 "$SCRATCH/trace" >/dev/null 2>"$SCRATCH/err"
is $? 70 '... of so many ways that they cannot be counted: none'
ok '... with the reason' grep -q 'a D1 of more than 65535 ways' "$SCRATCH/err"
done_testing
