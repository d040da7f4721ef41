#!/bin/sh
# Does each module agree with its slow model, reference by reference, on random and structured traces?  And filtered with
# unfiltered (--check)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

policies='default lru fifo random plru nru lfu srrip brrip drrip ship shipplus dip eaf hawkeye pdp mockingjay'
predictors='taken btfn onebit bimodal local global gshare tournament yags 2bcgskew perceptron hashed loop tage tage06 tagescl cachegrind'
geometries='1536,12,32:1536,6,32:7168,7,64 1024,2,32:1024,2,32:4096,4,64 2048,4,64:4096,8,32:16384,8,64 64,1,8:256,16,16:4096,16,32 1024,1,16:16,16,1:64,4,1'

# compare WHAT OPTIONS-OF-MODEL OPTIONS-OF-REPLAY
compare() {
    # shellcheck disable=SC2086
    "$SCRATCH/model" "$SCRATCH/trace" "$SCRATCH/wanted" $2 || bail "model $2"
    for mode in --check=no --check=yes; do
        # shellcheck disable=SC2086
        "$program" $3 $mode --outcomes="$SCRATCH/got" "$SCRATCH/trace" >"$SCRATCH/out" 2>&1
        [ $? -eq 0 ] && cmp -s "$SCRATCH/wanted" "$SCRATCH/got" && continue
        diag "model $2; replay $3 $mode: $(tail -n 1 "$SCRATCH/out")"
        diag "first difference at reference $(cmp -l "$SCRATCH/wanted" "$SCRATCH/got" | head -n 1 | awk '{ print int(($1 + 2) / 3) }')"
        return 1
    done
}

# compare_policy POLICY MODEL [OPTIONS]
compare_policy() {
    seed=1
    for kind in random cyclic stride zipf mixed; do
        for g in $geometries; do
            I1=${g%%:*} LL=${g##*:} D1=${g#*:} D1=${D1%:*} seed=$((8 - seed)) # 7 and 1 in turn: of each kind and of each geometry both
            compare "$1" "kind=$kind n=6000 seed=$seed modelseed=$seed policy=$2 opt=${3-} I1=$I1 D1=$D1 LL=$LL" \
                "--I1=$I1 --D1=$D1 --LL=$LL --seed=$seed ${3:+--sim-opt=$3}" || return 1
        done
    done
}

build_model
program=$SCRATCH/replay
for policy in $policies; do
    link_replay "$program" I1="$policy" D1="$policy" LL="$policy"
    model=$policy
    [ "$policy" = default ] && model=lru
    ok "$policy in I1, D1 and LL is its model" compare_policy "$policy" "$model"
    case $policy in # with another option, what happens only later without it
    pdp) for options in pdp-period=700 pdp-distance=20; do ok "... with $options" compare_policy pdp pdp $options; done ;;
    esac
done

# small BC: options that make it small, so that branches get into each other's way
small() {
    case $1 in
    onebit | bimodal) echo bits=6 ;;
    local) echo local-branches=4,local-history=6 ;;
    global) echo global-history=5,global-branches=3 ;;
    gshare) echo bits=8,gshare-history=8 ;;
    perceptron) echo perceptrons=3,perceptron-history=63 ;;
    yags) echo yags-choice=5,yags-cache=4 ;;
    2bcgskew) echo gskew-bits=5 ;;
    hashed) echo hashed-tables=16,hashed-bits=6,hashed-segment=4 ;;
    loop) echo loop-sets=0,bits=3 ;;
    esac
}
# on_branches BC BI OPTIONS: few branches with patterns, branches at many places, and loops
on_branches() {
    for kind in 'branches n=20000' 'sites n=20000' 'nest9 n=2000'; do
        compare "$1" "kind=$kind seed=1 bc=$1 bi=$2 opt=$3" "${3:+--sim-opt=$3}" || return 1
    done
}
for bc in $predictors; do
    link_replay "$program" BC="$bc" BI=btb
    ok "$bc and btb are their models" on_branches "$bc" btb ''
    [ -z "$(small "$bc")" ] || ok "$bc with $(small "$bc") is its model" on_branches "$bc" btb "$(small "$bc")"
done
for geometry in btb-sets=0,btb-ways=3 btb-sets=10,btb-ways=1 btb-sets=4,btb-ways=64; do
    ok "btb with $geometry is its model" on_branches cachegrind btb $geometry
done
link_replay "$program" BI=btb2
for geometry in '' btb-sets=0,btb-ways=2,btb2-sets=1,btb2-ways=4; do
    ok "btb2${geometry:+ with $geometry} is its model" on_branches cachegrind btb2 "$geometry"
done
link_replay "$program" BI=ras
ok 'ras with 8 bits of last targets is its model' on_branches cachegrind ras bits=8
for depth in 1 3 16 4096; do
    ok "ras of $depth entries is its model" compare ras "kind=calls n=20000 seed=1 bi=ras opt=ras-depth=$depth" "--sim-opt=ras-depth=$depth"
done
link_replay "$program" BI=ittage
ok 'ittage is its model' on_branches cachegrind ittage ''
link_replay "$program" BC=tage06 BI=ras
ok 'tage06 beside ras is its model: the path has calls and returns' compare tage06 'kind=paths n=20000 seed=1 bc=tage06 bi=ras' ''
ok '... when useful entries have aged' compare tage06 'kind=paths n=500000 seed=2 bc=tage06 bi=ras' ''
link_replay "$program" BC=tagescl
ok 'tagescl is its model when useful entries have aged' compare tagescl 'kind=sites n=200000 seed=2 bc=tagescl' ''
link_replay "$program" BC=tage
ok 'tage is its model when useful entries have aged' compare tage 'kind=sites n=400000 seed=2 bc=tage' ''

# opt cannot be run twice in step, so no --check; its model looks for the next use by walking the trace.
link_replay "$program" D1=opt
for bypass in 0 1; do
    for kind in random cyclic zipf; do
        "$SCRATCH/model" "$SCRATCH/trace" "$SCRATCH/wanted" kind=$kind n=2000 policy=opt llpolicy=lru D1=512,4,32 opt=opt-bypass=$bypass
        "$program" --D1=512,4,32 --LL=4096,4,64 --sim-opt=opt-bypass=$bypass --outcomes="$SCRATCH/got" "$SCRATCH/trace" >/dev/null
        ok "opt with opt-bypass=$bypass is its model, $kind" cmp "$SCRATCH/wanted" "$SCRATCH/got"
    done
done

done_testing
