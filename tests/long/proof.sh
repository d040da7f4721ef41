#!/bin/sh
# proof.sh - makes numbers of the documents anew, and shows them beside the written ones.
#
#   sh tests/long/proof.sh build                all measurements of proof.table: an hour on a quiet machine
#   sh tests/long/proof.sh build demo bench     these
#
# out: the processor, date, revision and load; a row for each number: document, line, measurement, written, made, ratio; how many of the numbers in
#      tables and blocks of each document have a row.  build/proof/NAME.out is what a command printed.
# Status 1: a count differs from the written one, in the digits that are written; a command failed or printed no such line; a line is not in its document.
set -u
build=$(cd "$1" && pwd) || exit 2
shift
cd "$(dirname "$0")/../.." || exit 2
: "${TABLE:=tests/long/proof.table}" "${QUERN:=$build/quern}" "${OUT:=$build/proof}"
export QUERN OUT
mkdir -p "$OUT" || exit 2
[ $# -gt 0 ] || eval "set -- $(sed -n 's/^\([a-z]*\) = .*/\1/p' "$TABLE" | tr '\n' ' ')"

printf '%s; %s; revision %s; load %s\n' "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed 1q)" "$(date -u +%Y-%m-%d)" \
    "$(git describe --always --dirty 2>/dev/null || echo unknown)" "$(cut -d' ' -f1 /proc/loadavg)"
status=0
for name; do
    command=$(sed -n "s/^$name = [a-z]*: //p" "$TABLE")
    [ -n "$command" ] || { echo "proof.sh: $name: no such measurement in $TABLE" >&2; exit 2; }
    sh -c "$command" >"$OUT/$name.out" 2>"$OUT/$name.err" || { echo "$name: status $?: $(tail -n 1 "$OUT/$name.err")" && status=1; }
done
awk -v names=" $* " -v out="$OUT" -f tests/long/proof.awk "$TABLE" || status=1
exit $status
