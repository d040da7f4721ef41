#!/bin/sh
# Under --versus a reference that changes nothing in either simulator is not simulated (emit/shadow_model.c): are counts and messages those of a run
# in which each reference is?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || skip_all 'the guest programs are not built: make guests'

run() { # NAME OPTIONS COMMAND...
    name=$1
    shift
    rm -f "$name".*
    "$QUERN" run --LL=65536,8,64 --out-file="$name.profile" --log-file="$name.log" "$@" >/dev/null 2>&1 </dev/null
    sed 's/^[-=]*[0-9]*[-=][-=] *//' "$name.log" | grep -v '^Parent PID' >"$name.said"
}
alike() { # OPTIONS COMMAND...
    run fast "$@"
    run slow --no-filter "$@"
    cmp fast.profile slow.profile && cmp fast.said slow.said && grep -q '^Different: \|^No difference' fast.said
}

for b in fifo srrip plru random nru; do
    ok "lru and $b" alike --D1=2048,4,64 --versus=D1=$b "$guests/sort"
done
ok 'two policies that are not the default' alike --sim=D1=fifo --versus=D1=srrip --D1=8192,4,64 "$guests/matmul"
ok 'a policy and the default' alike --sim=D1=fifo --versus=D1=default --D1=1024,2,64 "$guests/conflict"
ok 'code: lru and fifo' alike --I1=1024,2,32 --D1=1024,2,32 --versus=I1=fifo "$guests/sort"
ok 'code and data: fifo and srrip' alike --I1=1024,2,32 --D1=1024,2,32 --sim=I1=fifo --sim=D1=fifo --versus=I1=srrip,D1=srrip "$guests/sort"
ok 'last levels' alike --D1=1024,2,64 --versus=LL=fifo "$guests/sort"
ok 'one that is inclusive' alike --D1=4096,4,64 --I1=4096,4,64 --versus=LL=inclusive "$guests/sort"
ok 'A is inclusive' alike --D1=4096,4,64 --I1=4096,4,64 --sim=LL=inclusive --versus=LL=default "$guests/sort"
ok 'one that is exclusive' alike --D1=4096,4,64 --versus=I1=fifo,D1=fifo,LL=exclusive "$guests/sort"
ok 'a prefetcher' alike --D1=4096,4,64 --versus=D1=nextline "$guests/matmul"
ok 'a victim buffer' alike --D1=1024,1,64 --versus=D1=victim "$guests/conflict"
ok 'nothing that differs' alike --D1=1024,2,64 --sim=D1=fifo --versus=D1=fifo "$guests/sort"
ok 'branches' alike --D1=1024,2,64 --branch-sim=yes --versus=BC=gshare "$guests/sort"
for program in strings rep masked straddle; do
    ok "$program" alike --D1=1024,2,32 --versus=D1=fifo "$guests/$program"
done
ok 'beside an analysis of misses' alike --D1=1024,2,64 --analysis=3c,sets --versus=D1=fifo "$guests/sort"
ok 'beside one of each reference' alike --D1=1024,2,64 --analysis=interval --versus=D1=fifo "$guests/sort"
. "$top_srcdir/tests/unit/run/faults.inc"
ok 'faults' alike --D1=65536,4,64 --versus=D1=fifo ./faults
ok 'a real program' alike --D1=8192,4,64 --versus=D1=fifo sort -S 1M --parallel=1 -n "$top_srcdir/lib/ORDER"

done_testing
