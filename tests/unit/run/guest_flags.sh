#!/bin/sh
# Is the engine's C code, which translated code calls, free of the guest's direction flag and of its check of alignment, and has the guest
# both of them back afterwards?  tests/guest/popped.c asks that itself, and its status says so.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
popped=$top_builddir/tests/guest/popped
[ -x "$popped" ] || bail "no $popped: run make -C $top_builddir guests"

run() { "$QUERN" run -q --out-file=profile "$@" "$popped"; }

ok 'by default' run
ok '--check' run --check=yes --branch-sim=yes
ok '--batch' run --batch=always
ok '--calls' run --calls=paths
ok '--data' run --data=use
ok '--explain' run --explain=popped.c:54 --explain-every=1
ok 'an analysis of each instruction' run --analysis=values --sample=all
ok 'modules in all slots' run --sim=I1=plru,D1=srrip,LL=plru,BC=gshare

# What it clears lies at the addresses from room + 64 on.
cat >clears.c <<'END'
#include "sim/module.h"
#define POLICY "clears"
#define POLICY_HIT_IS_NOOP 1
static uint8_t room[192];
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set)
{
    volatile uint64_t bytes = 64;

    memset(room + 64, 7, bytes);
    for (unsigned i = 0; i < sizeof room; i++)
        if (room[i] != (i / 64 == 1 ? 7 : 0))
            __builtin_trap();
    return set % sim.ways;
}
END
ok 'memset in a module' run --sim=D1=clears.c
done_testing
