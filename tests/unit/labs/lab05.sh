#!/bin/sh
# Lab 5: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 5 39
full_marks
nothing_yet
only=onebit
wrong onebit.c 's/pc & ((1u << bits) - 1)/(pc >> 2) \& ((1u << bits) - 1)/' '1 2' 'onebit: another index'
only=twobit
wrong twobit.c 's/\*entry(pc) < 3/1/; s/-= \*entry(pc) > 0/-= 1/' '1 2 3' 'twobit: counters wrap'
wrong twobit.c 's/\*entry(pc) < 3/*entry(pc) < 7/' '1 2 3' 'twobit: counters go too far'
wrong twobit.c 's/return \*entry(pc) >= 2/return *entry(pc) >= 1/' '1 2 3' 'twobit: taken from 1 on'
only=gshare
wrong gshare.c 's/history << 1 | taken;/history << 1 | !taken;/' '1 2' 'gshare: history upside down'
wrong gshare.c 's/(pc ^ history)/history/' '1 2' 'gshare: history alone'
wrong gshare.c 's/(pc ^ history)/pc/' '1 2' 'gshare: no history'
wrong gshare.c 's/^    if (taken)/    history = history << 1 | taken;\n    if (taken)/; s/^    history = history << 1 | taken;$/    (void)0;/' \
    '1 2' 'gshare: history shifted before the counter is trained'
only=mine
wrong mine.c 's/choice\[pc % ENTRIES\] >= 2/1/' '3' 'mine: global only'
wrong mine.c 's/choice\[pc % ENTRIES\] >= 2/1/; s/GLOBAL_HISTORY 4/GLOBAL_HISTORY 0/' '1 2 3' 'mine: twobit again'
wrong mine.c 's/^static uint32_t history;/static uint8_t more[5000];\n&/; s/^    history = /    more[pc % 5000]++;\n&/' \
    '1 2 3' 'mine: more than 4 KiB'
wrong mine.c 's/^static uint32_t history;/static uint8_t more[4224 - 3332];\n&/; s/^    history = /    more[pc % sizeof more]++;\n&/' \
    '1 2 3' 'mine: 4,224 bytes'
wrong mine.c 's/^static uint32_t history;/static uint8_t *more;\n&/; s/^    history = /    more = more ? more : sim_alloc(5000);\n    more[pc % 5000]++;\n&/' \
    '1 2 3' 'mine: memory asked for'
ok 'is told so, at its line' grep -q 'the_memory_of_this_predictor_is_its_variables' "$SCRATCH/tap"
cp -r "$solution" "$SCRATCH/services"
sed -i 's/^    history = /    if (pc == 1) {\n        sim_print("%s", sim.slot);\n        sim_count(sim_event(sim.slot, "e", ""), 1);\n        sim_fail(sim.slot, PREDICTOR, "update", 0, "one");\n    }\n&/' "$SCRATCH/services/mine.c"
check "$SCRATCH/services" --case-seed=7 --only=mine
is "$failed" '' 'mine: services of modules link' || diag "$(cat "$SCRATCH/tap")"
peek='s/^static uint32_t history;/int open(const char *, int);\n&/; s/^    history = /    if (open("branches.trace", 0) < 0) taken = 0;\n&/'
wrong mine.c "$peek" '1 2 3' 'mine: looks into the trace'
ok 'is told so' grep -q 'the code calls open' "$SCRATCH/tap"
wrong mine.c 's/^    history = /    __asm__ volatile("syscall" : : "a"(39) : "rcx", "r11");\n&/' \
    '1 2 3' 'mine: calls the system'
ok 'is told so' grep -q 'the code calls the system' "$SCRATCH/tap"
cat >"$SCRATCH/peeks.c" <<'PEEKS'
#include "sim/module.h"
#define PREDICTOR "mine"
static uint8_t seen[96], best;
static uint16_t score[96];
static __attribute__((noinline)) void look(void)
{
    for (unsigned i = 0; i < 96; i++)
        seen[i] = ((uint8_t *)__builtin_frame_address(0))[4 * i] & 1;
}
static unsigned branchsim_BC_predict(uint64_t pc) { (void)pc, look(); return seen[best]; }
static void branchsim_BC_update(uint64_t pc, unsigned taken)
{
    (void)pc;
    for (uint8_t i = 0; i < 96; i++) {
        score[i] = seen[i] == taken ? score[i] + (score[i] < 60000) : score[i] / 2;
        best = score[i] > score[best] ? i : best;
    }
}
PEEKS
wrong mine.c "1r $SCRATCH/peeks.c
d" '1 2 3' 'mine: finds the outcome on the stack of who asks'
only=
handout
done_testing
