#!/bin/sh
# HACKING: do the examples of its recipes work?  A test in C and in shell, and an event.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# example SECTION [BEGINS]: the indented lines of a section from the first that BEGINS on
example() {
    awk -v section="$1" -v begins="${2:-#include}" '
        /^---/ { on = title == section }
        { title = $0 }
        on && index($0, "    ") == 1 && (begun || index($0, begins)) { begun = 1; print substr($0, length($0) - length(substr($0, 5)) + 1); next }
        on && begun && /^$/ { print; next }
        begun { exit }' "$top_srcdir/HACKING"
}

example 'Add a test' >nop.c
$CC -std=gnu11 -I"$top_srcdir/lib" -I"$top_srcdir/tests/tap" -o nop nop.c "$top_builddir/libquern-decode.a" 2>said
is "$? $(./nop | tr '\n' ' ')" '0 ok 1 - nop is an instruction ok 2 - of one byte 1..2 ' 'a test in C' || diag "$(cat said)"
example 'Add a test' '. "$' >cache.sh
mkdir inner
is "$(SCRATCH=$SCRATCH/inner sh ./cache.sh | tr '\n' ' ')" 'ok 1 - an impossible cache is a usage error ok 2 - which is named 1..2 ' 'a test in shell'

if [ -f "$top_builddir/libquern-engine.a" ]; then
    example 'Add an event' >odd.c
    echo 'static volatile char a[64]; int main(void) { for (int i = 0; i < 1000; i++) a[(i & 31) * 2 + 1] = 1; return a[0]; }' >prog.c
    $CC -g -O1 -o prog prog.c || bail 'prog.c cannot be compiled'
    "$QUERN" run --sim=AN=odd.c --out-file=prof ./prog >said 2>&1
    ok 'an event' grep -q 'AN.odd .*references at odd addresses' said
    is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "AN.odd") at = i } /^fl=/ { mine = /prog\.c$/ } /^[0-9]/ && mine { n += $at }
        END { print n + 0 }' prof)" 1000 '... by line'
fi
done_testing
