#!/bin/sh
# Does each whole level agree with its slow model (tests/models/levels.c): every reference, every event, filtered (--check) and
# not, on random and structured traces and several geometries?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

# I1:D1:LL
geometries='1024,2,32:1024,2,32:4096,4,32 2048,4,64:4096,8,32:16384,8,64 64,1,16:256,16,16:4096,16,16 512,1,32:256,1,64:1024,1,64'

# said: events and remarks of the modules, as the model prints them
said() {
    sed -n 's/^\([A-Z0-9]*\.[a-z0-9-]*\) *\([0-9][0-9]*\)  .*/\1 \2/p; /dirty lines at the end/p; /coverage/p' "$1" | grep -v 'evictions\| 0$' | sort
}

# compare MODEL-OPTIONS REPLAY-OPTIONS
compare() {
    # shellcheck disable=SC2086 # options are words
    "$SCRATCH/model" "$SCRATCH/trace" "$SCRATCH/wanted" $1 | sort >"$SCRATCH/wanted.events" || bail "model $1"
    for check in no yes; do
        # shellcheck disable=SC2086
        "$SCRATCH/replay" $2 --check=$check --outcomes="$SCRATCH/got" "$SCRATCH/trace" >"$SCRATCH/out" 2>&1
        status=$?
        said "$SCRATCH/out" >"$SCRATCH/got.events"
        [ $status -eq 0 ] && cmp -s "$SCRATCH/wanted" "$SCRATCH/got" && cmp -s "$SCRATCH/wanted.events" "$SCRATCH/got.events" && continue
        echo "model $1; replay $2 --check=$check: status $status, $(tail -n 1 "$SCRATCH/out")"
        echo "first difference at reference $(cmp -l "$SCRATCH/wanted" "$SCRATCH/got" | head -n 1 | awk '{ print int(($1 + 2) / 3) }')"
        diff "$SCRATCH/wanted.events" "$SCRATCH/got.events"
        return 1
    done
}

# Above the default LL all kinds of traces; above another, those that fill both.
everywhere() {
    kinds='random cyclic stride zipf mixed'
    [ "$ll" = lru ] || kinds='random mixed'
    for kind in $kinds; do
        for g in $geometries; do
            I1=${g%%:*} LL=${g##*:} D1=${g#*:} D1=${D1%:*}
            compare "kind=$kind n=4000 seed=3 d1=$d1 ll=$ll opt=$opt I1=$I1 D1=$D1 LL=$LL" \
                "--I1=$I1 --D1=$D1 --LL=$LL ${opt:+--sim-opt=$opt}" || return 1
        done
    done
}

# level D1 LL OPTIONS: the models' words; the modules are the same
level() {
    d1=$1 ll=$2 opt=$3 modules=
    [ "$d1" = lru ] || modules="D1=$d1"
    [ "$ll" = lru ] || modules="$modules LL=$ll"
    [ "$ll" != exclusive ] || modules="I1=lru D1=$d1 LL=exclusive"
    # shellcheck disable=SC2086
    link_replay "$SCRATCH/replay" $modules
    ok "D1=$d1 LL=$ll${opt:+ with $opt} is its model" everywhere
}

build_model
level nextline lru 'tagged=1'
level nextline lru 'degree=3'
level nextline lru 'tagged=1,degree=2'
level stride lru 'degree=2,regions=4'
level fpj lru 'table=4'
level ghb lru ''
level ghb lru 'ghb=32,ghb-table=2,ghb-degree=3'
level nextline shipplus 'tagged=1'
level spp shipplus ''
level nextline mockingjay 'degree=2'
level streambuf lru 'stream-buffers=2,stream-depth=3'
level bop lru ''
level bop lru 'bop-page-bits=20'
level sms lru 'sms-regions=4,sms-patterns=256'
level spp lru ''
level tlb lru 'tlb-entries=4,tlb-ways=1,stlb-entries=8,stlb-ways=8,page-bits=10'
level victim lru 'victim-lines=1'
level writeback l2 'l2-size=8192,l2-ways=1'
for array in skewed zcache waypred writebuf; do level $array lru ''; done
for array in skewed zcache ceaser; do level lru $array ''; done
level lru ceaser 'ceaser-period=3'
level waypred ceaser 'ceaser-period=0'
level zcache skewed 'zcache-levels=1'
level zcache inclusive ''
level skewed inclusive ''
level lru sectored 'sector-lines=8'
level writebuf inclusive 'write-buffer=1'
all_geometries=$geometries
geometries='1024,2,32:1024,2,32:4096,4,32 2048,4,64:4096,8,32:16384,8,64 64,1,16:256,1,16:4096,16,16'
level sectored lru 'sector-lines=2'
level zcache lru 'zcache-levels=3'
level sectored inclusive 'sector-lines=8'
geometries=$all_geometries

# ---- every level in D1 above every one in LL: its model, or refused by name ----

# refused WHAT TEXT MODULES...: with these modules, at the start
refused() {
    text=$1
    shift
    link_replay "$SCRATCH/replay" "$@"
    "$SCRATCH/replay" "$SCRATCH/trace" >"$SCRATCH/out" 2>&1
    is "$? $(sed 's/^quern: replay: //' "$SCRATCH/out")" "70 $text" "$* is refused"
}

for ll in lru exclusive inclusive l2 victim; do
    case $ll in l2) options=l2-size=2048,l2-ways=2 ;; victim) options=victim-lines=4 ;; *) options= ;; esac
    for d1 in lru nowa writeback victim nextline stride fpj ghb tlb; do
        case $d1:$ll in
        lru:exclusive | writeback:exclusive) level $d1 $ll '' ;;
        *:exclusive)
            refused "module exclusive in slot LL, init, reference 0: cannot stand below D1=$d1, which does not tell which lines it gives up; any policy by name does, as D1=lru" \
                I1=lru D1=$d1 LL=exclusive ;;
        *) level $d1 $ll "$options" ;;
        esac
    done
