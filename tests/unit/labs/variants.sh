#!/bin/sh
# Does what ships fail a student's variant, and what its handout says pass it?  Is the key needed?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err key=$SCRATCH/key
SEEDS=20
echo 'a key of this course' >"$key"

run() {
    wanted=$1 what=$2
    shift 2
    "$QUERN" lab "$@" >"$out" 2>"$err"
    is $? "$wanted" "$what" || diag "$(cat "$out" "$err")"
}

run 0 'a variant' start 3 "$SCRATCH/ada" --student=ada --key-file="$key"
ok 'its rules are in the handout' grep -q '^\*\*This is the variant of ada.\*\*' "$SCRATCH/ada/HANDOUT.md"
run 0 'another one' start 3 "$SCRATCH/bob" --student=bob --key-file="$key"
rules() { sed -n '5,/^$/p' "$SCRATCH/$1/HANDOUT.md"; }
ok 'which differs' test "$(rules ada)" != "$(rules bob)"
run 2 'a student without a key' start 3 "$SCRATCH/x" --student=ada
is "$(cat "$err")" 'quern: lab: --student and --key-file belong together' 'is told'
run 2 'a key that is not there' start 3 "$SCRATCH/x" --student=ada --key-file="$SCRATCH/nokey"
run 2 'a lab without variants' start 2 "$SCRATCH/x" --student=ada --key-file="$key"
is "$(cat "$err")" 'quern: lab: lab 2 has no variants' 'is told'
run 0 'a black box from the key' start 6 "$SCRATCH/box" --student=ada --key-file="$key"
run 0 'again' start 6 "$SCRATCH/box2" --student=ada --key-file="$key"
is "$(cat "$SCRATCH/box/.quern-lab")" "$(cat "$SCRATCH/box2/.quern-lab")" 'is the same box'

# ---- what ships ----

# whole FILE: a copy with what it includes from its own folder.
whole() { awk -v top="$top_srcdir/lib/sim/" '/^#include "sim\/(policy|bpred)\/|^#include "(policy|bpred)\// { f = $2; gsub(/"|sim\//, "", f); while ((getline line <(top f)) > 0) print line; next } { print }' "$1"; }

mkdir "$SCRATCH/shipped"
for name in fifo lru plru nru srrip random opt; do whole "$top_srcdir/lib/sim/policy/$name.c" >"$SCRATCH/shipped/$name.c"; done
run 1 'a part of the tests' check --only=every 3 "$SCRATCH/shipped"
is "$(grep -c '^ok' "$out"):$(grep '^not ok' "$out")" 6: 'what ships is right for the standard lab'
passed=
for seed in $(seq $SEEDS); do
    "$QUERN" lab check --case-seed=7 --only=' ' --student="student$seed" --key-file="$key" 3 "$SCRATCH/shipped" >"$out" 2>&1
    passed="$passed$(grep '^ok' "$out" | grep -v circles)"
done
is "$passed" '' "and fails $SEEDS variants, file by file"
for shipped in brrip drrip lfu ship; do
    mkdir -p "$SCRATCH/other"
    for name in fifo lru plru nru srrip random opt; do whole "$top_srcdir/lib/sim/policy/$shipped.c" >"$SCRATCH/other/$name.c"; done
    passed=
    for seed in 1 2 3; do
        "$QUERN" lab check --case-seed=7 --only=every --student="student$seed" --key-file="$key" 3 "$SCRATCH/other" >"$out" 2>&1
        passed="$passed$(grep '^ok' "$out")"
    done
    is "$passed" '' "$shipped for each of them"
