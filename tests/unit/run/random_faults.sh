#!/bin/sh
# Random programs that fault (faults/random.c): do all ways of simulating count the same, and are instructions and references those of a program that
# is executed step by step?  QN_SEEDS=FIRST-LAST: the programs of these seeds, of which some do not end; `make faults` takes many.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/unit/run/faults/shapes.inc"

$CC -std=gnu11 -O1 -o random "$here/random.c" || bail 'random.c cannot be compiled'
pieces=40

references() { echo "$1" | cut -d' ' -f1,4,7; }

# alike: prints each way that differs from the first one, or from the steps
alike() {
    first= wrong=0
    while read -r way; do
        # shellcheck disable=SC2086
        got=$(counts $way)
        : "${first:=$got}"
        [ "$got" = "$first" ] || { wrong=1; echo "$way: $got; $first the first way"; }
        [ "$(references "$got")" = "$(references "$wanted")" ] || { wrong=1; echo "$way: $got; $wanted step by step"; }
    done <<END
--filter=yes
--batch=always
--no-filter
--check=yes
--sim=D1=lru --batch=always
--sim=I1=lru,LL=lru
--analysis=3c,sets,culprits
--analysis=sizes,mattson,latency
--data=use --calls=paths
--calls=yes --branch-sim=yes
END
    return $wrong
}

case ${QN_SEEDS:-} in
*-*) seeds=$(seq "${QN_SEEDS%-*}" "${QN_SEEDS#*-}") ;;
*) seeds='1 2 3 4 5' ;;
esac
for seed in $seeds; do
    ./random "$seed" $pieces >pieces.inc
    build $plain "-DPIECES=\"$PWD/pieces.inc\""
    if wanted=$(stepped 2>/dev/null); then
        ok "seed $seed" alike
    elif [ -z "${QN_SEEDS:-}" ]; then
        bail "seed $seed does not end"
    fi
done
done_testing
