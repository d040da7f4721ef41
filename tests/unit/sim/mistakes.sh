#!/bin/sh
# Is every mistake of a module named - slot, module, function, number of the reference - with status 70, in the engine and in
# replay, in every kind of module, with the counts saved and nothing crashed?
#
# Mistakes: a wild or null access, a division by zero, a trap, a recursion without end, an endless loop, too much memory at once
# or little by little, a way that is not there, events declared wrongly.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
geometry='--I1=512,2,32 --D1=1024,4,64 --LL=4096,8,64'
QUERN_MODULE_SECONDS=1 # of processor time
export QUERN_MODULE_SECONDS
ulimit -c 0

build_model
"$SCRATCH/model" "$SCRATCH/trace" /dev/null kind=mixed n=3000
"$SCRATCH/model" "$SCRATCH/branches" /dev/null kind=branches n=3000
"$SCRATCH/model" "$SCRATCH/calls" /dev/null kind=calls n=3000

# ---- modules that make the mistake asked for, at their hundredth call of the function asked for ----

places='init policy_hit policy_fill policy_victim policy_settled doref branchsim_BC_predict branchsim_BC_update
branchsim_BI_target branchsim_BI_return analysis_ref analysis_insn finish'
kinds='null wild zero trap recursion loop all-at-once bit-by-bit no-way far-way late twice many blank wide again next'

# The enums of places and kinds: IN_init, ... and NULL_... as the shell counts them.
numbers() { for word in $1; do printf '%s%s, ' "$2" "$(echo "$word" | tr '-' '_')"; done; }
cat >"$SCRATCH/blunder.h" <<END
enum place { NOWHERE, $(numbers "$places" IN_) };
enum kind { NO_MISTAKE, $(numbers "$kinds" A_) };
END
cat >>"$SCRATCH/blunder.h" <<'END'
static unsigned place, kind, count;
static volatile unsigned zero, sink;

static __attribute__((noinline)) unsigned deep(volatile unsigned *p)
{
    volatile unsigned here[64];

    here[zero] = *p;
    return zero ? 0 : deep(here) + here[1];
}

static void many_events(void)
{
    char name[] = "aa";

    for (;; name[0] == 'z' ? name[0] = 'a', name[1]++ : name[0]++)
        sim_event(sim.slot, name, "");
}

static void commit(void)
{
    switch (kind) {
    case A_null: sink = *(volatile unsigned *)(uintptr_t)(8 * zero); break;
    case A_wild: *(volatile unsigned *)0x123456789abcull = 1; break;
    case A_zero: sink = 100 / zero; break;
    case A_trap: __builtin_trap();
    case A_recursion: sink = deep(&zero); break;
    case A_loop: for (;;) sink++;
    case A_all_at_once: sim_alloc(1ull << 50); break;
    case A_bit_by_bit: for (;;) sim_alloc(1u << 24);
    case A_late: case A_blank: sim_event(sim.slot, kind == A_late ? "late" : "a b", ""); break;
    case A_twice: sim_event(sim.slot, "e", ""), sim_event(sim.slot, "e", ""); break;
    case A_many: many_events(); break;
    case A_wide: sim_table(sim.slot, "t", "a b"), sim_row(NULL, 0, "{1} alone"); break;
    case A_again: sim_table(sim.slot, "t", "a"), sim_table(sim.slot, "t", "a"); break;
    default: break;
    }
}

static bool now(enum place here)
{
    if (here == IN_init) {
        place = (unsigned)sim_option(sim.slot, "place", 0);
        kind = (unsigned)sim_option(sim.slot, "kind", 0);
    }
    return here == place && (here == IN_init || here == IN_finish || ++count == 100);
}

