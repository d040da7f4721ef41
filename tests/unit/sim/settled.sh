#!/bin/sh
# Does --check find each way in which a module can claim wrongly that a hit changes nothing?  In the engine and in replay; and
# do the same modules pass once the claim is right?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
geometry='--I1=512,2,32 --D1=1024,4,64 --LL=65536,8,64'

build_model
"$SCRATCH/model" "$SCRATCH/trace" /dev/null kind=mixed n=20000

# run_both: statuses of the engine and of the replay, with --check; what they say goes to $SCRATCH/engine.err, replay.err.
run_both() {
    # shellcheck disable=SC2086 # geometry is words
    "$QUERN" run --check --sim="$SCRATCH/engine" --out-file="$SCRATCH/profile" $geometry -- /bin/true >"$SCRATCH/engine.err" 2>&1
    engine=$?
    # shellcheck disable=SC2086
    "$SCRATCH/replay" --check $geometry "$SCRATCH/trace" >"$SCRATCH/replay.err" 2>&1
    echo "$engine $?"
}

# claim SLOT NAME WRONG RIGHT PATTERN: the module on stdin, where CLAIM stands for WRONG (found, PATTERN) or RIGHT (passes).
claim() {
    cat >"$SCRATCH/module"
    for claim in "$3" "$4"; do
        sed "s/CLAIM/$claim/" "$SCRATCH/module" >"$SCRATCH/mine.c"
        "$QUERN" sim build --"$1"="$SCRATCH/mine.c" -o "$SCRATCH/engine" || bail "cannot build $2"
        "$QUERN" sim build --replay --"$1"="$SCRATCH/mine.c" -o "$SCRATCH/replay" || bail "cannot build $2"
        if [ "$claim" = "$3" ]; then
            is "$(run_both)" '70 70' "$2, wrong claim: engine and replay stop with 70"
            for where in engine replay; do
                ok "... the $where names slot, module, function and reference" grep -E "module mine in slot $1, $5" "$SCRATCH/$where.err"
            done
        else
            is "$(run_both)" '0 0' "$2, right claim: both pass"
        fi
    done
}

difference='reference [0-9]+ at [0-9a-f]+: '

claim D1 'a policy that says yes always' 'true' 'way_state(set, way) == 3' \
    'policy_settled, reference [0-9]+: said that a hit would change nothing' <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_WAY_STATE unsigned
static void policy_hit(unsigned set, unsigned way) { way_state(set, way) += way_state(set, way) < 3; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = 1; }
static unsigned policy_victim(unsigned set) { return way_state(set, 0) > way_state(set, 1); }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return CLAIM; }
END

# The newest is settled; every other line is not.
claim D1 'a policy that takes old lines for settled' 'way_state(set, way) > 0' 'way_state(set, way) == set_state(set)' \
    'policy_settled, reference [0-9]+: said that a hit would change nothing' <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_WAY_STATE unsigned long
#define POLICY_SET_STATE unsigned long
static void policy_hit(unsigned set, unsigned way)
{
    if (way_state(set, way) != set_state(set))
        way_state(set, way) = ++set_state(set);
}
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = ++set_state(set); }
static unsigned policy_victim(unsigned set)
{
    unsigned oldest = 0;

    for (unsigned way = 1; way < sim.ways; way++)
        if (way_state(set, way) < way_state(set, oldest))
            oldest = way;
    return oldest;
}
static bool policy_settled(unsigned set, unsigned way) { return CLAIM; }
END

# A state that the level does not know of: found by its consequences.
claim D1 'a policy with hidden state' 'true' 'false' "$difference"'.* if each reference is a call' <<'END'
#include "sim/module.h"
#define POLICY "mine"
static unsigned hits;
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; hits++; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return hits % sim.ways; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return CLAIM; }
END

# Fetches from the line just fetched are left out where a repetition changes nothing; here it counts.
claim I1 'a policy that counts repetitions' '#define POLICY_REPEAT_IS_NOOP 1' '' "$difference"'.* if each reference is a call' <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_WAY_STATE unsigned
CLAIM
static void policy_hit(unsigned set, unsigned way) { way_state(set, way)++; }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way) = 1; }
static unsigned policy_victim(unsigned set) { return way_state(set, 0) > way_state(set, 1); }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return false; }
END

