#!/bin/sh
# Do the builds of `make sanitize` and `make coverage` still link, and find debug information?  That takes hours, so that nobody would notice for long: here one simulator's
# test is compiled as there, and quern is linked with AddressSanitizer, which has terabytes of shadow memory; only the server that reads is compiled for it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# shellcheck disable=SC2016 # make's dollar
printf 'include Makefile\nprint-%%:\n\t@echo $(%s)\n' '$*' >print.mk
# words NAME: of a variable of the Makefile
words() { make -s --no-print-directory -C "$top_builddir" -f "$SCRATCH/print.mk" "print-$1" || bail 'make'; }
sanitizers=$(sed -n "s/^ *\.\.\/configure CFLAGS='\([^']*\)' && make check$/\1/p" "$top_srcdir/HACKING")
flags="$(words AM_CFLAGS) -I$top_srcdir/lib -I$top_builddir -I$top_srcdir/tests/tap -DHAVE_CONFIG_H $sanitizers"
libraries=$(words libraries)
objects=$(words quern_OBJECTS)

cd "$top_builddir" || bail 'no build'
# shellcheck disable=SC2086 # words
"$CC" $flags -o "$SCRATCH/lru" "$top_srcdir/tests/unit/sim/lru.c" libtranslator.a $libraries >"$SCRATCH/log" 2>&1
is "$?" 0 'a test of a simulator links' || diag "$(grep -m 3 undefined "$SCRATCH/log")"
ok '... and passes' "$SCRATCH/lru"
# shellcheck disable=SC2086
"$CC" $flags -o "$SCRATCH/quern" "$top_srcdir/lib/collect/server.c" $objects $libraries >"$SCRATCH/log" 2>&1
is "$?" 0 'quern links' || diag "$(grep -m 3 undefined "$SCRATCH/log")"
is "$(sed -n 's/^void \(sim_show_[a-z]*\)(.*/\1/p' "$top_srcdir/lib/sim/module.h" | while read -r name; do
    grep -q "^void $name(.*{" "$top_srcdir/tests/coverage/engine.c" && echo has || echo "lacks $name"; done | sort -u)" has \
    'an engine that is not optimised has what predictors call in a replay only'

cd "$SCRATCH" || bail 'no scratch directory'
printf 'int main(void)\n{\n    return 0;\n}\n' >prog.c
"$CC" -g -o prog prog.c || bail 'cc'
ASAN_OPTIONS=detect_leaks=0 ./quern run -q --sim="$top_builddir/quern-engine" --out-file=profile ./prog
is "$? $(sed -n '/^fl=.*prog\.c/,/^fl=/s/^\(3\) .*/\1/p' profile)" '0 3' 'it finds the lines of a program'
done_testing