static void blunder(enum place here)
{
    if (now(here))
        commit();
}
END
# module NAME: NAME/mine.c is what comes on stdin, with that in front
module() { mkdir -p "$SCRATCH/$1" && { echo '#include "sim/lines.h"' && cat "$SCRATCH/blunder.h" -; } >"$SCRATCH/$1/mine.c"; }
module policy <<'END'
#define POLICY "mine"
#define POLICY_WAY_STATE unsigned
#define POLICY_INIT 1
#define POLICY_FINISH 1
static const char *policy_init(void) { blunder(IN_init); return NULL; }
static void policy_finish(void) { blunder(IN_finish); }
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; blunder(IN_policy_hit); }
static void policy_fill(unsigned set, unsigned way) { way_state(set, way)++; blunder(IN_policy_fill); }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; blunder(IN_policy_settled); return false; }
static unsigned policy_victim(unsigned set)
{
    if (now(IN_policy_victim)) {
        commit();
        return kind == A_no_way ? sim.ways : 0u - 1;
    }
    return way_state(set, 0) % sim.ways;
}
END
module level <<'END'
#define LEVEL "mine"
static struct lines lines;
static void cachesim_X_initcache(const struct sim_config *c) { lines_init(&lines, c->sets, c->ways, c->line_bits); blunder(IN_init); }
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind how, struct sim_result *result)
{
    if (now(IN_doref)) {
        commit();
        for (;;)
            sim_next(addr, size, how);
    }
    LINES_OF(line, addr, size)
        if (!lines_find(&lines, line)) {
            result->miss = true;
            lines_add(&lines, line, 0);
        }
}
END
module BC <<'END'
#define PREDICTOR "mine"
#define PREDICTOR_INIT 1
static void branchsim_BC_init(const struct sim_config *c) { (void)c; blunder(IN_init); }
static unsigned branchsim_BC_predict(uint64_t pc) { blunder(IN_branchsim_BC_predict); return pc & 1; }
static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; blunder(IN_branchsim_BC_update); }
END
module BI <<'END'
#define PREDICTOR "mine"
#define PREDICTOR_INIT 1
#define PREDICTOR_RETURNS 1
static void branchsim_BI_init(const struct sim_config *c) { (void)c; blunder(IN_init); }
static uint64_t branchsim_BI_target(uint64_t pc) { blunder(IN_branchsim_BI_target); return pc; }
static void branchsim_BI_learn(uint64_t pc, uint64_t target) { (void)pc, (void)target; }
static void branchsim_BI_call(uint64_t next) { (void)next; }
static uint64_t branchsim_BI_return(void) { blunder(IN_branchsim_BI_return); return 0; }
END
module AN <<'END'
#define ANALYSIS "mine"
static void analysis_init(const struct sim_config *c) { (void)c; blunder(IN_init); }
static void analysis_ref(const struct sim_ref *ref) { (void)ref; blunder(IN_analysis_ref); }
static void analysis_finish(void) { blunder(IN_finish); }
END
module observing <<'END'
#define ANALYSIS "mine"
#define ANALYSIS_OBSERVES 1
static void analysis_init(const struct sim_config *c) { (void)c; blunder(IN_init); }
static void analysis_insn(const struct sim_insn *insn) { (void)insn; blunder(IN_analysis_insn); }
static void analysis_finish(void) { blunder(IN_finish); }
END
build() {
    "$QUERN" sim build --"$1"="$SCRATCH/$2/mine.c" -o "$SCRATCH/engine-$1-$2" && build_replay "$SCRATCH/replay-$1-$2" "$1=$SCRATCH/$2/mine.c" ||
        bail "cannot build $2 in $1"
}
for slot in I1 D1 LL; do build $slot policy; done
for slot in D1 LL; do build $slot level; done
for slot in BC BI AN; do build $slot $slot; done
"$QUERN" sim build --AN="$SCRATCH/observing/mine.c" -o "$SCRATCH/engine-AN-observing" || bail 'cannot build observing in AN'

# ---- what is said of them ----

# in_engine PATTERN OPTIONS: stops with 70 and one line with PATTERN; a sound profile is left, unless nothing had run.
in_engine() {
    rm -f "$SCRATCH/profile"
    # shellcheck disable=SC2086 # geometry is words
    "$QUERN" run -q --branch-sim=yes --sim="$SCRATCH/engine-$simulator" --sim-opt="$2" --out-file="$SCRATCH/profile" $geometry \
        -- /bin/echo hello >"$SCRATCH/stdout" 2>"$SCRATCH/err"
    status=$?
    [ $status -eq 70 ] || { echo "status $status"; cat "$SCRATCH/err"; return 1; }
    grep -qE "$1" "$SCRATCH/err" || { echo "nothing like '$1' in:"; cat "$SCRATCH/err"; return 1; }
    [ "$(wc -l <"$SCRATCH/err")" -eq 1 ] || { echo 'not one line:'; cat "$SCRATCH/err"; return 1; }
    [ "$function" = init ] || awk -f "$top_srcdir/tests/corpus/totals.awk" "$SCRATCH/profile"
}