done
mkdir "$SCRATCH/predictors"
cp "$top_srcdir"/labs/05-branches/starter/*.c "$SCRATCH/predictors"
whole "$top_srcdir/lib/sim/bpred/onebit.c" >"$SCRATCH/predictors/onebit.c"
whole "$top_srcdir/lib/sim/bpred/bimodal.c" >"$SCRATCH/predictors/twobit.c"
whole "$top_srcdir/lib/sim/bpred/gshare.c" >"$SCRATCH/predictors/gshare.c"
for mine in tournament tage perceptron local global cachegrind btfn taken; do
    whole "$top_srcdir/lib/sim/bpred/$mine.c" >"$SCRATCH/predictors/mine.c"
    "$QUERN" lab check --case-seed=7 --only=' at most' --student=student1 --key-file="$key" 5 "$SCRATCH/predictors" >"$out" 2>&1
    is "$(grep '^ok' "$out")" '' "$mine as mine.c"
done
passed=
for seed in $(seq $SEEDS); do
    "$QUERN" lab check --case-seed=7 --only='branch by' --student="student$seed" --key-file="$key" 5 "$SCRATCH/predictors" >"$out" 2>&1
    passed="$passed$(grep '^ok' "$out")"
done
is "$passed" '' "predictors that ship fail $SEEDS variants"

# ---- what the handout says ----

number() { sed -n "s/.*$1 \([0-9]*\)$2.*/\1/p" "$SCRATCH/ada/HANDOUT.md" | head -n 1; }
chances=$(number 'noted, up to' '') place=$(number 'younger than the' ' oldest') bits=$(number 'Numbers have' ' bits') ahead=$(number 'It sees' ' references')
head='#include "sim/module.h"
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return false; }'
policy() { { printf '%s\n#define POLICY "%s"\n' "$head" "$1" && cat; } >"$SCRATCH/ada/$1.c"; }
policy fifo <<END
struct line { uint64_t came; unsigned notes; };
#define POLICY_WAY_STATE struct line
static uint64_t now;
static void policy_hit(unsigned set, unsigned way) { way_state(set, way).notes += way_state(set, way).notes < $chances; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = (struct line){ ++now, 0 }; }
static unsigned policy_victim(unsigned set)
{
    for (;;) {
        unsigned first = 0;
        for (unsigned way = 1; way < sim.ways; way++)
            first = way_state(set, way).came < way_state(set, first).came ? way : first;
        if (!way_state(set, first).notes)
            return first;
        way_state(set, first).notes--;
        way_state(set, first).came = ++now;
    }
}
END
policy lru <<END
struct order { uint8_t way[64], n; }; /* the oldest first */
#define POLICY_SET_STATE struct order
static void take_out(struct order *o, unsigned way)
{
    unsigned k = 0;
    for (unsigned i = 0; i < o->n; i++)
        if (o->way[i] != way)
            o->way[k++] = o->way[i];
    o->n = (uint8_t)k;
}
static void put(struct order *o, unsigned way, unsigned place)
{
    for (unsigned i = o->n; i > place; i--)
        o->way[i] = o->way[i - 1];
    o->way[place] = (uint8_t)way;
    o->n++;
}
static void policy_hit(unsigned set, unsigned way) { take_out(&set_state(set), way); put(&set_state(set), way, set_state(set).n); }
static void policy_fill(unsigned set, unsigned way)
{
    take_out(&set_state(set), way);
    put(&set_state(set), way, set_state(set).n < $place ? set_state(set).n : $place);
}
static unsigned policy_victim(unsigned set) { return set_state(set).way[0]; }
END
policy plru <<'END'
#define POLICY_SET_STATE uint64_t
static unsigned reversed(unsigned n)
{
    unsigned r = 0;
    for (unsigned bit = 1, to = sim.ways / 2; bit < sim.ways; bit *= 2, to /= 2)
        r |= n & bit ? to : 0;
    return r;
}
static void turn(unsigned set, unsigned way, bool all)
{
    for (unsigned node = sim.ways + reversed(way), first = 1; node > 1 && (first || all); node /= 2, first = 0)
        set_state(set) = (set_state(set) & ~(1ull << node / 2)) | (uint64_t)(node % 2 == 0) << node / 2;
}
static void policy_hit(unsigned set, unsigned way) { turn(set, way, true); }
static void policy_fill(unsigned set, unsigned way) { turn(set, way, false); }
static unsigned policy_victim(unsigned set)
{
    unsigned node = 1;
    while (node < sim.ways)
        node = 2 * node + (set_state(set) >> node & 1);
    return reversed(node - sim.ways);
}
END
policy nru <<'END'
#define POLICY_SET_STATE uint64_t
static void policy_hit(unsigned set, unsigned way)
{
    set_state(set) |= 1ull << way;
    if (set_state(set) == ~0ull >> (64 - sim.ways))
        set_state(set) = 0;
}
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }
static unsigned policy_victim(unsigned set)
{
    unsigned way = sim.ways - 1;
    while (set_state(set) >> way & 1)
        way--;
    return way;
}
END
policy srrip <<END
#define POLICY_WAY_STATE uint8_t
enum { LARGEST = (1 << $bits) - 1 };
static void policy_hit(unsigned set, unsigned way) { way_state(set, way) -= way_state(set, way) > 0; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = LARGEST - 1; }
static unsigned policy_victim(unsigned set)
{
    for (;;) {
        for (unsigned way = sim.ways; way-- > 0;)
            if (way_state(set, way) == LARGEST)
                return way;
        for (unsigned way = 0; way < sim.ways; way++)
            way_state(set, way)++;
    }
}
END
policy random <<'END'
#define POLICY_SET_STATE uint8_t
static void policy_hit(unsigned set, unsigned way) { set_state(set) = (uint8_t)way; }
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }
static unsigned policy_victim(unsigned set)
{
    unsigned way = sim_random(sim.ways - 1);
    return way + (way >= set_state(set));
}
END
policy opt <<END
struct use { uint64_t next; };
#define POLICY_WAY_STATE struct use
static uint64_t now; /* the number of this reference */
static void policy_hit(unsigned set, unsigned way) { way_state(set, way).next = sim_next_use(); now++; }
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }
static unsigned policy_victim(unsigned set)
{
    unsigned last = 0;
    for (unsigned way = 0; way < sim.ways; way++)
        if (way_state(set, way).next - now > $ahead)
            return way;
    for (unsigned way = 1; way < sim.ways; way++)
        last = way_state(set, way).next > way_state(set, last).next ? way : last;
    return last;
}
END
for seed in 1 2; do
    run 0 "policies written from ada's handout: full marks, seed $seed" check --case-seed=$seed --student=ada --key-file="$key" 3 "$SCRATCH/ada"
done
run 0 'they pass without the key, for practice' check --case-seed=1 3 "$SCRATCH/ada"
ok 'which is said' grep -q '^# the variant of this folder; what counts is checked with the key' "$out"
run 1 "ada's as bob's" check --case-seed=1 --student=bob --key-file="$key" 3 "$SCRATCH/ada"
ok 'where they differ they get nothing' grep -q '^not ok.*fifo\|^not ok.*lru: every\|^not ok.*srrip\|^not ok.*opt: every' "$out"
sed -i 's/^variant .*/variant 1/' "$SCRATCH/ada/.quern-lab"
run 0 'what the folder says does not count' check --case-seed=1 --student=ada --key-file="$key" 3 "$SCRATCH/ada"
done_testing
