#!/bin/sh
# totals.sh - add up the test points of a whole run: the last line of `./bootstrap check`.
#
#   totals.sh a.trs b.trs c.trs     ->   57 passed, 0 failed, 3 skipped
#
# in:  the .trs files that driver.sh wrote; a file that is missing is a test that never ran: a failure.
# out: one line; status 1 if anything failed or nothing passed.
set -u

missing=0
present=
for trs in "$@"; do
    if [ -f "$trs" ]; then
        present="$present $trs"
    else
        echo "never ran: ${trs%.trs}"
        missing=$((missing + 1))
    fi
done

# shellcheck disable=SC2086 # names of our own tests: no blanks
awk -v missing="$missing" '
/^:test-result: (PASS|XFAIL)/ { passed++ }
/^:test-result: SKIP/ { skipped++ }
/^:test-result: (FAIL|ERROR|XPASS)/ { failed++ }
END {
    failed += missing
    line = passed + 0 " passed, " failed + 0 " failed"
    if (skipped) line = line ", " skipped " skipped"
    print line
    exit failed > 0 || passed + 0 == 0
}' /dev/null $present
