#!/bin/sh
# Does each way to name a simulator module lead to the right file, and its hash?  (Those of "", "a" and "foobar" are published with
# FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

tree=$SCRATCH/tree
slots=$top_srcdir/build-aux/sim-slots.sh
mkdir -p "$tree/lib/sim/policy" "$tree/lib/sim/fast" "$SCRATCH/lab"
: >"$tree/lib/sim/cachesim_D1.c"
: >"$tree/lib/sim/branchsim_BC.c"
: >"$tree/lib/sim/policy/fifo.c"
printf '%s cbf29ce484222325\n' D1 BC >"$tree/lib/sim/fast/proven"
printf a >"$SCRATCH/lab/mine.c"
mkdir "$tree/lib/sim/analysis"
printf foobar >"$tree/lib/sim/analysis/look.c"

# file_for SLOT=VALUE: the file and name that the header gives, or the message.
file_for() {
    (cd "$SCRATCH/lab" && HOME=$SCRATCH sh "$slots" "$tree" "$SCRATCH/slots.h" "$1" 2>&1 >/dev/null) && \
        sed -n 's/#define QN_SIM_//p' "$SCRATCH/slots.h"
}

is "$(file_for D1=default)" '' 'the default of a cache, which its fast version was proven equal to: no file is given'
is "$(file_for BC=default)" '' 'the default of a predictor'
printf a >"$tree/lib/sim/cachesim_D1.c"
is "$(file_for D1=default)" 'D1_FILE "lib/sim/cachesim_D1.c"
D1_NAME "cachesim_D1:af63dc4c8601ec8c"
D1_UNIT 1' 'a default that was edited is a module as any other'
is "$(file_for AN=default)" '' 'the default of AN: nothing'
is "$(file_for D1=fifo)" 'D1_FILE "lib/sim/policy/fifo.c"
D1_NAME "fifo:cbf29ce484222325"
D1_UNIT 1' 'a module that ships, by name'
is "$(file_for D1=mine.c)" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine:af63dc4c8601ec8c\"
D1_UNIT 1" 'a file of one'"'"'s own, relative'
is "$(file_for "D1=~/lab/mine.c")" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine:af63dc4c8601ec8c\"
D1_UNIT 1" 'a file under ~, which not every shell expands'
is "$(file_for "D1=$SCRATCH/lab/mine.c")" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine:af63dc4c8601ec8c\"
D1_UNIT 1" 'a file by its whole path'
is "$(file_for AN=look)" 'AN_FILE "lib/sim/analysis/look.c"
AN_NAME "look:85944171f73967e8"
AN_UNIT 1' 'an analysis module'
is "$(file_for D1=lifo)" "sim-slots.sh: slot D1: no module named 'lifo' in lib/sim/*/" 'a name that nobody has'
is "$(file_for D1=../other.c)" 'sim-slots.sh: slot D1: no such file: ../other.c' 'a file that is not there'
is "$(file_for LL=default)" 'sim-slots.sh: slot LL: no default module under lib/sim' 'a slot without a default'

printf b >"$SCRATCH/lab/mine.c"
ok 'another content: another hash' sh -c "! sh '$slots' '$tree' '$SCRATCH/other.h' D1='$SCRATCH/lab/mine.c' | grep -q af63dc4c8601ec8c"
file_for D1=fifo >/dev/null
touch -d 2001-01-01 "$SCRATCH/slots.h"
file_for D1=fifo >/dev/null
is "$(find "$SCRATCH/slots.h" -newermt 2002-01-01)" '' 'nothing new: the header keeps its time stamp'
file_for D1=mine.c >/dev/null
is "$(find "$SCRATCH/slots.h" -newermt 2002-01-01)" "$SCRATCH/slots.h" 'another module: it does not'

# The units that ship, and which defaults are proven.
units=$SCRATCH/units.h
sh "$slots" --units "$tree" "$units" D1/cachesim_D1 D1/policy/fifo AN/analysis/look >/dev/null
is "$(sed -n 's/^#define QN_UNITS[A-Z_]*(X) *//p' "$units" | tr '\n' '|')" 'X(D1, cachesim_D1) X(D1, fifo)|X(AN, look)|' 'the list of units'
is "$(grep -c '"D1=cachesim_D1:af63dc4c8601ec8c\\n"\|"D1=fifo:cbf29ce484222325\\n"\|"AN=look:85944171f73967e8\\n"' "$units")" 3 \
    'each with its hash'
is "$(sed -n 's/^#define QN_PROVEN_SLOTS //p' "$units")" 8u 'BC is what was proven, D1 no more'
is "$(sh "$top_srcdir/build-aux/sim-slots.sh" "$top_srcdir" "$SCRATCH/all.h" I1=default D1=default LL=default BC=default BI=default >/dev/null
    grep -c UNIT "$SCRATCH/all.h")" 0 'the five default files of this tree are those that sim/fast was proven for'

done_testing