done
for modules in 'D1 I1=lru LL=exclusive' 'I1 D1=lru LL=exclusive' 'I1 I1=tlb D1=lru LL=exclusive'; do
    slot=${modules%% *} name=default
    case $modules in *tlb*) name=tlb ;; esac
    # shellcheck disable=SC2086
    refused "module exclusive in slot LL, init, reference 0: cannot stand below $slot=$name, which does not tell which lines it gives up; any policy by name does, as $slot=lru" ${modules#* }
done
sed '/LEVEL_DROP/d; s/cachesim_X_drop/nobody_drops/; s/#define LEVEL "victim"/#define LEVEL "keeps"/' "$top_srcdir/lib/sim/level/victim.c" >"$SCRATCH/keeps.c"
refused 'module inclusive in slot LL, init, reference 0: cannot stand below D1=keeps, which does not let lines be taken away; any policy by name does, as D1=lru' \
    D1="$SCRATCH/keeps.c" LL=inclusive

# ---- prefetchers below level 1: at the LL; below a prefetcher; at an L2 (three_levels.sh) ----

for ll in nextline stride fpj ghb bop; do level lru $ll pollution=1; done
level nextline stride 'pollution=1,regions=4'

# ---- each in its slots only ----

for one in nowa writeback writebuf waypred tlb; do
    slots='I1 D1'
    case $one in nowa | writeback | writebuf) slots=D1 ;; esac
    refused "module $one in slot LL, LEVEL_SLOTS, reference 0: is not for this slot, only for $slots" LL=$one
    [ "$slots" = D1 ] && refused "module $one in slot I1, LEVEL_SLOTS, reference 0: is not for this slot, only for D1" I1=$one
done
for one in exclusive inclusive l2 ceaser; do
    for slot in I1 D1; do
        refused "module $one in slot $slot, LEVEL_SLOTS, reference 0: is not for this slot, only for LL" $slot=$one
    done
done

# In I1 a level does to fetches what it does to reads in D1: the same trace, once as fetches and once as reads.
as() { awk -v kind="$1" 'BEGIN { srand(7)
    for (i = 0; i < 6000; i++) {
        if (i % 6 == 0) { at = int(rand() * 40) * 96; step = 8 * int(1 + rand() * 6) }
        printf "%s %x,%d\n", kind, at += step, 4 + 12 * int(rand() * 2) } }'; }
as 'I ' >"$SCRATCH/fetches"
as ' L' >"$SCRATCH/reads"
for one in victim nextline stride tlb waypred sectored zcache; do
    link_replay "$SCRATCH/replay" I1=$one
    "$SCRATCH/replay" --I1=512,2,16 --LL=2048,4,16 --outcomes="$SCRATCH/out.got" "$SCRATCH/fetches" >"$SCRATCH/out" 2>&1 || bail "I1=$one"
    said "$SCRATCH/out" | sed 's/^I1/D1/' >"$SCRATCH/got.events"
    link_replay "$SCRATCH/replay" D1=$one
    "$SCRATCH/replay" --D1=512,2,16 --LL=2048,4,16 --outcomes="$SCRATCH/out.wanted" "$SCRATCH/reads" >"$SCRATCH/out" 2>&1 || bail "D1=$one"
    said "$SCRATCH/out" >"$SCRATCH/wanted.events"
    for side in got wanted; do sed 's/^.//' "$SCRATCH/out.$side" >"$SCRATCH/$side"; done # the kind
    is "$(cmp "$SCRATCH/got" "$SCRATCH/wanted" 2>&1; cat "$SCRATCH/got.events")" "$(cat "$SCRATCH/wanted.events")" "I1=$one does what D1=$one does"
    ok '... in a trace with hits, misses and events' \
        sh -c "[ \$(sort -u '$SCRATCH/wanted' | wc -l) -ge 2 ] && grep -q 'D1[.][a-z-]* [1-9]' '$SCRATCH/wanted.events'"
done
done_testing
