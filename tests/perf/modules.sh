#!/bin/sh
# modules.sh - what does a module cost over the default?  CPU time of a program under each, divided by that under the default.
#
#   sh tests/perf/modules.sh                         all that ship, gzip and a C++ program with maps
#   sh tests/perf/modules.sh -n 5 -m 'srrip tage'    five rounds, these modules only
#   sh tests/perf/modules.sh -m 'L2=default L2=stride LL=srrip D1=srrip+stride BI=ittage'       in other slots; three levels
#
# in:   QUERN (else build/quern), CXX (else g++), gzip
# out:  a line for each module: its slot, the ratios of the two programs.  Predictors are compared with branches simulated.
#
# Rounds are interleaved; of each the minimum counts.  Geometry as in bench.sh.
set -u

geometry='--I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64'
policies='lru fifo random plru nru lfu srrip brrip drrip ship shipplus dip eaf hawkeye pdp mockingjay'
levels='nowa writeback victim tlb nextline stride fpj ghb streambuf bop sms spp berti I1=fnlmma'
predictors='taken btfn onebit bimodal local global gshare tournament yags 2bcgskew perceptron hashed loop tage tage06 tagescl mpp'
modules="$policies $levels $predictors"
rounds=3 options='-n=rounds -m=modules'
. "$(dirname "$0")/begin.inc"
awk -v lines=40000 -f "$folder/input.awk" >log
cat >maps.cc <<'END'
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

int main()
{
    std::map<std::string, int> names;
    std::unordered_map<uint64_t, uint64_t> numbers;
    uint64_t x = 1, sum = 0;

    for (int i = 0; i < 60000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        names["name " + std::to_string(x >> 44)] += i;
        numbers[x >> 46] += x;
        sum += numbers.count(x >> 50);
    }
    for (const auto &n : names)
        sum += n.second;
    return sum == 42;
}
END
${CXX:-g++} -O2 -o maps maps.cc || exit 1

# measure FILE OPTIONS... -- PROGRAM...: the least CPU time of all rounds, in FILE.
measure() {
    file=$1
    shift
    rm -f record
    # shellcheck disable=SC2086 # words
    ./cpu record "$quern" run -q --out-file=profile $geometry "$@" >output 2>errors || return 1
    now=$(cut -d ' ' -f 1 record) # microseconds
    [ -s "$file" ] && [ "$(cat "$file")" -le "$now" ] || echo "$now" >"$file"
}

slot_of() {
    case $1 in *=*) echo "${1%%=*}"; return ;; esac
    case " $predictors " in *" $1 "*) echo BC ;; *) echo D1 ;; esac
}

branches_of() {
    case $1 in
    B?) echo --branch-sim=yes ;;
    L2) echo "--branch-sim=no --L2=262144,8,64" ;;
    *) echo --branch-sim=no ;;
    esac
}

# what it is compared with: predictors with the default ones, all else with two levels of default caches
base_of() { case $1 in B?) echo BC ;; *) echo D1 ;; esac; }
sim_of() { case $1 in L2=default) ;; *) echo "--sim=$(slot_of "$1")=${1#*=}" ;; esac; }

for round in $(seq "$rounds"); do
    for program in 'gzip -9nc log' ./maps; do
        for slot in D1 BC; do
            # shellcheck disable=SC2046,SC2086 # words
            measure "default-$slot-${program##*/}" $(branches_of $slot) -- $program
        done
        for module in $modules; do
            slot=$(slot_of "$module")
            # shellcheck disable=SC2046,SC2086 # words
            measure "$module-${program##*/}" $(branches_of "$slot") $(sim_of "$module") -- $program
        done
    done
done

printf '%-16s %-4s %8s %8s\n' module slot gzip maps
for module in $modules; do
    slot=$(slot_of "$module")
    printf '%-16s %-4s' "$module" "$slot"
    for program in 'gzip -9nc log' maps; do
        awk -v a="$(cat "$module-${program##*/}")" -v b="$(cat "default-$(base_of "$slot")-${program##*/}")" 'BEGIN { printf " %8.2f", a / b }'
    done
    echo
done
