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

everywhere() {
    for kind in random cyclic stride zipf mixed; do
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
    build_replay "$SCRATCH/replay" $modules
    ok "D1=$d1 LL=$ll${opt:+ with $opt} is its model" everywhere
}

build_model
for d1 in nowa writeback victim nextline stride tlb; do level $d1 lru ''; done
level victim lru 'victim-lines=1'
level nextline lru 'tagged=1'
level nextline lru 'degree=3'
level nextline lru 'tagged=1,degree=2'
level stride lru 'degree=2,regions=4'
level tlb lru 'tlb-entries=4,tlb-ways=1,stlb-entries=8,stlb-ways=8,page-bits=10'
for ll in exclusive inclusive; do
    level lru $ll ''
    level writeback $ll ''
done
for d1 in nowa victim nextline stride tlb; do level $d1 inclusive ''; done
level lru l2 'l2-size=2048,l2-ways=2'
level writeback l2 'l2-size=8192,l2-ways=1'
level lru victim 'victim-lines=4'
done_testing
