#!/bin/sh
# Lab 13: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 13 38
full_marks
nothing_yet
only=stride
wrong stride.c 's/^        learn(line/        if (result->miss)\n            learn(line/' '1 2 3' 'stride: the table learns from misses only'
wrong stride.c 's/    else if (s->sure)/    else if (0)/' '1 2 3' 'stride: a new step at once'
wrong stride.c 's/    if (step == s->step)/    if (step == s->step \&\& step > 0)/' '1 2 3' 'stride: forwards only'
wrong stride.c 's/next \/ REGION == s->region && //' '1 2 3' 'stride: beyond the region'
wrong stride.c 's/        if (s->used < oldest->used)/        if (s->used > oldest->used)/' '1 2 3' 'stride: the newest entry is replaced'
wrong stride.c 's/        if (s->used < oldest->used)/        if (0)/' '1 2 3' 'stride: the first entry is replaced'
wrong stride.c 's/s->sure += s->sure < 3;/s->sure++;/' '1 2 3' 'stride: confidence without end'
wrong stride.c 's/!lines_has(/!lines_find(/' '1 2 3' 'stride: a prefetch moves a line that is in the cache'
only=drrip
wrong drrip.c 's/bool brrip = .*/bool brrip = 0;/' '1 2' 'drrip: srrip'
wrong drrip.c 's/bool brrip = .*/bool brrip = 1;/' '1 2' 'drrip: brrip'
wrong drrip.c 's/selector > 511);/selector <= 511);/' '1 2' 'drrip: the wrong way round'
wrong drrip.c 's/    if (place == 1)/    if (place > 1)/' '1 2' 'drrip: the counter is moved by those that follow'
wrong drrip.c 's/!brrip || ++fills % PERIOD == 0/++fills % PERIOD == 0 || !brrip/' '1 2' 'drrip: fills by srrip count, too'
only=mine
wrong mine.c 's/MIDDLE 16/MIDDLE 512/' '1 2 3' 'mine: the counter is too slow'
wrong mine.c 's/    if (leads_near || (!leads_far .*/    if (1)/' '1 2 3' 'mine: srrip'
wrong mine.c 's/^static uint32_t numbers.*/static uint8_t more[600];\n&/; s/^static void policy_hit(unsigned set, unsigned way) {/& more[set]++;/' '1 2 3' 'mine: too many bits'
wrong mine.c 's/^static uint32_t numbers.*/#define numbers ((uint32_t *)((uint8_t *)__builtin_frame_address(0) - (1 << 17)))/' '1 2 3' 'mine: memory below the stack'
ok 'is told so' grep -q 'keeps something elsewhere' "$SCRATCH/tap"
cp -r "$solution" "$SCRATCH/ahead"
sed 's/^static void policy_hit(unsigned set, unsigned way) {/& if (sim_next_use() != UINT64_MAX) *(volatile int *)8 = 1;/' "$solution/mine.c" >"$SCRATCH/ahead/mine.c"
check "$SCRATCH/ahead" --case-seed=7 --only=mine
is "$(grep -c sim_next_use "$SCRATCH/ahead/mine.c"):$(grep -c '^ok' "$SCRATCH/tap"):$failed" 1:3: 'mine: is told nothing of what comes'
only=
mkdir "$SCRATCH/class" && cp -r "$solution" "$SCRATCH/class/ada"
"$QUERN" lab marks --case-seed=7 13 "$SCRATCH/class" >"$SCRATCH/marks" 2>"$SCRATCH/err"
ok "marks has the contest's results" grep -q '^ada,100,.*,contest: [0-9.]*% of lru.s misses' "$SCRATCH/marks" || diag "$(cat "$SCRATCH/marks" "$SCRATCH/err")"
handout
done_testing
