#!/bin/sh
# driver.sh - run one test for `make check`, read its TAP, and write Automake's .log and .trs files.
#
#   driver.sh --test-name NAME --log-file LOG --trs-file TRS [--color-tests yes|no] ... -- COMMAND...
#
#   1..2
#   ok 1 - length of nop            ->   PASS, counted
#   not ok 2 - length of ud2        ->   FAIL, counted, printed with the command that runs it again
#
# It counts test points, not files.  What goes wrong outside the points counts as one failure more: no plan, a plan that
# does not match, "Bail out!", death by a signal, no progress (watch.sh tells what that is),
# an exit status other than 0 where no point failed, a process that the test has started and not ended (it is killed then).
#
# A test gets: QUERN, CC, top_srcdir, top_builddir (absolute; from make); SCRATCH, an empty directory of its own, which is
# also TMPDIR; XDG_CACHE_HOME, which all share; SCRATCH is left behind if the test failed.  The working directory is the build directory.
set -u

tap=$(cd "$(dirname "$0")" && pwd)
while [ $# -gt 0 ]; do
    case $1 in
    --test-name) test_name=$2 && shift 2 ;;
    --log-file) log_file=$2 && shift 2 ;;
    --trs-file) trs_file=$2 && shift 2 ;;
    --color-tests | --expect-failure | --enable-hard-errors) shift 2 ;;
    --) shift && break ;;
    *) break ;;
    esac
done

top_builddir=${top_builddir:-$PWD}
SCRATCH=$top_builddir/tests/scratch/$test_name
TMPDIR=$SCRATCH
XDG_CACHE_HOME=$top_builddir/tests/scratch/cache
export SCRATCH TMPDIR XDG_CACHE_HOME top_builddir
rm -rf "$SCRATCH"
mkdir -p "$SCRATCH" || exit 1

started=$(date +%s)
rm -f "$log_file.pid" "$log_file.why"
: >"$log_file.tap"
(
    unset SCRATCH
    while [ ! -s "$log_file.pid" ]; do sleep 0.1; done
    exec sh "$tap/watch.sh" "$(cat "$log_file.pid")" "$log_file.tap" "$log_file.why"
) &
watch=$!
# In the foreground, because what a shell starts in the background ignores SIGINT; and with no signal ignored that who calls make ignores
# (nohup).
# shellcheck disable=SC2016 # for the shell that is started
setsid env --default-signal=HUP,INT,QUIT,TERM,PIPE sh -c 'echo $$ >"$1.pid" && shift && exec "$@"' sh "$log_file" "$@" >>"$log_file.tap" 2>"$log_file.err" </dev/null
status=$?
kill "$watch" 2>/dev/null
wait "$watch" 2>/dev/null
why=$(cat "$log_file.why" 2>/dev/null)
seconds=$(($(date +%s) - started))

# Processes that the test has started and that still run: they have its SCRATCH.
left_behind() (
    of=$SCRATCH
    unset SCRATCH # so that those that look are not among them
    grep -lsxzF "SCRATCH=$of" /proc/[0-9]*/environ | cut -d/ -f3
)

looks=0
while pids=$(left_behind) && [ -n "$pids" ] && [ $looks -lt $((10 * ${TEST_LINGER:-60})) ]; do # those that are about to end have a minute
    looks=$((looks + 1))
    sleep 0.1
done
left=
for pid in $pids; do
    left="$left $(cat "/proc/$pid/cmdline" 2>/dev/null | tr '\000\\' ' /')($pid)"
    kill -KILL "$pid" 2>/dev/null
done

# One line per result for the .trs file; the summary for the terminal goes to stdout.
awk -v name="$test_name" -v status="$status" -v left="$left" -v why="$why" -v seconds="$seconds" -v trs="$trs_file" '
function result(kind, text) {
    print ":test-result: " kind " " text >trs
    count[kind]++
    if (kind == "FAIL" || kind == "ERROR" || kind == "XPASS") print kind ": " name " - " text
}
function point(line,    kind, text, directive) {
    seen++
    kind = line ~ /^ok/ ? "PASS" : "FAIL"
    text = line
    sub(/^(not )?ok[ \t]*/, "", text)
    if (text ~ /^[0-9]+/) {
        if (text + 0 != seen) result("ERROR", "test point " text + 0 " where " seen " was due")
        sub(/^[0-9]+[ \t]*/, "", text)
    }
    sub(/^-[ \t]*/, "", text)
    directive = toupper(text)
    if (directive ~ /# *SKIP/) kind = kind == "PASS" ? "SKIP" : "FAIL"
    else if (directive ~ /# *TODO/) kind = kind == "PASS" ? "XPASS" : "XFAIL"
    result(kind, seen " - " text)
}
BEGIN { plan = -1; printf "" >trs }
/^(ok|not ok)([ \t]|$)/ { point($0); next }
/^1\.\.[0-9]+/ {
    if (plan >= 0) result("ERROR", "a second plan: " $0)
    plan = substr($0, 4) + 0
    if (plan == 0) { skip_all = $0; sub(/^[^#]*# *(SKIP|skip)?[ \t]*/, "", skip_all) }
    next
}
/^Bail out!/ { bailed = 1; result("ERROR", $0) }
END {
    if (plan == 0 && !seen && status == 0 && !bailed) result("SKIP", "all: " skip_all)
    if (plan == 0 && seen) result("ERROR", seen " test points after a plan of none")
    if (plan < 0 && !bailed) result("ERROR", "no plan (1..N): the test did not come to its end")
    if (plan > 0 && plan != seen && !bailed) result("ERROR", "planned " plan " test points, saw " seen + 0)
    failed = count["FAIL"] + count["ERROR"] + count["XPASS"]
    if (why != "") result("ERROR", why)
    else if (status > 128) result("ERROR", "killed by signal " status - 128)
    else if (status != 0 && !failed) result("ERROR", "exit status " status)
    if (left != "") result("ERROR", "leaves processes behind:" left)
    failed = count["FAIL"] + count["ERROR"] + count["XPASS"]
    global = failed ? "FAIL" : count["PASS"] || !count["SKIP"] ? "PASS" : "SKIP"
    print ":global-test-result: " global >trs
    print ":recheck: " (failed ? "yes" : "no") >trs
    print ":copy-in-global-log: " (failed ? "yes" : "no") >trs
    detail = count["PASS"] + count["XFAIL"] + 0 " passed"
    if (failed) detail = detail ", " failed " failed"
    if (count["SKIP"]) detail = detail ", " count["SKIP"] " skipped"
    if (seconds > 1) detail = detail ", " seconds " s"
    print global ": " name " (" detail ")"
    exit failed != 0
}' "$log_file.tap" >"$log_file.sum"
failed=$?

again="make -C $top_builddir check TESTS='$test_name'"
{
    cat "$log_file.tap"
    sed 's/^/# stderr: /' "$log_file.err"
    [ $failed = 0 ] || echo "# run again: $again"
} >"$log_file"
cat "$log_file.sum"
if [ $failed = 0 ]; then
    rm -rf "$SCRATCH"
else
    grep -a '^#' "$log_file" | head -n 40
    echo "# whole output: $log_file; left behind: $SCRATCH"
fi
rm -f "$log_file.tap" "$log_file.err" "$log_file.sum" "$log_file.pid" "$log_file.why"
exit 0
