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
row='README.md | fastest and slowest | made | ^chase | 1=1 2=2'
# What README says, with one digit after the point each.
fast=$(sed -n 's/^| fastest and slowest .* [a-z0-9]* \([0-9.]*\), .*/\1/p' README.md)
slow=$(sed -n 's/^| fastest and slowest .* [a-z0-9]* \([0-9.]*\) times native .*/\1/p' README.md)
more=$(awk "BEGIN { printf \"%.2f\", $slow + 0.1 }")
is "$(one "$row" "chase ${fast}4 ${slow}4")" 0 'a count that is the same in the digits that are written'
is "$(one "$row" "chase ${fast}4 $more")" 1 'one that differs'
ok '... is shown' grep -q "README.md:.* made .* $slow *$more *1\\.0[0-9]*  DIFFERS\$" "$SCRATCH/said"
is "$(one "$row" "chase ${fast}4 $more" time)" 0 'a time may differ'
is "$(one 'README.md | no such line | made | ^chase | 1=1' 'chase 1.24')" 1 'a line that the document does not have'
is "$(one 'README.md | fastest and slowest | made | ^sort | 1=1' 'chase 1.24')" 1 'one that is not printed'
is "$(one "$row" "chase ${fast}4")" 1 'a number that is not printed'
done_testing
