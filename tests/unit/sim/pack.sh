#!/bin/sh
# Does a pack hold a module whole, does `quern sim test` find what breaks the contract, and is a pack that was changed refused?
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

"$QUERN" sim pack mine.c -o mine.pack --origin='A. Student
second line' 2>err
is "$? $(cat err)" '0 ' 'a module is packed'
is "$(sed -n '2,7p' mine.pack)" "name mine
slot D1
hash $("$QUERN" run -q --sim=D1=mine.c --out-file=p true && sed -n 's/.*D1=mine:\([0-9a-f]*\).*/\1/p' p | head -n 1)
origin A. Student second line
reference a line of its own
options --I1=4096,2,64 --D1=4096,4,64 --LL=65536,8,64" 'its head: hash as profiles have it, origin in one line, reference out of its comment'
size=$(sed -n 's/^sections \([0-9]*\) .*/\1/p' mine.pack)
is "$(sed '1,/^$/d' mine.pack | head -c "$size" | cmp - mine.c 2>&1)" '' 'its source, byte for byte'
"$QUERN" sim test mine.pack >out 2>err
is "$? $(grep -c '^ok' out) $(grep -c '^not ok' out) $(cat err)" '0 7 0 ' 'and it keeps the contract: seven checks'
is "$(grep 'references come' out)" 'ok - references come: behind a filter' 'its class'
rm -f mine.c.moved && mv mine.c mine.c.moved
ok 'without the file it was made of' "$QUERN" sim test mine.pack
mv mine.c.moved mine.c
"$QUERN" sim test mine.c >out
is "$? $(grep -c '^ok' out)" '0 5' 'a C file: those that need no pack'

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
finds hidden 'no hidden state' 's/unsigned oldest = 0;/unsigned oldest = (unsigned)__builtin_ia32_rdtsc() \/ 64 % sim.ways;/'
finds warns 'compiles for an engine' 's/unsigned oldest = 0;/unsigned oldest = 0, unused;/'
finds libc 'compiles for an engine' 's/^#include.*/&\n#include <time.h>/; s/unsigned oldest = 0;/unsigned oldest = time(NULL) % 2;/'
finds syntax 'compiles for an engine' 's/unsigned oldest = 0;/unsigned oldest = ;/'

# ---- a pack that was changed ----

refused() {
    said=$("$QUERN" sim test "$1" 2>&1)
    is "$? $said" "1 quern: sim test: $2" "$3"
}
sed '1s/1/9/' mine.pack >a.pack
refused a.pack "a.pack:1: got '$(head -c 60 a.pack | tr '\n' '~' | sed 's/~/\\n/g')', wanted \"quern-pack 1\"" 'another version'
sed '3s/D1/XY/' mine.pack >b.pack
refused b.pack "b.pack:3: got 'XY', wanted a slot, and a name of letters, digits, - and _" 'a slot that there is not'
sed '2s,mine,../mine,' mine.pack >c.pack
refused c.pack "c.pack:3: got 'D1', wanted a slot, and a name of letters, digits, - and _" 'a name that leads elsewhere'
sed 's/the oldest leaves/the newest leaves/' mine.pack >d.pack
sum=$(sed -n 's/^sum //p' mine.pack)
refused d.pack "d.pack:10: got '$sum', wanted the sum of what follows: it is damaged" 'a source that was changed'
head -c 700 mine.pack >e.pack
refused e.pack "e.pack:9: got '$(sed -n 's/^sections //p' mine.pack)', wanted the bytes of source, trace and summary, which end with the file" 'cut off'
sed '5d' mine.pack >f.pack
refused f.pack "f.pack:5: got 'reference a line of its own', wanted a line \"origin ...\" of less than 262 bytes" 'a line that is missing'
: >empty.pack
refused empty.pack "empty.pack:1: got '', wanted \"quern-pack 1\"" 'an empty file'
refused ./absent.pack './absent.pack: No such file or directory' 'a file that is not there'
"$QUERN" sim pack nosuch -o x.pack 2>err
is "$? $(ls x.pack 2>/dev/null)" '1 ' 'a module that is not there: nothing is written'
"$QUERN" sim pack mine.c 2>err
is "$?" 2 'no output: a usage error'
is "$(ls -A tmp)" '' 'nothing is left behind'
done_testing
