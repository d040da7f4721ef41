# tests/unit/cost/fake/fake.sh - sourced by the collector's tests: builds the fake engine and runs under it.
#
#   . "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"
#   fake -q -- true block 10 exit 3        quern run with the fake engine, in $SCRATCH/work, which is emptied first
#   $FAKE_OPTIONS                          for commands that need the words themselves
#
# What the fake engine's words mean stands in fake_engine.c.

. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

FAKE=$SCRATCH/fake-engine
WORK=$SCRATCH/work
"$CC" -std=gnu11 -g -O1 -I "$top_srcdir/lib" "$top_srcdir/tests/unit/cost/fake/fake_engine.c" -o "$FAKE" ||
    bail "cannot compile the fake engine"
LANDMARK=$(grep -n 'LANDMARK \*/' "$top_srcdir/tests/unit/cost/fake/fake_engine.c" | cut -d: -f1)
mkdir -p "$WORK" && cd "$WORK" || bail "no scratch directory"

fresh() {
    rm -rf "${WORK:?}"/* "$SCRATCH/out" "$SCRATCH/err"
}

# Runs; leaves $SCRATCH/out, $SCRATCH/err and the status in $status.
fake() {
    fresh
    "$QUERN" run --sim="${sim-$FAKE}" "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    status=$?
}

# wait_for COMMAND...: true as soon as the command is, within ten minutes at least.
wait_for() {
    tries=0
    while ! "$@" 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 12000 ] || return 1
        sleep 0.05
    done
}

# The guest of a quern that runs in the background: the pid that its banner shows.
guest_of() {
    sed -n 's/^==\([0-9]*\)== Command.*/\1/p' "$1"
}

lines() {
    wc -l <"$1" | tr -d ' '
}

body() {
    sed -n '/^fl=/,$p' "$@"
}
