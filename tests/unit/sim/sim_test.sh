#!/bin/sh
# Does `quern sim test` find what breaks the contract of modules?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
mkdir tmp
TMPDIR=$SCRATCH/tmp
export TMPDIR

cat >mine.c <<'END'
/* mine.c - the oldest leaves, with a count of those that came.
 *
 * Source: a line of its own
 */
#include "sim/module.h"

#define POLICY "mine"
#define POLICY_WAY_STATE uint64_t
#define POLICY_SET_STATE uint64_t
#define POLICY_ONE_SETTLED 1

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
        oldest = way_state(set, way) < way_state(set, oldest) ? way : oldest;
    return oldest;
}

static bool policy_settled(unsigned set, unsigned way) { return way_state(set, way) == set_state(set); }
END

# ---- a module that keeps the contract ----

"$QUERN" sim test mine.c >out 2>err
is "$? $(grep -c '^ok' out) $(grep -c '^not ok' out) $(cat err)" '0 5 0 ' 'it keeps the contract: five checks'
is "$(grep 'references come' out)" 'ok - references come: behind a filter' 'its class'
"$QUERN" sim test srrip >out 2>err
is "$? $(grep -c '^ok' out) $(cat err)" '0 5 ' 'a module that ships, by its name'

# A module may have functions of the names of C's library, but for stdio.h.
sed 's/^static unsigned policy_victim/static unsigned index(unsigned x) { return x; }\nstatic uint64_t log2(uint64_t x) { return x; }\n&/
    s/return oldest;/return index(log2(oldest));/' mine.c >names.c
"$QUERN" sim test names.c >out 2>err
is "$? $(grep -c '^ok' out) $(cat err)" '0 5 ' 'functions index and log2'

# ---- modules that do not ----

# finds NAME CHECK SCRIPT: mine.c changed by sed breaks this check
finds() {
    sed "$3" mine.c >"$1.c"
    cmp -s "$1.c" mine.c && bail "nothing was changed for $1"
    "$QUERN" sim test "$1.c" >out 2>err
    status=$?
    is "$status $(grep -c "^not ok - $2" out)" '1 1' "$1: not ok - $2"
}
finds settled 'settled is true' 's/{ return way_state(set, way) == set_state(set); }/{ return way_state(set, way) + 2 >= set_state(set); }/'
finds stamps 'no hidden state' '/if (way_state(set, way) != set_state(set))/d'
is "$(grep -c '^not ok - .*: quern: [a-z]*: module mine in slot D1, policy_settled, reference [0-9]*: said that a hit' out)" 3 'each failed check says why'
finds hidden 'no hidden state' 's/unsigned oldest = 0;/unsigned oldest = (unsigned)__builtin_ia32_rdtsc() \/ 64 % sim.ways;/'
finds warns 'compiles for an engine' 's/unsigned oldest = 0;/unsigned oldest = 0, unused;/'
finds libc 'compiles for an engine' 's/^#include.*/&\n#include <time.h>/; s/unsigned oldest = 0;/unsigned oldest = time(NULL) % 2;/'
finds syntax 'compiles for an engine' 's/unsigned oldest = 0;/unsigned oldest = ;/'

# ---- what is no module ----

"$QUERN" sim test nosuch >out 2>err
is "$? $(wc -l <err)" '1 1' 'a module that is not there'
"$QUERN" sim test 2>err
is "$? $(grep -c 'test wants one module' err)" '2 1' 'none: a usage error'
is "$(ls -A tmp)" '' 'nothing is left behind'
done_testing
