#!/bin/sh
# Do ./configure --with-sim-SLOT=NAME and make SIM_SLOT=FILE put modules in slots of the build's own engine, AN among them?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ ! -e "$top_srcdir/config.status" ] || skip_all 'the source directory is configured itself' 8
[ -x "$top_srcdir/configure" ] || bail 'no ./configure: autoreconf -i'
"$top_srcdir/configure" -q CC="$CC" ENGINE_OPT=-O1 --with-sim-AN=interval --with-sim-D1=fifo >configure.log 2>&1 ||
    bail "configure: $(tail -n 3 configure.log)"
# What does not depend on the slots has been compiled before.
(cd "$top_builddir" && find lib sim_units -name 'quern_engine-*' -o -path 'sim_units/*' | tar cf - -T -) | tar xf - || bail 'cannot copy objects'
rm -f sim_units/*-given* lib/sim/quern_engine-slots.o

# engine OPTIONS...: makes it; what is in it
engine() {
    make -s quern-engine "$@" >make.log 2>&1 || bail "make: $(grep -m 3 'rror' make.log)"
    "$QUERN" sim list ./quern-engine | sed 's,.*quern-engine: ,,;s/:[0-9a-f]\{16\}/:HASH/g'
}
run() { "$QUERN" run --sim=./quern-engine --out-file=profile "$@" -- "$top_builddir/tests/guest/sort" 2>&1 | sed 's/^==[0-9]*== //'; }

is "$(engine)" 'I1=lru D1=fifo:HASH LL=lru BC=cachegrind BI=cachegrind AN=interval:HASH' 'configure --with-sim-AN=interval --with-sim-D1=fifo'
is "$("$QUERN" sim list ./quern-engine | grep -o 'interval:[0-9a-f]*')" \
    "$("$QUERN" sim build --AN=interval -o other && "$QUERN" sim list ./other | grep -o 'interval:[0-9a-f]*')" \
    'the hash is that of quern sim build'
[ -x "$top_builddir/tests/guest/sort" ] || bail 'no tests/guest/sort: make guests'
run --sim-opt=interval=100000 >said
# "AN: number instructions data-references ..."
is "$(awk '/^AN: [0-9]/ { n += $3 } END { print n }' said)" \
    "$(awk '/^summary/ { print $2 }' profile)" 'it runs: the intervals have all instructions of the profile'
ok 'the profile names it, with its hash' grep -qE '^desc: Modules: .*AN=interval:[0-9a-f]{16}$' profile

cat >mine.c <<'END'
#include "sim/module.h"
#define ANALYSIS "mine"
static uint64_t fetches;
static void analysis_init(const struct sim_config *c) { (void)c; }
static void analysis_ref(const struct sim_ref *ref) { fetches += ref->kind == SIM_REF_FETCH; }
static void analysis_finish(void) { sim_print("mine saw %lu fetches", fetches); }
END
is "$(engine SIM_AN=mine.c SIM_D1=default)" 'I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind AN=mine:HASH' 'make SIM_AN=FILE'
is "$(run | sed -n 's/^mine saw \([0-9]*\) fetches$/\1/p')" "$(awk '/^summary/ { print $2 }' profile)" 'it runs: it sees every fetch'
is "$(engine SIM_AN=default SIM_D1=default)" 'I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind' 'make SIM_AN=default: nothing'
make -s quern-engine SIM_AN=nobody >make.log 2>&1
is "$?$(grep -o 'sim-slots.sh: .*' make.log)" "2sim-slots.sh: slot AN: no module named 'nobody' in lib/sim/*/" 'a name that nobody has'

done_testing
