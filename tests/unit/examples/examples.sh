#!/bin/sh
# Do the examples of doc/examples still come out?  The cheap ones are made anew: counts of the reference string are known from its
# authors; where the compiled program is the same as then (by its build-id) every row must be the same; and what the README says of
# each picture must be so in any case.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
examples=$top_srcdir/doc/examples
OUT=$SCRATCH/out
export OUT

# build_ids FILE, and rows without what belongs to this version of quern and its modules
cells() { # cells FILE COLUMN...
    file=$1
    shift
    sed 's/"[^"]*"/quoted/g' "$file" | awk -F, -v names="$*" 'NR == 1 { n = split(names, want, " "); for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (k = 1; k <= n; k++) printf "%s%s", $at[want[k]], k < n ? " " : "\n" }'
}
counts='Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw'
made() {
    ok "$1 is made" sh "$examples/run.sh" "$1"
}
# as_shown NAME: one that README shows comes out as it is there
as_shown() {
    made "$1"
    is "$(head -n 1 "$OUT/$1.runs.csv" | cut -d, -f1-24)" "$(head -n 1 "$examples/$1.runs.csv" | cut -d, -f1-24)" '... the same columns'
    is "$(wc -l <"$OUT/$1.runs.csv")" "$(wc -l <"$examples/$1.runs.csv")" '... as many rows'
    if [ "$(cells "$OUT/$1.runs.csv" build_id)" = "$(cells "$examples/$1.runs.csv" build_id)" ]; then
        # shellcheck disable=SC2086
        is "$(cells "$OUT/$1.runs.csv" $counts)" "$(cells "$examples/$1.runs.csv" $counts)" '... with the same counts'
        same_file "$OUT/$1.csv" "$examples/$1.csv" '... drawn so'
    else
        skip 'the compiler makes another program than the one that was counted' 2
    fi
    same_file "$OUT/$1.gp" "$examples/$1.gp" '... by the same script'
    ok '... drawn of what is there: the data of the script' grep -q "'$1.csv'" "$examples/$1.gp"
    ok '... and README has the picture' grep -q "doc/examples/$1.svg" "$top_srcdir/README.md"
}
# value NAME X COLUMN: of a picture's data
value() {
    awk -F, -v x="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } $1 == x { print $c }' "$OUT/$1.csv"
}
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# Belady, Nelson, Shedler 1969: FIFO 9 and 10.  LRU by hand: 10 and 8.
made belady
is "$(cat "$OUT/belady.csv")" 'D1_ways,lru,fifo
1,12,12
2,12,12
3,10,9
4,8,10
5,5,5' 'FIFO misses more with four places than with three'
is "$(cells "$OUT/belady.runs.csv" Dr Dw | sort -u)" '12 0' 'twelve references in all'

as_shown loops
for order in ijk jik; do
    ok "n = 200: $order misses more than 1 in 2 references" less 50 "$(value loops 200 $order)"
done
for order in jki kji; do
    ok "$order misses in two of three: 66.7%, and little else" less 66 "$(value loops 200 $order)"
    ok '... and no more: (2n + 1) / (3n + 1)' less "$(value loops 200 $order)" 66.7222
done
for order in kij ikj; do
    ok "$order misses at most 1/4 in 3: 8.3%" less "$(value loops 200 $order)" 8.4
done

as_shown machines
cycles() { awk -F, -v m="$1" -v name="n $2: $3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } $1 == m { print $c }' "$OUT/machines.csv"; }
twice() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(2 * a < b) }'; }
for machine in mips-r3000 pentium core2 skylake zen4 apple-m1; do
    case $machine in
    mips-r3000 | apple-m1) ok "$machine, n = 128: jki costs more than kij" less "$(cycles $machine 128 kij)" "$(cycles $machine 128 jki)" ;;
    *) ok "$machine, n = 128: jki costs more than twice as much as kij" twice "$(cycles $machine 128 kij)" "$(cycles $machine 128 jki)" ;;
    esac
done
for machine in pentium pentium4; do
    ok "$machine, n = 120: jki costs more than kij" less "$(cycles $machine 120 kij)" "$(cycles $machine 120 jki)"
done
for machine in alpha-21264 core2 zen4; do
    ok "$machine, n = 120: it does not" less "$(cycles $machine 120 jki)" "$(cycles $machine 120 kij)"
done

made blocks
ok '8 x 8 is better than no blocks in 2 KiB' less "$(value blocks 8 '2 KiB')" "$(value blocks 128 '2 KiB')"
ok '... and than single elements' less "$(value blocks 8 '2 KiB')" "$(value blocks 1 '2 KiB')"
ok 'a larger cache has room for larger blocks: 32 x 32' less "$(value blocks 32 '32 KiB')" "$(value blocks 16 '32 KiB')"

# The study, of one program: every simulator has a row, and a predictor has the bits that its name says, in KiB, at most a fifth more.
ok 'study is made' sh "$examples/run.sh" study mm
is "$(cells "$OUT/study.runs.csv" status | sort | uniq -c | tr -s ' ')" ' 59 ok' '... a run of each simulator'
is "$(for part in policies prefetchers predictors; do printf '%s ' $(($(wc -l <"$OUT/study-$part.runs.csv") - 1)); done)" '14 10 35 ' '... 14 policies, 9 prefetchers and none, 35 predictors'
is "$(cells "$OUT/study-predictors.runs.csv" sim BC_bits | awk '{ n = split($1, part, "-"); k = n > 1 ? part[2] + 0 : 9; if ($2 > k * 8192 * 1.2 || $2 < 1000) print }')" '' \
    '... predictors in their budgets'
for part in policies prefetchers predictors; do ok "... a picture of $part" test -s "$OUT/study-$part.svg"; done

made conflict
made branches
# The page of a conflict: misses of both caches, most of them conflicts, lines with the names of the matrices.
page() { sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$OUT/conflict.html" | sed 's/.*id="data">//; s/<\/script>$//' | jq -c "$1"; }
if command -v jq >/dev/null; then
    is "$(page '[(.steps | length), .caches[].sets, (.objects | map(select(. == "a" or . == "b" or . == "c")) | length)]')" '[1200,16,16,3]' 'conflict: as its command says'
    is "$(page '.caches[0].steps | [.[][1][2] | select(. == "conflict")] | length > 100')" true '... there are conflicts'
    is "$(page '[.caches[].steps | [.[][0] % 2] | add] | .[1] < .[0]')" true '... the larger cache misses less'
else
    absent 'jq is not installed' 3
fi
for file in "$examples"/*.exp; do
    ok "$(basename "$file") can be read" sh -c "cd '$OUT/work' && for p in nested blocked mm belady cc1; do [ -e \$p ] || ln -s /bin/true \$p; done &&
        '$QUERN' sweep --list '$file' >/dev/null || ! command -v sqlite3 python3 gzip"
done
done_testing
