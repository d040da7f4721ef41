#!/bin/sh
# Are simulators built, listed and run, and are the mistakes of modules named instead of crashing?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
geometry='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'
# shellcheck disable=SC2086
run() { "$QUERN" run --out-file="$SCRATCH/profile" $geometry "$@" -- /bin/true; }

# A module that differs from policy/srrip.c in what a test says.
module() {
    {
        echo '#include "sim/module.h"'
        echo '#define POLICY "mine"'
        echo '#define POLICY_WAY_STATE uint64_t'
        cat
    } >"$SCRATCH/mine.c"
}
fifo_like='static void policy_fill(unsigned set, unsigned way) { way_state(set, way)++; }
static unsigned policy_victim(unsigned set) { return (unsigned)(way_state(set, 0) % sim.ways); }'

module <<END
$fifo_like
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
ok 'a module of one'"'"'s own is built' "$QUERN" sim build --D1="$SCRATCH/mine.c" -o "$SCRATCH/sim"
ok 'and runs' run --sim="$SCRATCH/sim"
ok 'filtered as unfiltered' run --check --sim="$SCRATCH/sim"
is "$("$QUERN" sim list "$SCRATCH/sim" | sed 's/.*: I1=lru D1=\(mine\):[0-9a-f]* LL=lru .*$/\1/')" mine 'list shows what is in it, with a hash'
ok 'so does the profile' grep -q 'desc: Modules: *I1=lru D1=mine:[0-9a-f]* LL=lru BC=cachegrind BI=cachegrind' "$SCRATCH/profile"
ok 'list shows the modules that ship' sh -c "'$QUERN' sim list | grep -q srrip"

"$QUERN" sim build --D1=nobody -o "$SCRATCH/no" 2>"$SCRATCH/err"
is $? 2 'a name that nobody has is a usage error'
"$QUERN" sim build --D1=opt -o "$SCRATCH/no" >"$SCRATCH/err" 2>&1
ok 'opt is refused in the engine, with the reason' grep -q 'replay. only' "$SCRATCH/err"

# mistake NAME PATTERN [OPTION]: the module on stdin is built; the engine and the replay must say PATTERN.
mistake() {
    module
    "$QUERN" sim build --D1="$SCRATCH/mine.c" -o "$SCRATCH/sim" >"$SCRATCH/err" 2>&1 || bail "$(cat "$SCRATCH/err")"
    run ${3-} --sim="$SCRATCH/sim" >"$SCRATCH/err" 2>&1
    is $? 70 "$1: the engine stops with 70"
    ok "$1: the engine names it" grep "$2" "$SCRATCH/err"
    "$QUERN" replay --sim=D1="$SCRATCH/mine.c" ${3-} $geometry "$SCRATCH/trace" >"$SCRATCH/err" 2>&1
    is $? 70 "$1: the replay stops with 70"
    ok "$1: the replay names it" grep "$2" "$SCRATCH/err"
}
build_model
"$SCRATCH/model" "$SCRATCH/trace" /dev/null kind=random n=5000
hit='static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }'

mistake 'a way that is not there' 'module mine in slot D1, policy_victim, reference [0-9]*: chose a way' <<END
static void policy_fill(unsigned set, unsigned way) { way_state(set, way)++; }
static unsigned policy_victim(unsigned set) { (void)set; return sim.ways; }
$hit
END
mistake 'an endless loop' 'slot D1.*does not come back' <<END
static void policy_fill(unsigned set, unsigned way) { way_state(set, way)++; }
static unsigned policy_victim(unsigned set) { for (volatile unsigned i = 0;; i++) if (i > 1 && set > 1u << 30) return 0; }
$hit
END
mistake 'too much memory' 'sim_alloc.*more memory' <<END
$fifo_like
#define POLICY_INIT 1
static const char *policy_init(void) { return sim_alloc(1ull << 60) ? NULL : "?"; }
$hit
END
mistake 'a wild access' 'slot D1' <<END
static void policy_fill(unsigned set, unsigned way) { way_state(set, way)++; }
static unsigned policy_victim(unsigned set) { return *(volatile unsigned char *)(8ull * set); }
$hit
END
mistake 'a false settled' 'policy_settled.*then changed\|--check found a difference' --check <<END
static void policy_hit(unsigned set, unsigned way) { way_state(set, way)++; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = 1; }
static unsigned policy_victim(unsigned set)
{
    unsigned least = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) < way_state(set, least))
            least = way;
    return least;
}
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END

done_testing
