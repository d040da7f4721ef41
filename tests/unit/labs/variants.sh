#!/bin/sh
# Do policies written from a student's handout pass her variant, and only hers?  Is the key needed?  (Copies: tests/unit/lab/copied.c.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err key=$SCRATCH/key
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
for lab in 1 2 4 5 7 8 10 11 12 13; do
    run 0 "lab $lab has variants" start $lab "$SCRATCH/v$lab" --student=ada --key-file="$key"
    ok 'which its handout tells of' grep -q '^\* \*\*\|^\* The index' "$SCRATCH/v$lab/HANDOUT.md"
done
run 0 'a black box from the key' start 6 "$SCRATCH/box" --student=ada --key-file="$key"
run 0 'again' start 6 "$SCRATCH/box2" --student=ada --key-file="$key"
is "$(cat "$SCRATCH/box/.quern-lab")" "$(cat "$SCRATCH/box2/.quern-lab")" 'is the same box'

# ---- what the handout says ----

number() { sed -n "s/.*$1 \([0-9]*\)$2.*/\1/p" "$SCRATCH/$student/HANDOUT.md" | head -n 1; }
write_policies() {
student=$1
chances=$(number 'noted, up to' '') place=$(number 'younger than the' ' oldest') bits=$(number 'Numbers have' ' bits') ahead=$(number 'It sees' ' references')
# policy NAME SETTLED: SETTLED is what policy_settled returns.
policy() {
    { printf '#include "sim/module.h"\n#define POLICY "%s"\n' "$1" && cat && printf 'static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, %s; }\n' "$2"; } >"$SCRATCH/$student/$1.c"
}
policy fifo "way_state(set, way).notes == $chances" <<END
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
policy lru 'set_state(set).way[set_state(set).n - 1] == way' <<END
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
# says TEXT VALUE: VALUE if the handout has TEXT, else 0.
says() { grep -qF "$1" "$SCRATCH/$student/HANDOUT.md" && echo "$2" || echo 0; }
policy plru 'is_turned(set, way)' <<END
#define POLICY_SET_STATE uint64_t
static unsigned reversed(unsigned n)
{
    unsigned r = 0;
    for (unsigned bit = 1, to = sim.ways / 2; bit < sim.ways; bit *= 2, to /= 2)
        r |= n & bit ? to : 0;
    return r;
}
static unsigned way_of(unsigned leaf) { return $(says 'reversed bits' 1) ? reversed(leaf) : (leaf + 1) % sim.ways; }
static unsigned leaf_of(unsigned way)
{
    unsigned leaf = 0;
    while (way_of(leaf) != way)
        leaf++;
    return leaf;
}
static void turn(unsigned set, unsigned way, unsigned first, unsigned last) /* nodes of the path, by their numbers */
{
    for (unsigned node = sim.ways + leaf_of(way); node > 1; node /= 2)
        if (node / 2 >= first && node / 2 <= last)
            set_state(set) = (set_state(set) & ~(1ull << node / 2)) | (uint64_t)(node % 2 == 0) << node / 2;
}
static bool is_turned(unsigned set, unsigned way)
{
    uint64_t before = set_state(set), after;
    turn(set, way, 1, sim.ways);
    after = set_state(set);
    set_state(set) = before;
    return before == after;
}
static void policy_hit(unsigned set, unsigned way) { turn(set, way, 1, sim.ways); }
static void policy_fill(unsigned set, unsigned way) { turn(set, way, $(says 'all but the root' 1) ? 2 : sim.ways / 2, sim.ways); }
static unsigned policy_victim(unsigned set)
{
    unsigned node = 1;
    while (node < sim.ways)
        node = 2 * node + (set_state(set) >> node & 1);
    return way_of(node - sim.ways);
}
END
policy nru 'set_state(set).bits >> way & 1' <<END
struct set { uint64_t bits; unsigned next; };
#define POLICY_SET_STATE struct set
enum { AROUND = $(says 'going around' 1), LATE = $(says 'Bits are cleared only when' 1) };
static uint64_t all(void) { return ~0ull >> (64 - sim.ways); }
static void policy_hit(unsigned set, unsigned way)
{
    set_state(set).bits |= 1ull << way;
    if (!LATE && set_state(set).bits == all())
        set_state(set).bits = 0;
}
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }
static unsigned policy_victim(unsigned set)
{
    struct set *s = &set_state(set);
    unsigned way = AROUND ? s->next : sim.ways - 1;
    if (s->bits == all())
        s->bits = 0;
    while (s->bits >> way & 1)
        way = AROUND ? (way + 1) % sim.ways : way - 1;
    s->next = (way + 1) % sim.ways;
    return way;
}
END
policy srrip 'way_state(set, way) == 0' <<END
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
policy random 'false' <<END
struct used { uint8_t last, before; };
#define POLICY_SET_STATE struct used
enum { ONE = $(says 'Never the way that was hit' 1), TWO = $(says 'Never one of the two' 1) };
static void policy_hit(unsigned set, unsigned way)
{
    if (way != set_state(set).last)
        set_state(set).before = set_state(set).last;
    set_state(set).last = (uint8_t)way;
}
static void policy_fill(unsigned set, unsigned way) { policy_hit(set, way); }
static unsigned policy_victim(unsigned set)
{
    const struct used *s = &set_state(set);
    unsigned way;
    if (!ONE && !TWO)
        return (way = sim_random(sim.ways + 1)) == sim.ways ? s->last : way;
    do
        way = sim_random(sim.ways);
    while (way == s->last || (TWO && way == s->before && sim.ways > 2));
    return way;
}
END
policy opt 'false' <<END
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
}
run 0 'a third one' start 3 "$SCRATCH/cyd" --student=cyd --key-file="$key"
for who in ada bob cyd; do
    write_policies $who
    run 0 "policies written from $who's handout: full marks" check --case-seed=1 --student=$who --key-file="$key" 3 "$SCRATCH/$who"
done
run 0 'they pass without the key, for practice' check --case-seed=1 3 "$SCRATCH/ada"
ok 'which is said' grep -q '^# the variant of this folder; what counts is checked with the key' "$out"
run 1 "ada's as bob's" check --case-seed=1 --student=bob --key-file="$key" 3 "$SCRATCH/ada"
ok 'where they differ they get nothing' grep -q '^not ok.*fifo\|^not ok.*lru: every\|^not ok.*srrip\|^not ok.*opt: every' "$out"
sed -i 's/^variant .*/variant 1/' "$SCRATCH/ada/.quern-lab"
run 0 'what the folder says does not count' check --case-seed=1 --student=ada --key-file="$key" 3 "$SCRATCH/ada"
done_testing
