#!/bin/sh
# stress.sh - the tests of tests/stress, 10,000 rounds each, natively and under quern.
#
#   sh tests/long/stress.sh BUILD [ITERATIONS [SEED [NAME...]]]        prints TAP; `make stress` runs this
#
# A test that is still at work after an hour has failed.
build=$(cd "${1:?usage: stress.sh BUILD [ITERATIONS [SEED [NAME...]]]}" && pwd) || exit 2
iterations=${2:-10000}
seed=${3:-1}
[ $# -lt 3 ] && shift $# || shift 3
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
mkdir -p "$build/stress" && cd "$build/stress" || exit 2
ulimit -c 0
${CC:-gcc} -O1 -g -o stress "$top_srcdir"/tests/stress/*.c -pthread || exit 2
status=0
# One at a time, so that each has a profile and a report of its own.
n=0
for name in $(./stress -l); do
    case " $* " in '  ' | *" $name "*) ;; *) continue ;; esac
    n=$((n + 1))
    result=$("$build/quern" run -q --out-file=profile.%p -- ./stress -s "$seed" -i "$iterations" -t 3600 "$name" 2>&1 | grep -v '^1\.\.')
    case $result in
    ok*) echo "ok $n - $name${result#ok 1 - "$name"}, $iterations rounds, seed $seed" ;;
    *) status=1; echo "not ok $n - $name"; echo "$result" | sed 's/^/# /' ;;
    esac
    rm -f profile.*
done
echo "1..$n"
exit $status