# What differs is the last level's: an event, or only its part of an outcome.  The level 1 above is not named.
claim LL 'a last level that counts an event twice' 'SIM_CURRENT_HERE ? 2 : 1' '1' "$difference"'LL.fills: [0-9]+, but [0-9]+' <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_INIT 1
#define POLICY_HIT_IS_NOOP 1
static unsigned fills;
static const char *policy_init(void) { fills = sim_event(sim.slot, "fills", "lines filled"); return NULL; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; sim_count(fills, CLAIM); }
static unsigned policy_victim(unsigned set) { return set % sim.ways; }
END
claim LL 'a last level with another victim' 'SIM_CURRENT_HERE ? sim.ways - 1 : 0' '0' "$difference"'(miss, LL|its counter has).*, but' <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_HIT_IS_NOOP 1
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return CLAIM; }
END

# Every other miss is not filled; which one, hits decide.
claim D1 'a level that counts hits' 'true' 'false' "$difference"'(hit|miss.*), but .*if each reference is a call' <<'END'
#include "sim/lines.h"
#define LEVEL "mine"
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
static struct lines lines;
static unsigned references;
static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }
static bool cachesim_X_settled(uint64_t line) { (void)line; return CLAIM; }
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        references++;
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        if (references % 2)
            lines_add(&lines, line, 0);
    }
}
END

# A prefetched line takes the first place from a settled line, and nobody says so.
claim D1 'a level that loses a settled line in silence' '' 'sim_dropped(lines.line[lines_set(\&lines, line)]);' \
    "$difference"'hit, but miss.* if each reference is a call' <<'END'
#include "sim/lines.h"
#define LEVEL "mine"
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
static struct lines lines;
static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); }
static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }
static void prefetch(uint64_t line)
{
    if (lines_has(&lines, line))
        return;
    CLAIM
    lines_add(&lines, line, 0);
}
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (lines_find(&lines, line))
            continue;
        result->miss = true;
        lines_add(&lines, line, 0);
        for (unsigned i = 1; i <= sim.ways; i++)
            prefetch(line + (i * sim.sets + 1) * sim.line);
    }
}
END

# A hit by a write makes a line dirty: the outcomes stay the same, the event does not.
sed 's/^#define LEVEL "writeback"/#define LEVEL "mine"\nCLAIM/' "$top_srcdir/lib/sim/level/writeback.c" >"$SCRATCH/writeback"
claim D1 'a level whose writes change something' '#define LEVEL_WRITES_SETTLED 1' '' \
    "$difference"'D1.writebacks: [0-9]+, but [0-9]+ if each reference is a call' <"$SCRATCH/writeback"
# ---- no difference is found where there is none ----

# Four pushes over the end of a line are simulated as a group: events are compared behind the group, not within it.
cat >"$SCRATCH/pushes.S" <<'END'
.globl _start
_start:
    and $-4096, %rsp
    add $8, %rsp
    push %rax
    push %rax
    push %rax
    push %rax
    mov $60, %eax
    xor %edi, %edi
    syscall
END
$CC -nostdlib -static -o "$SCRATCH/pushes" "$SCRATCH/pushes.S" || bail 'cannot assemble pushes'
cat >"$SCRATCH/mine.c" <<'END'
#include "sim/module.h"
#define POLICY "mine"
#define POLICY_INIT 1
static unsigned hits, fills, victims;
static const char *policy_init(void)
{
    hits = sim_event(sim.slot, "hits", "");
    fills = sim_event(sim.slot, "fills", "");
    victims = sim_event(sim.slot, "victims", "");
    return NULL;
}
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; sim_count(hits, 1); }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; sim_count(fills, 1); }
static unsigned policy_victim(unsigned set) { sim_count(victims, 1); return set % sim.ways; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return false; }
END
for slot in I1 D1 LL; do
    "$QUERN" sim build --$slot="$SCRATCH/mine.c" -o "$SCRATCH/engine" || bail "cannot build mine in $slot"
    for options in '' "$geometry" --batch=often; do
        for program in "$SCRATCH/pushes" /bin/true; do
            # shellcheck disable=SC2086 # options are words
            "$QUERN" run --check --sim="$SCRATCH/engine" --out-file="$SCRATCH/profile" $options "$program" >"$SCRATCH/out" 2>&1
            is $? 0 "events at hits, fills and victims in $slot${options:+, $options}, $(basename "$program"): nothing differs" || tail -n 2 "$SCRATCH/out"
        done
    done
done
done_testing
