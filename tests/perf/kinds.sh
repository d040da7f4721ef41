#!/bin/sh
# kinds.sh - what is the time of a run spent on?  Samples of perf, by the kind of emitted code they fall on.
#
#   sh tests/perf/kinds.sh /usr/bin/python3 -S script.py      a program and its arguments
#   OPTIONS='--branch-sim=yes' sh tests/perf/kinds.sh ...     the options of the run
#
# in:   perf, and QUERN (else build/quern).  The program is run twice and must do the same both times: the second run writes what was emitted
#       at which address (some 100 bytes of text for each byte of the program's code; nothing is kept).
# out:  shares of all samples in per cent, the largest first
set -u

top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
quern=${QUERN:-$top_srcdir/build/quern}
work=$(mktemp -d "${TMPDIR:-/tmp}/quern-kinds.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
LC_ALL=C
export LC_ALL

[ $# -gt 0 ] || { sed -n '2,/^# out:/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
run() { # OPTION... -- PROGRAM...
    # shellcheck disable=SC2086 # several options
    "$quern" run -q --out-file=/dev/null ${OPTIONS-} "$@" >/dev/null 2>&1 </dev/null
}
address() { nm "$quern-engine" | awk -v name="$1" '$3 == name { print substr($1, length($1) - 7) }'; }
page() { printf %05x $((0x$1 / 4096)); }

table=$(address D1_slots)
# shellcheck disable=SC2086
perf record -q -e cpu-clock -F 2000 -o "$work/data" -- "$quern" run -q --out-file=/dev/null ${OPTIONS-} -- "$@" >/dev/null 2>&1 </dev/null || exit 1
perf script -i "$work/data" -F ip 2>/dev/null | awk 'NF { print $1 }' >"$work/samples"
mkfifo "$work/emitted"
run --trace=emit --trace-file="$work/emitted" -- "$@" &
awk -v first="$(page "$table")" -v second="$(page "$(printf %08x $((0x$table + 4096)))")" -v ctx="$(page "$(address qn_ctx)")" \
    -f "$top_srcdir/tests/perf/kinds.awk" "$work/emitted" | sort >"$work/kinds"
wait
awk 'length($1) <= 8 && $1 >= "6" && $1 < "68" { print $1 > code; next }
    { n[length($1) <= 8 && $1 ~ /^7/ ? "translation and calls of C" : "the collector, the kernel"]++ }
    END { for (k in n) print n[k], k }' code="$work/code" "$work/samples" >"$work/shares"
touch "$work/code"
sort "$work/code" | sort -m - "$work/kinds" | awk 'NF > 1 { kind = substr($0, index($0, " ") + 1); next } { n[kind]++ }
    END { for (k in n) print n[k], k }' | cat - "$work/shares" |
    awk '{ n[NR] = $1; all += $1; sub(/^[0-9]+ /, ""); kind[NR] = $0 } END { for (i = 1; i <= NR; i++) printf "%5.1f  %s\n", 100 * n[i] / all, kind[i] }' |
    sort -rn
