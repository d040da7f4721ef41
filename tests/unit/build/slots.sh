#!/bin/sh
# Does each way to name a simulator module lead to the right file?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

tree=$SCRATCH/tree
slots=$top_srcdir/build-aux/sim-slots.sh
mkdir -p "$tree/lib/sim/policy" "$SCRATCH/lab"
: >"$tree/lib/sim/cachesim_D1.c"
: >"$tree/lib/sim/branchsim_BC.c"
: >"$tree/lib/sim/policy/fifo.c"
: >"$SCRATCH/lab/mine.c"

# file_for SLOT=VALUE: the file and name that the header gives, or the message.
file_for() {
    (cd "$SCRATCH/lab" && HOME=$SCRATCH sh "$slots" "$tree" "$SCRATCH/slots.h" "$1" 2>&1 >/dev/null) && \
        sed -n 's/#define QN_SIM_//p' "$SCRATCH/slots.h"
}

is "$(file_for D1=default)" 'D1_FILE "lib/sim/cachesim_D1.c"
D1_NAME "cachesim_D1"' 'the default of a cache'
is "$(file_for BC=default)" 'BC_FILE "lib/sim/branchsim_BC.c"
BC_NAME "branchsim_BC"' 'the default of a predictor'
is "$(file_for D1=fifo)" 'D1_FILE "lib/sim/policy/fifo.c"
D1_NAME "fifo"
D1_UNIT 1' 'a module that ships, by name'
is "$(file_for D1=mine.c)" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine\"
D1_UNIT 1" 'a file of one'"'"'s own, relative'
is "$(file_for "D1=~/lab/mine.c")" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine\"
D1_UNIT 1" 'a file under ~, which not every shell expands'
is "$(file_for "D1=$SCRATCH/lab/mine.c")" "D1_FILE \"$SCRATCH/lab/mine.c\"
D1_NAME \"mine\"
D1_UNIT 1" 'a file by its whole path'
is "$(file_for D1=lifo)" "sim-slots.sh: slot D1: no module named 'lifo' in lib/sim/*/" 'a name that nobody has'
is "$(file_for D1=../other.c)" 'sim-slots.sh: slot D1: no such file: ../other.c' 'a file that is not there'
is "$(file_for LL=default)" 'sim-slots.sh: slot LL: no default module under lib/sim' 'a slot without a default'

file_for D1=fifo >/dev/null
touch -d 2001-01-01 "$SCRATCH/slots.h"
file_for D1=fifo >/dev/null
is "$(find "$SCRATCH/slots.h" -newermt 2002-01-01)" '' 'nothing new: the header keeps its time stamp'
file_for D1=mine.c >/dev/null
is "$(find "$SCRATCH/slots.h" -newermt 2002-01-01)" "$SCRATCH/slots.h" 'another module: it does not'

done_testing
