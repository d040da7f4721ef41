#!/bin/sh
# What --calls costs: processor time of a run with it over one without it, the least of three each.
#
#   sh tests/perf/calls.sh [PROGRAM ARGUMENTS...]      without: gzip, python3, sqlite3, and a recursion
#
# Bars: 1.5 times the default run, 1.6 with --branch-sim=yes.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"
cd "$SCRATCH" || exit 1

# seconds OPTIONS... -- COMMAND
seconds() {
    for _ in 1 2 3; do
        (
            "$QUERN" run -q --out-file=/dev/null "$@" >/dev/null 2>&1
            times >used; tail -1 used
        ) | sed 's/m/ /g; s/s//g' | awk '{ print $1 * 60 + $2 }'
    done | sort -n | head -1
}

# row NAME COMMAND...
row() {
    name=$1
    shift
    plain=$(seconds -- "$@") calls=$(seconds --calls=yes -- "$@")
    branches=$(seconds --branch-sim=yes -- "$@") both=$(seconds --branch-sim=yes --calls=yes -- "$@")
    echo "$name $plain $calls $branches $both" |
        awk '{ printf "%-10s %6.2f s  x%.2f   with branches %6.2f s  x%.2f\n", $1, $2, $3 / $2, $4, $5 / $4 }'
}

if [ $# -gt 0 ]; then
    row "$(basename "$1")" "$@"
    exit
fi
awk 'BEGIN { for (i = 0; i < 300000; i++) print i * 7919 % 1000003 }' >text
cat >recursion.c <<'SOURCE'
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(32) & 1; }
SOURCE
$CC -O1 -o recursion recursion.c || exit 1
row gzip gzip -c text
row python3 /usr/bin/python3 -c 'print(sum(len(str(i)) for i in range(300000)))'
row sqlite3 sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c where x < 300000) select sum(x % 7) from c"
row recursion ./recursion
