#!/bin/sh
# Is every example of the manual what happens when one tries it?
#
#   sh tests/unit/manual/manual.sh             runs them all, in the order of the manual, in one scratch folder
#   sh tests/unit/manual/manual.sh --update    and writes what came into doc/manual, to be read before it is committed
#
# In doc/manual/*.texi a @verbatim block is an example if one of these comments stands before it:
#
#   @c file NAME            the block is that file
#   @c run                  the lines that begin with "$ " are run by the shell, the others are what they print
#   @c run | FILTER         what they print goes through FILTER before (a part of it, or with names for addresses)
#   @c needs THING...       before one of these: skipped where there is no such command or processor (cpu:bmi2)
#
# In what is printed the scratch folder is /home/me, the number of every process 4711 and what is measured in time 42.7%;
# nothing else is changed.
# What gcc makes of a C program differs from one gcc to the next, and the numbers with it: where it is not the one
# that the manual names, examples are run but compared only if they do not depend on C (@c run-c marks those that do).
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

here=$top_srcdir/tests/unit/manual
manual=${QUERN_MANUAL:-$top_srcdir/doc/manual}
PATH=$top_builddir:$PATH
QUERN_INCLUDE=-I$top_srcdir/include
export PATH QUERN_INCLUDE LC_ALL=C TZ=UTC
unset DEBUGINFOD_URLS QUERN_OPTS

command -v gcc >/dev/null || skip_all 'there is no gcc' 63
"$QUERN" sim list | grep -q '^  I1=lru D1=lru LL=lru BC=cachegrind BI=cachegrind$' ||
    skip_all 'this build has other simulators in its slots' 63
mkdir -p "$SCRATCH/me" "$SCRATCH/blocks"
chapters=$(sed -n 's/^@include \(.*\.texi\)$/\1/p' "$manual/quern.texi")
[ -n "$chapters" ] || bail 'quern.texi includes no chapter'

wanted_gcc=$(sed -n 's/^@set GCC //p' "$manual/quern.texi")
[ -n "$wanted_gcc" ] || bail 'quern.texi does not say which gcc it was written with'
[ "$(gcc -dumpversion 2>/dev/null)" = "$wanted_gcc" ] && same_gcc=yes || same_gcc=no

# names [ENGINE]: a filter for emitted code: addresses in that engine become names.
names() {
    nm -n "${1:-$top_builddir/quern-engine}" >"$SCRATCH/symbols" && awk -f "$here/names.awk" "$SCRATCH/symbols" -
}

# answer BLOCK FILTER: the commands of a block, each with what it prints.
answer() {
    sed -n 's/^\$ //p' "$1" >"$1.commands"
    while IFS= read -r command; do
        printf '$ %s\n' "$command"
        (cd "$SCRATCH/me" && eval "$command" 2>&1) </dev/null >"$1.printed"
        sed -e "s|$SCRATCH/me|/home/me|g" \
            -e 's/^\([-=]\)\1[0-9]*\1\1/\1\14711\1\1/; s/^\*\*[0-9]*\*\*/**4711**/' \
            -e 's/^\(==4711== Instrumented: \)[0-9.]*%/\142.7%/' "$1.printed" |
            (cd "$SCRATCH/me" && eval "${2:-cat}")
    done <"$1.commands"
}

# there NEED...: is that command installed, has the processor that feature?
there() {
    for need; do
        case $need in
        cpu:*) grep -qw "${need#cpu:}" /proc/cpuinfo ;;
        *) command -v "$need" >/dev/null ;;
        esac || return 1
    done
}

# try CHAPTER NUMBER: one example.
try() {
    block=$SCRATCH/blocks/$1.$2
    IFS='|' read -r kind argument needs line <"$block.mark"
    filter=$(cat "$block.filter")
    what="$1:$line"
    if ! there $needs; then
        cp "$block" "$block.got"
        skip "$what: there is no $needs here"
    elif [ "$kind" = file ]; then
        cp "$block" "$SCRATCH/me/$argument"
        cp "$block" "$block.got"
        ok "$what: $argument is not empty" test -s "$SCRATCH/me/$argument"
    else
        answer "$block" "$filter" >"$block.got"
        if [ "$kind" = run-c ] && [ $same_gcc = no ]; then
            cp "$block" "$block.got"
            skip "$what: depends on what gcc $wanted_gcc makes of a C program"
        else
            same_file "$block.got" "$block" "$what: $(sed -n 's/^\$ //p' "$block" | head -n 1)"
        fi
    fi
}

for chapter in $chapters; do
    awk -v out="$SCRATCH/blocks/$chapter" -f "$here/blocks.awk" "$manual/$chapter" || bail "$chapter: cannot read it"
    for number in $(cat "$SCRATCH/blocks/$chapter.list"); do
        try "$chapter" "$number"
    done
    if [ "${1-}" = --update ]; then
        awk -v got="$SCRATCH/blocks/$chapter" -f "$here/update.awk" "$manual/$chapter" >"$SCRATCH/new" &&
            cp "$SCRATCH/new" "$manual/$chapter"
    fi
done
# Files that are named are there.
for chapter in quern.texi $chapters; do
    sed 's/@file{/\n&/g' "$manual/$chapter" | sed -n 's/^@file{\(\(lib\|tests\|doc\|tools\|build-aux\)\/[^}]*\)}.*/\1/p'
done | grep -v NAME | LC_ALL=C sort -u >"$SCRATCH/files"
missing=$(while read -r file; do [ -e "$top_srcdir/$file" ] || echo "$file"; done <"$SCRATCH/files")
is "$missing" '' 'every file that it names is there'

# On paper, 187 mm of letters that are 4.25 points wide: 125.
is "$(cd "$manual" && awk '/^@verbatim/ { on = 1 } on && length > 125 { print FILENAME ":" FNR ": " $0 } /^@end verbatim/ { on = 0 }' *.texi)" '' \
    'no example is wider than the paper'

ok 'there are examples at all' test "$tap_count" -ge 10
done_testing