in_replay() {
    case $simulator:$function in BC*) trace=branches ;; *return) trace=calls ;; BI*) trace=branches ;; *) trace=trace ;; esac
    # shellcheck disable=SC2086
    "$QUERN" replay --sim="$SCRATCH/replay-$simulator" --sim-opt="$2" $geometry "$SCRATCH/$trace" >"$SCRATCH/stdout" 2>"$SCRATCH/err"
    status=$?
    [ $status -eq 70 ] || { echo "status $status"; cat "$SCRATCH/err"; return 1; }
    grep -qE "$1" "$SCRATCH/err" || { echo "nothing like '$1' in:"; cat "$SCRATCH/err"; return 1; }
    [ "$(wc -l <"$SCRATCH/err")" -eq 1 ] || { echo 'not one line:'; cat "$SCRATCH/err"; return 1; }
}

# index WORD LIST: its place in the list, from 1
index() {
    index_n=0
    for index_word in $2; do
        index_n=$((index_n + 1))
        [ "$index_word" != "$1" ] || echo $index_n
    done
}

# mistake SIMULATOR FUNCTION KIND WORDS [WHERE]: it must be said that it was in WHERE (the function) with WORDS.
mistake() {
    simulator=$1 slot=${1%%-*} function=$2
    options=place=$(index "$2" "$places"),kind=$(index "$3" "$kinds")
    wanted="module mine in slot $slot, ${5-$2}, reference [0-9]+: $4"
    case $4 in crashed* | 'does not'* | asks* | declares*) wanted="$wanted.*, at .*mine\\.c:[0-9]+" ;; esac
    ok "$3 in $slot, $2: the engine says so" in_engine "$wanted" "$options"
    ok "$3 in $slot, $2: the replay says so" in_replay "$wanted" "$options"
}

for slot in I1 D1 LL; do mistake $slot-policy policy_victim null 'crashed: an access out of bounds'; done
for function in init policy_hit policy_fill policy_settled finish; do
    mistake D1-policy $function null 'crashed: an access out of bounds'
done
mistake D1-level doref null 'crashed: an access out of bounds'
mistake BC-BC branchsim_BC_predict null 'crashed: an access out of bounds'
mistake BC-BC branchsim_BC_update null 'crashed: an access out of bounds'
mistake BC-BC init null 'crashed: an access out of bounds'
mistake BI-BI branchsim_BI_target null 'crashed: an access out of bounds'
mistake BI-BI branchsim_BI_return null 'crashed: an access out of bounds'
mistake AN-AN analysis_ref null 'crashed: an access out of bounds'
mistake D1-policy policy_victim wild 'crashed: an access out of bounds'
mistake D1-policy policy_victim zero 'crashed: a division by zero'
mistake LL-level doref trap 'crashed: a trap'
mistake D1-policy policy_victim recursion 'its stack is full'
mistake LL-level doref recursion 'its stack is full'
mistake D1-policy init recursion 'its stack is full'
mistake AN-AN finish recursion 'its stack is full'
mistake D1-policy policy_victim loop 'does not come back'
mistake LL-level doref loop 'does not come back'
mistake D1-level doref next 'does not come back' # asks the next level again and again
mistake D1-policy init loop 'does not come back'
mistake BC-BC branchsim_BC_predict loop 'does not come back'
mistake AN-AN analysis_ref loop 'does not come back'
mistake AN-AN finish loop 'does not come back'
mistake D1-policy init all-at-once 'asks for more memory' sim_alloc
mistake D1-policy policy_fill bit-by-bit 'asks for more memory' sim_alloc
mistake D1-policy policy_victim no-way 'chose a way that the set does not have'
mistake LL-policy policy_victim far-way 'chose a way that the set does not have'
mistake D1-policy policy_fill late 'declares an event after the start' sim_event
mistake D1-policy init twice 'declares an event twice' sim_event
mistake D1-policy init many 'declares more events' sim_event
mistake D1-policy init blank 'a name needs' sim_event
mistake D1-policy init wide 'has another number of cells than its table has columns' sim_row
mistake D1-policy init again 'there is a table of this name' sim_table

