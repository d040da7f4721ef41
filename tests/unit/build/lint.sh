#!/bin/sh
# Have cppcheck and clang-tidy nothing to say about any file, and does `make lint` fail if they have?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

for tool in cppcheck clang-tidy; do command -v $tool >/dev/null || absent_all "$tool is not installed" 3; done
[ -e "$top_builddir/sim_slots.h" ] || bail 'sim_slots.h is not made: make'

ok 'nothing to say about lib, tools, include' sh "$top_srcdir/build-aux/lint.sh" "$top_builddir"

# finds WHAT CODE: a file with this mistake is named
finds() {
    printf '%s\n' '#include <string.h>' "$2" >"$SCRATCH/wrong.c"
    sh "$top_srcdir/build-aux/lint.sh" "$top_builddir" "$SCRATCH/wrong.c" >"$SCRATCH/said" 2>&1
    is "$? $(grep -c "wrong.c:[0-9:]* .*$1" "$SCRATCH/said")" '1 1' "finds: $1" || diag "$(cat "$SCRATCH/said")"
}
finds zerodiv 'int f(void); int f(void) { int zero = 0; return 3 / zero; }'
finds misc-redundant-expression 'int f(int a); int f(int a) { return a && a; }'
done_testing
