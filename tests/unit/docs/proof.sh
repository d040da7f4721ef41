#!/bin/sh
# Does `make proof` find each number that it is to make anew, and notice one that differs?  Measurements that take seconds are made here.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

cd "$top_srcdir" || bail 'no sources'
proof() { TABLE=$SCRATCH/table OUT=$SCRATCH/out sh tests/long/proof.sh "$top_builddir" "$@" >"$SCRATCH/said" 2>&1; }

cp tests/long/proof.table "$SCRATCH/table"
proof demo belady
is "$?" 0 'the demo and the anomaly of Belady have the numbers that are written' || diag "$(cat "$SCRATCH/said")"
is "$(grep -c ' 1\.000$' "$SCRATCH/said")" 8 '... which are eight'
is "$(sed -n 's/^[a-z]* = [a-z]*: .*sh \(\(doc\|tests\)[^ ]*\).*/\1/p' "$SCRATCH/table" | while read -r script; do [ -f "$script" ] || echo "$script"; done)" '' 'scripts of all measurements are there'

# one ROW PRINTED: the status with a measurement `made` that prints this, and a row
one() {
    printf 'made = %s: printf "%s"\n%s\n' "${3:-count}" "$2" "$1" >"$SCRATCH/table"
    proof made
    echo $?
}
is "$(one 'README.md | fastest and slowest | made | ^chase | 1=1 2=2' 'chase 1.24 12.86')" 0 'a count that is the same in the digits that are written'
is "$(one 'README.md | fastest and slowest | made | ^chase | 1=1 2=2' 'chase 1.24 12.96')" 1 'one that differs'
ok '... is shown' grep -q 'README.md:.* made .* 12.9 *12.96 *1.005  DIFFERS$' "$SCRATCH/said"
is "$(one 'README.md | fastest and slowest | made | ^chase | 1=1 2=2' 'chase 1.24 12.96' time)" 0 'a time may differ'
is "$(one 'README.md | no such line | made | ^chase | 1=1' 'chase 1.24')" 1 'a line that the document does not have'
is "$(one 'README.md | fastest and slowest | made | ^sort | 1=1' 'chase 1.24')" 1 'one that is not printed'
is "$(one 'README.md | fastest and slowest | made | ^chase | 1=1 2=2' 'chase 1.24')" 1 'a number that is not printed'
done_testing