# A replay has no instructions to observe.
observing() { # FUNCTION KIND WORDS
    simulator=AN-observing function=$1
    ok "$2 in AN that observes, $1: the engine says so" in_engine "module mine in slot AN, $1, reference [0-9]+: $3" \
        "place=$(index "$1" "$places"),kind=$(index "$2" "$kinds")"
}
observing analysis_insn null 'crashed: an access out of bounds'
observing analysis_insn zero 'crashed: a division by zero'
observing analysis_insn recursion 'its stack is full'
observing analysis_insn loop 'does not come back'
observing finish null 'crashed: an access out of bounds'

# ---- a write behind what a module has asked for, or behind an array of its own ----

cat >"$SCRATCH/behind.c" <<'END'
#include "sim/module.h"
#define POLICY "behind"
#define POLICY_INIT 1
#define POLICY_HIT_IS_NOOP 1
static unsigned long *table, beyond;
static const char *policy_init(void)
{
    table = sim_alloc(sim_option(sim.slot, "bytes", 8));
    beyond = sim_option(sim.slot, "at", 0);
    return NULL;
}
static void policy_fill(unsigned set, unsigned way)
{
    (void)set, (void)way;
    table[beyond]++; /* HERE */
}
static unsigned policy_victim(unsigned set) { return set % sim.ways; }
END
sed 's/row\[way\] = moved/row[way + 100] = moved/' "$top_srcdir/lib/sim/cachesim_D1.c" >"$SCRATCH/default.c"
# behind FILE PATTERN OPTIONS: crashed at the line that has PATTERN.
behind() {
    line=$(grep -n "$2" "$SCRATCH/$1" | cut -d: -f1)
    wanted="in slot D1, [a-z_]*, reference [0-9]+: crashed: $crash.*, at .*$1:$line; .quern replay --sanitize"
    for tool in run replay; do
        case $tool in run) what=/bin/true ;; *) what=$SCRATCH/trace ;; esac
        # shellcheck disable=SC2086 # options are words
        "$QUERN" $tool --sim=D1="$SCRATCH/$1" --D1=32768,8,64 $3 "$what" >"$SCRATCH/stdout" 2>"$SCRATCH/err"
        is "$? $(grep -cE "$wanted" "$SCRATCH/err")" '70 1' "$tool, $1 $3: the line is named" || cat "$SCRATCH/err"
    done
}
crash='an access out of bounds'
behind default.c 'row\[way + 100\] = moved' ''
for words in 8 512 1024 1000000; do behind behind.c HERE "--sim-opt=bytes=$((8 * words)),at=$words"; done
behind behind.c HERE '--sim-opt=bytes=8,at=600'
crash='a trap .an index out of the bounds of an array..'
for index in 'set + 20' 'set - 5' 'way + 16' '16'; do
    for array in 'static unsigned char' unsigned; do
        cat >"$SCRATCH/array.c" <<END
#include "sim/module.h"
#define POLICY "array"
#define POLICY_HIT_IS_NOOP 1
static volatile unsigned last;
static void policy_fill(unsigned set, unsigned way)
{
    $array table[16] = { 0 };
    table[last & 15] = 1;
    table[$index] += (set + way) & 1; /* HERE */
    last = table[(last + 1) & 15];
}
static unsigned policy_victim(unsigned set) { return set % sim.ways; }
END
        behind array.c HERE ''
    done
done

# ---- replay --sanitize: overruns that stay within the pages of a module, in one line with the place ----

