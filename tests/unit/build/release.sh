#!/bin/sh
# Does `make dist` pack all that is under version control, but for solutions, and nothing that was made?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

(cd "$top_srcdir" && git ls-files --cached --others --exclude-standard) >tracked 2>/dev/null && [ -s tracked ] || skip_all 'no version control here' 3
case $SCRATCH in "$top_builddir"/*) ;; *) bail 'the scratch folder is not in the build folder' ;; esac
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$top_builddir" distdir distdir="${SCRATCH#"$top_builddir"/}/release" >log 2>&1
is "$?" 0 'make distdir' || diag "$(tail -n 5 log)"
grep -v -e '^labs/solutions/' -e '^tests/unit/labs/honest/' -e '^\.ci/' -e '^\.gitignore$' tracked | LC_ALL=C sort >wanted
(cd release && find . ! -type d) | sed 's|^\./||' | LC_ALL=C sort >got
is "$(LC_ALL=C comm -23 wanted got)" '' 'nothing is missing'
# What Autoconf, Automake, Texinfo and sources.sh make
is "$(LC_ALL=C comm -13 wanted got | grep -vx -e aclocal.m4 -e configure -e config.h.in -e Makefile.in -e sources.mk -e 'build-aux/[a-z.-]*' -e 'doc/manual/\(quern.info\|stamp-vti\|version.texi\).*')" \
    '' 'nothing else is there'
chmod -R u+w release
done_testing
