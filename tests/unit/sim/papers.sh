#!/bin/sh
# Are DIP, Hawkeye, best-offset at the L2, Berti, FNL+MMA, a decoupled sectored cache, the multiperspective perceptron, TAGE and ITTAGE what a model in
# Python makes of their papers and of a trace as text, reference by reference?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v python3 >/dev/null || absent_all 'no python3' 42
model=$top_srcdir/tests/models/papers.py
head -c 3000 "$0" >"$SCRATCH/input"
"$QUERN" trace -q -o "$SCRATCH/trace" -- gzip -c "$SCRATCH/input" >/dev/null 2>&1 || bail 'cannot trace gzip'

# traced MODULES OPTION...: the trace as text, with what quern says of it
traced() {
    modules=$1 options=
    shift
    for option in "$@"; do options="$options --$option"; done
    # shellcheck disable=SC2086 # options are words
    "$QUERN" replay --sim="$modules" $options --outcomes="$SCRATCH/text" --format=text "$SCRATCH/trace" >"$SCRATCH/out" || bail "replay $modules"
}

# agrees NAME MODULES OPTION...: as traced; the model says the same of all, and of another module something else
agrees() {
    name=$1 modules=$2 slot=${2%=*}
    shift 2
    traced "$modules" "$@"
    said=$(python3 "$model" "$name" "$@" <"$SCRATCH/text") said_with="$name $*"
    is "$(echo "$said" | sed 's/^[0-9]* //')" 'compared, 0 differ' "$modules is the model in Python"
    ok '... on many references or branches' test "${said%% *}" -gt 100
    case $slot in B?) other=$slot=default ;; *) other=$slot=fifo ;; esac
    for option in "$@"; do # of the other module, no options
        shift
        case $option in sim-opt=*) ;; *) set -- "$@" "$option" ;; esac
    done
    traced "$other" "$@"
    ok '... which says otherwise of another module' sh -c "python3 '$model' $said_with <'$SCRATCH/text' | grep -q ' [1-9][0-9]* differ'"
}

agrees dip D1=dip I1=32768,8,64 D1=2048,4,64 LL=65536,8,64 seed=7
agrees dip D1=dip I1=32768,8,64 D1=8192,2,64 LL=65536,8,64 seed=7
agrees hawkeye LL=hawkeye I1=1024,2,64 D1=2048,4,64 LL=16384,8,64
agrees bop L2=bop I1=1024,2,64 D1=2048,4,64 L2=8192,4,64 LL=32768,8,64
agrees berti D1=berti I1=32768,8,64 D1=2048,4,64 LL=65536,8,64
agrees berti D1=berti I1=32768,8,64 D1=8192,2,64 LL=16384,4,64 sim-opt=berti-latency=7
agrees fnlmma I1=fnlmma I1=2048,2,64 D1=4096,4,64 LL=65536,8,64 seed=3 sim-opt=mma-bits=4,fnl-bits=13
agrees fnlmma I1=fnlmma I1=4096,4,32 D1=4096,4,64 LL=16384,8,64 seed=3 sim-opt=mma-ahead=2,fnl-lines=3
agrees decoupled D1=decoupled I1=32768,8,64 D1=4096,1,64 LL=65536,8,64
agrees decoupled D1=decoupled I1=32768,8,64 D1=4096,4,32 LL=65536,8,64 sim-opt=sector-lines=8,sector-tags=5
agrees mpp BC=mpp sim-opt=mpp-entries=100
agrees tage06 BC=tage06 seed=7
agrees ittage BI=ittage

# The walker's reads are in the LL, so each outcome there depends on them; its events are totals.
walker=sim-opt=walker=1,tlb-entries=4,tlb-ways=2,stlb-entries=8,stlb-ways=4,pde-entries=2,pdpte-entries=1,pml4e-entries=1
traced D1=tlb I1=32768,8,64 D1=8192,4,64 LL=16384,4,64 $walker
sed -n 's/^\(D1\.[a-z-]*-\(misses\|refs\)\) *\([0-9]*\)  .*/\1 \3/p' "$SCRATCH/out" | sort >"$SCRATCH/events"
python3 "$model" tlb I1=32768,8,64 D1=8192,4,64 LL=16384,4,64 $walker <"$SCRATCH/text" >"$SCRATCH/said"
is "$(grep D1 "$SCRATCH/said" | sort)" "$(cat "$SCRATCH/events")" 'D1=tlb with a walker: the events of the model'
is "$(sed '/D1/d; s/^[0-9]* //' "$SCRATCH/said")" 'compared, 0 differ' '... and each reference, in the LL that the walks share'
ok '... of many walks, of different lengths' awk '/stlb/ { walks = $2 } /walk-refs/ { refs = $2 } END { exit !(walks > 100 && refs > walks && refs < 4 * walks) }' "$SCRATCH/events"
done_testing
