#!/bin/sh
# annotate.sh - time and memory of annotate and merge on a large profile, beside cg_annotate and cg_merge 3.19.
#
#   sh tests/perf/annotate.sh            500,000 functions, 5,000,000 lines (three minutes, 3 GB for the original)
#   sh tests/perf/annotate.sh 500        50,000 functions, 500,000 lines: the number of files, with 100 functions each
#
# in:   QUERN (else build/quern); cg_annotate and cg_merge where they are installed; GNU time
# out:  a table: what, seconds of CPU time, megabytes at most; for quern the ratio to the original in this same run.
#       A measurement, not a test: the status is 0 however slow it was.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
quern=${QUERN:-$top_srcdir/build/quern}
files=${1:-5000}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/quern-annotate.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2
awk -v files="$files" -f "$top_srcdir/tests/golden/annotate/large.awk" >big
echo "profile: $((files * 100)) functions, $((files * 1000)) lines, $(($(wc -c <big) / 1000000)) MB"
printf '%-28s %9s %9s\n' '' 'CPU s' MB

# measure NAME COMMAND...: sets seconds and megabytes.
measure() {
    name=$1
    shift
    /usr/bin/time -f '%U %S %M' -o cost "$@" >out 2>err || { echo "failed: $*"; cat err; exit 1; }
    read -r user system kilobytes <cost
    seconds=$(awk -v u="$user" -v s="$system" 'BEGIN { printf "%.2f", u + s }')
    printf '%-28s %9s %9s' "$name" "$seconds" $((kilobytes / 1000))
}
# against SECONDS KILOBYTES: the ratios of the original to what was measured last.
against() {
    awk -v s="$1" -v k="$2" -v t="$seconds" -v m="$kilobytes" 'BEGIN {
        printf "   %.0f times as fast, 1/%.0f of the memory\n", s / (t > 0 ? t : 0.01), k / m }'
}

if command -v cg_annotate >/dev/null 2>&1; then
    measure cg_annotate cg_annotate big && echo
    theirs="$seconds $kilobytes"
fi
for style in classic modern; do
    measure "quern annotate, $style" "$quern" annotate --style=$style big
    # shellcheck disable=SC2086 # two words
    if [ -n "${theirs:-}" ]; then against $theirs; else echo; fi
done
measure 'quern csv' "$quern" csv -o big.csv big && echo
if command -v cg_merge >/dev/null 2>&1; then
    measure 'cg_merge, two of them' cg_merge -o merged big big && echo
    theirs="$seconds $kilobytes"
fi
measure 'quern merge, two of them' "$quern" merge -o merged big big
# shellcheck disable=SC2086 # two words
if [ -n "${theirs:-}" ]; then against $theirs; else echo; fi
set --
for i in 1 2 3 4 5 6 7 8 9 10; do
    set -- "$@" big big big big big big big big big big
done
[ "$files" -gt 500 ] || { measure 'quern merge, a hundred' "$quern" merge -o merged "$@"; echo; }
