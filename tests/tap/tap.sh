# tap.sh - TAP for tests in shell.  Source it first; POSIX sh.
#
#   . "${top_srcdir:-../../..}/tests/tap/tap.sh"
#
#   plan 3                                    # or call done_testing at the end
#   ok "nop has one byte" test "$len" -eq 1   # passes if the command succeeds
#   is "$got" "$wanted" "the text of nop"     # passes if both are equal; a diff is shown otherwise
#   skip "valgrind is not installed" 1        # count 1 test point as skipped
#   diag "any remark"                         # a comment in the log
#   ok "..." some_time compare ./threads      # it succeeds once in at most 20 times: what threads do may differ
#   bail "cannot compile the sample"          # give up: the whole test fails
#   skip_all "no perf counters here" 12       # nothing of this test can run: 12 points
#   absent "valgrind is not installed" 3      # as skip, of what packages.debian names: a failure where QUERN_ORACLES=required
#   absent_all "valgrind is not installed" 7  # as skip_all, so
#   done_testing
#
# A point that fails prints the command that runs the test again.  The exit status is 1 if any failed.  Environment:
# QUERN, CC, top_srcdir, top_builddir, SCRATCH (see driver.sh); run by hand, sensible values are found here.

if [ -z "${top_srcdir:-}" ]; then
    top_srcdir=$(cd "$(dirname "$0")" && while [ ! -f configure.ac ] && [ "$PWD" != / ]; do cd ..; done && pwd)
fi
: "${top_builddir:=$top_srcdir/build}"
: "${QUERN:=$top_builddir/quern}"
: "${CC:=gcc}"
for tap_name in top_srcdir top_builddir QUERN; do # so that a test may change the folder
    eval "case \$$tap_name in /*) ;; */* | . | ..) $tap_name=\$PWD/\$$tap_name ;; esac"
done
if [ -z "${SCRATCH:-}" ]; then
    SCRATCH=$top_builddir/tests/scratch/by-hand.$$
    mkdir -p "$SCRATCH"
    trap 'rm -rf "$SCRATCH"' EXIT
fi
: "${XDG_CACHE_HOME:=$top_builddir/tests/scratch/cache}"
export top_srcdir top_builddir QUERN CC SCRATCH XDG_CACHE_HOME

tap_count=0
tap_failed=0
tap_planned=

plan() {
    tap_planned=$1
    echo "1..$1"
}

# some_time COMMAND...: until it succeeds; of the last time that it does not, what it prints.
some_time() {
    for _ in $(seq 20); do
        tap_said=$("$@") && return
    done
    printf '%s\n' "$tap_said"
    return 1
}

diag() {
    printf '%s\n' "$*" | sed 's/^/# /'
}

# tap_point RESULT DESCRIPTION: RESULT 0 passes.
tap_point() {
    tap_count=$((tap_count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $tap_count - $2"
    else
        tap_failed=$((tap_failed + 1))
        echo "not ok $tap_count - $2"
        diag "run again: sh $0"
    fi
    return "$1"
}

pass() { tap_point 0 "$1"; }
fail() { tap_point 1 "$1"; }

# ok DESCRIPTION COMMAND...: run the command; its output goes to the log as comments.
ok() {
    tap_what=$1
    shift
    tap_output=$("$@" 2>&1)
    tap_status=$?
    if [ $tap_status -eq 0 ]; then
        pass "$tap_what"
    else
        fail "$tap_what"
        diag "status $tap_status of: $*"
        [ -z "$tap_output" ] || diag "$tap_output"
        return 1
    fi
}

# is GOT WANTED DESCRIPTION: equal as strings.
is() {
    if [ "$1" = "$2" ]; then
        pass "$3"
    else
        fail "$3"
        printf '%s\n' "$1" >"$SCRATCH/tap.got"
        printf '%s\n' "$2" >"$SCRATCH/tap.wanted"
        diag "$(diff -u "$SCRATCH/tap.wanted" "$SCRATCH/tap.got" | head -n 60)"
        return 1
    fi
}

# same_file GOT WANTED DESCRIPTION: equal bytewise; the first differing lines are shown.
same_file() {
    if cmp -s "$1" "$2"; then
        pass "$3"
    else
        fail "$3"
        diag "$(diff -u "$2" "$1" 2>&1 | head -n 60)"
        return 1
    fi
}

# skip REASON [N]: N points (default 1) cannot be tested here.
skip() {
    tap_left=${2:-1}
    while [ "$tap_left" -gt 0 ]; do
        tap_count=$((tap_count + 1))
        tap_left=$((tap_left - 1))
        echo "ok $tap_count # SKIP $1"
    done
}

# skip_all REASON N: all N points of this test, as far as they can be known.
skip_all() {
    plan "$2"
    skip "$1" "$2"
    exit 0
}

# absent REASON [N]: N points miss a package of packages.debian.  Where all of them are installed, as in CI, nothing may be
# skipped for that: there QUERN_ORACLES is "required".
absent() {
    if [ "${QUERN_ORACLES:-}" != required ]; then
        skip "$1" "${2:-1}"
        return
    fi
    for tap_at in $(seq "${2:-1}"); do
        fail "$1, and QUERN_ORACLES is required"
    done
    return 1
}

absent_all() {
    plan "$2"
    absent "$1" "$2"
    done_testing
}

# cpu_limited SECONDS COMMAND...: at most so much processor time for each of its processes, in a process group of its own.  How long
# it takes by the clock says nothing on a busy machine; what waits for ever is ended by the driver (watch.sh).  Without $_, where bash has
# the command before: its length moves the stack, and with that counts.
cpu_limited() (
    ulimit -t "$1"
    shift
    exec env -u _ timeout 1000000 "$@" # for the process group
)

bail() {
    echo "Bail out! $*"
    exit 99
}

done_testing() {
    [ -n "$tap_planned" ] || echo "1..$tap_count"
    [ "$tap_failed" -eq 0 ]
    exit
}
