# suites.sh - python3's own tests of what translators break: QN_CORPUS=suite.  Minutes each; Debian's libpython3-testsuite is needed.
#
# Compared are status, how many tests ran, and which failed or were skipped: what else they print has times and numbers of processes.
# They start and kill processes by the thousand, so there are no profiles.

suites='signal eintr mmap faulthandler ctypes posix os subprocess thread threading fork1 wait3 wait4 threadsignals pty select
    selectors float math struct array fcntl resource queue sys'

python3_suite() {
    set -- /usr/bin/python3 -m test -v "test_$1"
    [ "$turn" = native ] || set -- "$QUERN" run -q --trace-children=yes --out-file=/dev/null -- "$@"
    timeout -k 5 3600 "$@" >said 2>&1
    set -- $?
    grep -E '^(Ran|OK|FAIL|ERROR)' said | sed 's/ in [0-9.]*s$//' | sort
    rm -rf said
    return "$1"
}

needs=/usr/bin/python3
/usr/bin/python3 -c 'import test.test_eintr' 2>/dev/null || needs=libpython3-testsuite
for suite in $suites; do
    eval "python3_${suite}_suite_run() { python3_suite $suite; }"
    entry "python3_${suite}_suite" suite "$needs" "python3's own tests: $suite"
done
