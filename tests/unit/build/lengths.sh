#!/bin/sh
# Is each file short enough to be read at once, and does each function fit on a screen?  No file of lib and tools has more than 800 lines, unless one of its
# first thirty says why ("Longer than 800 lines: ..."); no function has more than 60.  Tables (*.inc) are not asked.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

sources() { (cd "$1" && find lib tools -name '*.[chS]' | LC_ALL=C sort); }

long_files() {
    sources "$1" | while read -r file; do
        n=$(wc -l <"$1/$file")
        [ "$n" -le 800 ] || head -n 30 "$1/$file" | grep -q 'Longer than 800 lines:' || echo "$file: $n lines"
    done
}

long_functions() {
    sources "$1" | grep '\.[ch]$' | while read -r file; do
        awk -v file="$file" '/^\{/ { start = FNR } /^\}/ { if (start && FNR - start > 60) print file ":" start ": " FNR - start; start = 0 }' "$1/$file"
    done
}

is "$(long_files "$top_srcdir")" '' 'no file has more than 800 lines without a reason'
is "$(long_functions "$top_srcdir")" '' 'no function has more than 60 lines'

mkdir -p "$SCRATCH/lib" "$SCRATCH/tools"
{ echo 'int f(void)'; echo '{'; yes ';' | head -n 850; echo '}'; } >"$SCRATCH/lib/x.c"
is "$(long_files "$SCRATCH") $(long_functions "$SCRATCH")" 'lib/x.c: 853 lines lib/x.c:2: 851' 'what is too long is found'
done_testing
