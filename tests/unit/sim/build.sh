#!/bin/sh
# Are simulators built, listed and run, and are the mistakes of modules named instead of crashing?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
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
is "$("$QUERN" sim list | sed 1,2d | grep '^  ' | grep -v '[.?]$')" '' 'each with a sentence, or the part of it that fits'
is "$("$QUERN" sim list | awk 'length > 100')" '' '... in a line of 100 columns'
is "$("$QUERN" sim list D1 | sed 's/  *year.*//')" "$("$QUERN" sim list | sed '1,2d; s/  *year.*//' | awk '/^[^ ]/ { on = /D1/ } on')" 'list SLOT: those that go into it'
is "$("$QUERN" sim list | grep '^  opt ')" "  opt         1966         -  replay   Belady's optimal replacement: the victim is the line..." 'year, bits, how references reach it'
for predictor in $("$QUERN" sim list | awk '/^[^ ]/ { on = /^B[CI]/; next } on { print $1 }'); do
    "$QUERN" run --branch-sim=yes --cache-sim=no --sim="$predictor" --out-file=/dev/null -- true 2>"$SCRATCH/said" || bail "$predictor"
    is "$("$QUERN" sim list | awk -v name="$predictor" '$1 == name { gsub(",", ""); print $3 }')" \
        "$(sed -n 's/.*B[CI]\.bits *\([0-9]*\) .*/\1/p' "$SCRATCH/said" | grep . || echo 0)" "$predictor: the bits that a run tells"
done

"$QUERN" sim build --D1=nobody -o "$SCRATCH/no" 2>"$SCRATCH/err"
is $? 2 'a name that nobody has is a usage error'
"$QUERN" sim build --D1=opt -o "$SCRATCH/no" >"$SCRATCH/err" 2>&1
ok 'opt is refused in the engine, with the reason' grep -q 'replay. only' "$SCRATCH/err"

# ---- replays: linked with what is compiled already, or compiled whole ----
awk 'BEGIN { srand(3); for (i = 0; i < 4000; i++) printf " %s %x,%d\n", substr("LSM", 1 + int(rand() * 3), 1), 4096 + int(rand() * 900) * 24, 8 }' >"$SCRATCH/trace"
# replay NAME OPTIONS...: built, and what it says of the trace; how many files were compiled
replay() {
    name=$1
    shift
    "$QUERN" sim build --replay --D1=victim --verbose "$@" -o "$SCRATCH/$name" 2>"$SCRATCH/$name.err" || return 1
    "$SCRATCH/$name" --check=yes --D1=4096,4,64 --outcomes="$SCRATCH/$name.outcomes" "$SCRATCH/trace" >"$SCRATCH/$name.out" 2>&1
    grep -c 'trace/read\.c' "$SCRATCH/$name.err"
}
is "$(replay linked)" 0 'a replay is linked with the library beside quern'
is "$(replay compiled --cflags='-O1 -g')" 1 'with flags of its own all of it is compiled'
is "$(QUERN_SIM_DIR=$top_srcdir/lib && export QUERN_SIM_DIR && replay elsewhere)" 1 'and with sources of its own'
env -i "$QUERN" sim build --D1=victim -o "$SCRATCH/bare" 2>"$SCRATCH/err"
is "$? $(cat "$SCRATCH/err")" '0 ' 'without a PATH the compiler finds its parts'
for name in compiled elsewhere; do
    ok "and it says the same ($name)" cmp "$SCRATCH/linked.out" "$SCRATCH/$name.out"
    ok "of each reference ($name)" cmp "$SCRATCH/linked.outcomes" "$SCRATCH/$name.outcomes"
done
ok 'with misses' grep -q '^D1  misses: *[1-9]' "$SCRATCH/linked.out"

done_testing
