#!/bin/sh
# An L2 and a last level with any number of sets: is each reference of random streams what slow models say, and each event of programs, however they are simulated?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/models/models.inc"

guests=$top_builddir/tests/guest

# D1:L2:LL; the sets of the LL are 3, 5, 24, 40, 7, 24, 40, of the L2 16, 16, 8, 10, 15
geometries='1024,2,32::768,8,32 1024,4,64::3840,12,64 512,1,32:1024,2,32:8448,11,32 2048,4,64:4096,4,64:30720,12,64 512,1,64:1024,2,64:1792,4,64
512,1,32:960,3,32:8448,11,32 2048,4,64:3840,4,64:30720,12,64'

everywhere() {
    for kind in random cyclic stride zipf mixed; do
        for g in $geometries; do
            d1=${g%%:*} ll=${g##*:} l2=${g#*:} l2=${l2%:*}
            ./model trace wanted kind=$kind n=6000 seed=5 d1=lru ll="$1" I1="$d1" D1="$d1" ${l2:+L2="$l2"} LL="$ll" >/dev/null || bail model
            for check in no yes; do
                ./replay --I1="$d1" --D1="$d1" ${l2:+--L2="$l2"} --LL="$ll" --check=$check --outcomes=got trace >log 2>&1 && cmp wanted got && continue
                echo "$kind, $g, check $check: $(tail -n 1 log)"
                return 1
            done
        done
    done
}

build_model
for ll in lru inclusive; do
    # shellcheck disable=SC2046
    build_replay ./replay $([ $ll = lru ] || echo LL=$ll)
    ok "LL=$ll: each reference as the model says" everywhere $ll
done

# ---- programs: the totals of a run are those of the references of its trace ----

# of TEXT: ILmr DLmr DLmw
misses_of() {
    awk '$1 ~ /^[irwm]$/ { kind = $1 == "m" ? "r" : $1; n[kind] += $NF == "miss" } END { print n["i"] + 0, n["r"] + 0, n["w"] + 0 }' "$1"
}
misses() { sed -n 's/^events: //p; s/^summary: //p' "$1" | awk 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 2 { print $at["ILmr"], $at["DLmr"], $at["DLmw"] }'; }

for guest in recursion sort strings rep straddle; do
    [ -x "$guests/$guest" ] || bail "there is no $guest: make guests"
    for caches in --LL=8448,12,64 '--L2=2048,4,64 --LL=7040,10,64' '--L2=3840,4,64 --LL=7040,10,64' --L2=7040,10,64; do
        caches="--I1=1024,2,64 --D1=1024,4,64 $caches"
        # shellcheck disable=SC2086
        "$QUERN" trace --format=text -o text $caches "$guests/$guest" >log 2>&1
        for mode in --filter=yes --filter=no --batch=always --batch=often --check=yes --calls=yes --sim=LL=lru; do
            # shellcheck disable=SC2086
            "$QUERN" run -q $caches $mode --out-file=profile "$guests/$guest" >log 2>&1
            is "$(misses profile) $(cat log)" "$(misses_of text) " "$guest $mode, $caches"
        done
    done
done

# ---- other commands ----

"$QUERN" run --LL=7040,11,64 --analysis=sets --out-file=sets true >log 2>&1
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["cache"] == "LL" { n += $at["misses"] } END { print n }' sets.sets.csv)" \
    "$(misses sets | awk '{ print $2 + $3 }')" 'analysis sets: misses of all sets are those of the run'
"$QUERN" sweep -q -o sweep.csv -L 'LL=7040,11,64;8192,8,64;8448,12,64' --D1=1024,4,64 --I1=1024,2,64 -- "$guests/sort" >log 2>&1
"$QUERN" run -q --processors=4 --LL=7040,11,64 --D1=1024,4,64 --I1=1024,2,64 --out-file=alone "$guests/sort"
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $at["LL_size"] == 7040 { print $at["ILmr"], $at["DLmr"], $at["DLmw"] }' sweep.csv)" \
    "$(misses alone)" 'a row of a sweep is the run'
for level in I1 D1; do
    is "$("$QUERN" run --$level=7040,11,64 --LL=65536,4,64 true 2>&1)" "quern: run: --$level=7040,11,64: number of sets: got 10, wanted a power of two" "--$level is refused"
done
done_testing
