#!/bin/sh
# Lab 3: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 3 40
full_marks
nothing_yet

only='fifo: every'
wrong fifo.c 's/(void)set, (void)way; }/set_state(set) = (way + 1) % sim.ways; }/' 1 'fifo: a hit counts as coming'
only=lru:
wrong lru.c 's/way_state(set, way) = ++now;$/(void)0;/' 1 'lru: hits are not noted'
wrong lru.c 's/way_state(set, way) < way_state(set, oldest)/way_state(set, way) > way_state(set, oldest)/' \
    1 'lru: the newest leaves'
wrong lru.c '$a #include "sim/policy/lru.c"' 1 'lru: the module that ships, included'
ok 'which the compiler is not allowed to read' grep -q 'Permission denied' "$SCRATCH/tap"
only=plru:
wrong plru.c 's/if (node % 2)/if (node % 2 == 0)/' 1 'plru: pointers towards the line'
wrong plru.c 's/ policy_hit(set, way); }/ (void)set, (void)way; }/' 1 'plru: a fill is no use'
only=nru:
wrong nru.c 's/set_state(set) = 1ull << way;/set_state(set) = 0;/' 1 'nru: its own bit cleared, too'
only=srrip:
wrong srrip.c 's/way_state(set, way) = LATE;/way_state(set, way) = SOON;/' 1 'srrip: filled with 0'
wrong srrip.c 's/way_state(set, way) = SOON; }/way_state(set, way) -= way_state(set, way) > 0; }/' \
    1 'srrip: a hit counts down'
only=random:
wrong random.c 's/return sim_random(sim.ways);/static unsigned next; return next++ % sim.ways;/' 1 'random: in turn'
wrong random.c 's/return sim_random(sim.ways);/return sim_random(sim.ways - 1);/' 1 'random: never the last way'
wrong random.c 's/return sim_random(sim.ways);/static unsigned x = 1; return (x = 1103515245 * x + 12345) >> 20 \& (sim.ways - 1);/' 1 'random: the same each time'
check "$solution" --case-seed=479229042 --only="$only"
is "$(grep -c '^ok' "$SCRATCH/tap"):$failed" '1:' 'the solution, where all ways together leave as often as all are asked for' || diag "$(cat "$SCRATCH/tap" "$SCRATCH/err")"
only='opt: every'
wrong opt.c 's/way_state(set, way) > way_state(set, last)/way_state(set, way) < way_state(set, last)/' \
    1 'opt: the nearest use leaves'
wrong opt.c 's/policy_hit(unsigned set, unsigned way) { way_state(set, way) = sim_next_use(); }/policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }/' \
    '1' 'opt: what it knew is not renewed at hits'
only=settled
wrong srrip.c 's/return way_state(set, way) == SOON;/(void)set, (void)way; return true;/' 1 'settled: always yes'
wrong lru.c 's/if (!policy_settled(set, way))/if (1)/' 1 'settled: a new time for the newest line'
only=
handout
done_testing