# sanitized WHAT DECLARATION STATEMENT: `at` is 16, one behind the array, from the fiftieth miss on.
sanitized() {
    cat >"$SCRATCH/overrun.c" <<END
#include "sim/module.h"
#define POLICY "overrun"
#define POLICY_INIT 1
#define POLICY_HIT_IS_NOOP 1
static unsigned long *given;
static const char *policy_init(void) { given = sim_alloc(16 * sizeof *given); return NULL; }
static void policy_fill(unsigned set, unsigned way)
{
    static unsigned misses;
    unsigned at = ++misses < 50 ? set % 16 : 16;
    $2
    (void)way;
    $3 /* HERE */
}
static unsigned policy_victim(unsigned set) { return set % sim.ways; }
END
    "$QUERN" replay --sanitize --sim=D1="$SCRATCH/overrun.c" "$SCRATCH/trace" >"$SCRATCH/stdout" 2>"$SCRATCH/err"
    status=$? line=$(grep -n HERE "$SCRATCH/overrun.c" | cut -d: -f1)
    wanted="^quern: replay: module overrun in slot D1, policy_fill, reference [0-9]+: crashed: .*$1.* \\(record [0-9]+ of the trace\\), at .*overrun\\.c:$line$"
    is "$status $(wc -l <"$SCRATCH/err") $(grep -cE "$wanted" "$SCRATCH/err")" '70 1 1' "replay --sanitize: $1, the only line names file and line" || cat "$SCRATCH/err"
}
sanitized heap-buffer-overflow '' 'given[at]++;'
sanitized stack-buffer-overflow 'unsigned char own[16] = { 0 }; unsigned char *volatile to = own; unsigned char *p = to;' 'p[at]++;'
sanitized global-buffer-overflow 'static unsigned char own[16]; static unsigned char *volatile to = own; unsigned char *p = to;' 'p[at]++;'
sanitized '[Ii]ndex 16 out of bounds' 'static volatile unsigned char own[16];' 'own[at]++;'
sanitized '[Ss]igned integer overflow' 'static volatile int sum = 0x7fffffff - 40;' 'sum += (int)at / 16;'
sanitized 'an access out of bounds' 'unsigned char *volatile p = (unsigned char *)16;' 'if (at == 16) p[at] = 1;'
sed 's/= ++misses.*/= ++misses % 16;/' "$SCRATCH/overrun.c" >"$SCRATCH/right.c"
ok '... and nothing where nothing is wrong' "$QUERN" replay --sanitize --sim=D1="$SCRATCH/right.c" "$SCRATCH/trace"

# ---- the run is ended while a module does not come back ----

# used PID: processor time of its children, in ticks of 1/100 s
used() {
    for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do cat "/proc/$child/stat" 2>/dev/null; done | awk '{ sum += $14 + $15 } END { print sum + 0 }'
}
runs() { grep -q '^State:[[:space:]]*[^Z]' "/proc/$1/status" 2>/dev/null; }
for tool in run replay; do
    options="-q --sim=$SCRATCH/engine-D1-policy /bin/true"
    [ $tool = run ] || options="--sim=$SCRATCH/replay-D1-policy $SCRATCH/trace"
    for sig in INT TERM; do
        # shellcheck disable=SC2086
        QUERN_MODULE_SECONDS=100000 env --default-signal=INT "$QUERN" $tool --sim-opt="place=$(index policy_victim "$places"),kind=$(index loop "$kinds")" \
            $geometry $options >"$SCRATCH/stdout" 2>"$SCRATCH/err" &
        pid=$!
        while runs $pid && [ "$(used $pid)" -lt 200 ]; do sleep 0.1; done
        kill -$sig $pid
        wait $pid
        is "$?" "$(case $sig in INT) echo 130 ;; *) echo 143 ;; esac)" "$tool, SIG$sig: ends by it"
        ok '... and names where the module stands' grep -qE \
            'module mine in slot D1, policy_victim, reference [0-9]+: had not come back when the run was ended.*, at .*mine\.c:[0-9]+' "$SCRATCH/err" || cat "$SCRATCH/err"
    done
done

# A geometry that the policy refuses.
"$QUERN" sim build --D1=nru -o "$SCRATCH/engine" || bail 'cannot build nru'
"$QUERN" run -q --sim="$SCRATCH/engine" --D1=8192,128,64 --out-file="$SCRATCH/profile" -- /bin/true 2>"$SCRATCH/err"
is $? 70 'a geometry that the policy cannot do: 70'
ok '... and why' grep -q 'module nru in slot D1, policy_init, .*at most 64 ways' "$SCRATCH/err"
"$QUERN" sim build --D1=victim -o "$SCRATCH/engine" || bail 'cannot build victim'
"$QUERN" run -q --sim="$SCRATCH/engine" --sim-opt=victim-lines=0 --out-file="$SCRATCH/profile" -- /bin/true 2>"$SCRATCH/err"
is $? 70 'an option out of range: 70'
ok '... and what was wanted' grep -q 'module victim in slot D1, victim-lines, .*got 0, wanted 1 to 4096' "$SCRATCH/err"
done_testing
