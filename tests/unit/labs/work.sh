#!/bin/sh
# Are points for work only?  cheats/ has, for the tests of the labs, the cheapest code that could pass without the idea; honest/ has right
# solutions of an unusual kind.
#
#   /* lab 8 profile.c: what it does                    files of the starter that it replaces; "over the solution": of the solution
#    * a counter | Zipf */                              tests, by a part of their names, of which a cheat passes none, and honest code all
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out
solutions=$top_srcdir/labs/solutions

# try CODE: of each name in its head, how many tests pass, and how many there are.
try() {
    code=$1
    lab=$(sed -n '1s/^[^0-9]* lab \([0-9]*\) .*/\1/p' "$code")
    files=$(sed -n '1s/^[^0-9]* lab [0-9]* \([^:]*\):.*/\1/p' "$code" | sed 's/ over the solution//')
    tests=$(sed -n '2,/\*\//s/^ \* \(.*\) \*\/$/\1/p' "$code")
    what=$(basename "$code" .c)
    from=$top_srcdir/labs/$(printf %02d "$lab")-*/starter
    if [ "$2" = honest ] || sed 1q "$code" | grep -q 'over the solution'; then
        from=$solutions/$(printf %02d "$lab")-*
        [ -d "$solutions" ] || { skip "$what: the solutions are not here: this is a release" 1; return; }
    fi
    rm -rf "$SCRATCH/in"
    cp -r $from "$SCRATCH/in"
    for file in $files; do
        cp "$code" "$SCRATCH/in/$file"
    done
    case $tests in *\|*) only='' ;; *) only=$tests ;; esac
    "$QUERN" lab check --case-seed=7 --seed=1 --only="$only" "$lab" "$SCRATCH/in" >"$out" 2>&1
    grep '^ok\|^not ok' "$out" >"$SCRATCH/results"
    echo "$tests" | sed 's/ *| */\n/g' | while read -r name; do
        echo "$name: $(grep -F -- "$name" "$SCRATCH/results" | grep -c '^ok') of $(grep -cF -- "$name" "$SCRATCH/results")"
    done >"$SCRATCH/judged"
}

for code in "$top_srcdir"/tests/unit/labs/cheats/*.c; do
    try "$code" cheat
    [ -s "$SCRATCH/judged" ] || continue
    is "$(grep -v ': 0 of [1-9]' "$SCRATCH/judged")" '' "$what earns nothing" || diag "$(cat "$out")"
done
for code in "$top_srcdir"/tests/unit/labs/honest/*.c; do
    [ -e "$code" ] || continue
    try "$code" honest
    is "$(sed 's/.*: \([0-9]*\) of \1$//' "$SCRATCH/judged" | grep .)" '' "$what has full marks" || diag "$(cat "$out")"
done
done_testing
