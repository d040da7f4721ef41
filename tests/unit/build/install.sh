#!/bin/sh
# What `make install` puts somewhere: does `make installcheck` find that it works, is the documentation complete, and does `make uninstall`
# leave nothing?  DESTDIR; the prefix is another than configure's.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

stage=$SCRATCH/stage
# As one calls it from a shell: without what `make check` tells its children.
installing() {
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" DESTDIR="$stage" prefix=/opt/quern "$@" >"$SCRATCH/log" 2>&1
}

installing install || bail "make install: $(tail -n 3 "$SCRATCH/log")"
home=$stage/opt/quern
is "$(ls "$stage")$(ls "$stage/opt")" optquern 'install: nothing beside the prefix'
is "$(cd "$home" && find . -type f -perm /111 | LC_ALL=C sort | tr '\n' ' ')" \
    "./bin/quern ./libexec/quern/quern-engine $([ ! -x "$top_builddir/quern-serve" ] || echo './libexec/quern/quern-serve ')" 'what can be executed'

installing installcheck
is $? 0 'installcheck' || diag "$(grep -v '^ok' "$SCRATCH/log")"
diag "$(grep -c '^ok' "$SCRATCH/log") points"

# A lab begins with the installed files, not with those of the source tree that is still there.
echo '/* installed */' >>"$home/share/quern/labs/01-cache/starter/csim.c"
"$home/bin/quern" lab start 1 "$SCRATCH/lab" >"$SCRATCH/log" 2>&1
is "$(tail -n 1 "$SCRATCH/lab/csim.c")" '/* installed */' 'lab start takes the installed lab'

# What installcheck says of an installation that lacks something
mv "$home/libexec/quern/libquern-engine.a" "$SCRATCH"
installing installcheck
is "$? $(grep -c '^not ok .* sim build$' "$SCRATCH/log")" '2 1' 'installcheck fails where sim build has no library'
mv "$SCRATCH/libquern-engine.a" "$home/libexec/quern/"

installing uninstall
is "$? $(find "$stage" ! -type d)" '0 ' 'uninstall leaves no file'
is "$(find "$stage" -depth -name 'quern*' | grep -v /opt/quern$)" '' 'and no folder of quern'
done_testing
