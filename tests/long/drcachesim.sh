#!/bin/sh
# drcachesim.sh BUILD DYNAMORIO [PROGRAM...] - compares misses with those of DynamoRIO's drcachesim, of whose sources (a checkout) only the
# simulator is compiled: two and three levels, two with an inclusive and an exclusive LL, next-line prefetchers at each level.
#
# Prints a line for each: misses of D1, L2, LL here, and what differs there.  drcachesim looks up each line of a reference by itself, so
# the references of the traces are cut at lines first.
set -u
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
build=$(cd "$1" && pwd) from=$(cd "$2" && pwd)/clients/drcachesim here=$(cd "$(dirname "$0")" && pwd) quern=$(cd "$1" && pwd)/quern
shift 2
[ $# -gt 0 ] || set -- "gzip -c $build/config.status" "sort $build/config.status" 'true'
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work"' EXIT

s=$from/simulator
g++ -std=c++17 -O2 -w -DLINUX -DX86_64 -DX64 -DUNIX '-DTESTANY(m,v)=(((m)&(v))!=0)' '-DTESTALL(m,v)=(((m)&(v))==(m))' -I"$from/../../common" \
    -I"$s" -I"$from/common" -I"$from" -I"$from/reader" -I"$from/../../ext/droption" -I"$from/../../core/lib" -I"$from/../../core" "$here/drcachesim.cpp" \
    "$s"/cache.cpp "$s"/caching_device.cpp "$s"/cache_stats.cpp "$s"/caching_device_stats.cpp "$s"/policy_lru.cpp "$s"/prefetcher.cpp \
    "$s"/snoop_filter.cpp -o drcachesim || exit 1

# MODULES at the slots of each replay
for one in none: inclusive:LL=inclusive exclusive:I1=lru,D1=lru,LL=exclusive D1:D1=nextline LL:LL=nextline; do
    modules=$(echo "${one#*:}" | sed 's/\([A-Z][A-Z0-9]=\)/--\1/g; s/,/ /g')
    # shellcheck disable=SC2086 # options are words
    "$quern" sim build --replay $modules -o "./${one%%:*}" || exit 1
done

cut_at_lines() {
    perl -ne 'next unless /^(I| [LSM]) +([0-9a-f]+),(\d+)/; my ($kind, $at, $left) = ($1, hex $2, $3);
              while ($left > 0) { my $n = 64 - $at % 64; $n = $left if $left < $n;
                                  printf "%s %x,%d\n", $kind eq "I" ? "I " : $kind, $at, $n; $at += $n; $left -= $n }'
}

misses() { sed -n 's/^\(I1\|D1\|L2\|LL\)  *misses: *\([0-9,]*\).*/\1 \2/p' "$1" | tr -d , | sort -u; }

# compare NAME REPLAY L2 INCLUSION PREFETCH OPTION: of LL the misses of both kinds
compare() {
    # shellcheck disable=SC2086
    "./$2" --I1=8192,2,64 --D1=8192,4,64 ${3:+--L2=$3} --LL=131072,8,64 --branch-sim=no $6 trace >said 2>&1 || { cat said; exit 1; }
    ./drcachesim trace 8192,2,64 8192,4,64 "${3:--}" 131072,8,64 "$4" "$5" >there || exit 1
    misses said >ours
    awk -v name="$1" 'NR == FNR { here[$1] = $2; next } { line = line "  " $1 " " here[$1]; if (here[$1] != $3) { line = line " (" $3 " there)" } }
        END { print name ":" line }' ours there
}

for program in "$@"; do
    # shellcheck disable=SC2086
    "$quern" trace --format=lackey -o whole $program >/dev/null 2>&1 || exit 1
    cut_at_lines <whole | head -n 3000000 >trace
    echo "== $program: $(wc -l <trace) references"
    for L2 in '' 32768,4,64; do
        n=${L2:+three} n=${n:-two}
        compare "$n levels" none "$L2" n none ''
        # an L2 that is not inclusive does not pass on there what an inclusive LL takes away
        [ "$L2" ] || compare "$n levels, inclusive LL" inclusive "$L2" i none ''
        [ "$L2" ] || compare "$n levels, exclusive LL" exclusive "$L2" e none ''
        for how in '' -; do # theirs; one that lets alone what is there, as quern's
            compare "$n levels, next line at D1$how" D1 "$L2" n "${how}D1" ''
            compare "$n levels, next line at LL$how" LL "$L2" n "${how}LL" ''
            [ ! "$L2" ] || compare "$n levels, next line at L2$how" LL "$L2" n "${how}L2" --at-L2=yes
        done
    done
done
