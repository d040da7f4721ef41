#!/bin/sh
# Does all of it compile with clang, without a warning, and does that engine count what the other compiler's does?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

command -v clang >/dev/null || skip_all 'no clang' 10
[ -x "$top_srcdir/configure" ] || bail 'no ./configure: autoreconf -i'
[ ! -e "$top_srcdir/config.status" ] || skip_all 'the source directory is configured itself' 10
cd "$SCRATCH" || bail "no $SCRATCH"

"$top_srcdir/configure" -q CC=clang CFLAGS=-O0 >configure.log 2>&1 || bail "configure: $(tail -n 3 configure.log)"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s >make.log 2>&1
is "$?" 0 'it builds' || diag "$(grep -m 5 'error:' make.log)"
# A clang that is newer than quern may have warnings that nobody has seen; CI's is known (.ci/run).
[ "${QUERN_ORACLES:-}" = required ] && strict=-Werror || strict=
is "$([ -z "$strict" ] || grep 'warning:' make.log)" '' '... where warnings count, without one'
for file in "$top_srcdir"/tests/unit/*/*.c; do
    # shellcheck disable=SC2086 # a flag or none
    clang -fsyntax-only -std=gnu11 -Wall -Wextra $strict -DHAVE_CONFIG_H -DQN_PKGLIBEXECDIR='""' -I. -I"$top_srcdir" \
        -I"$top_srcdir/lib" -I"$top_srcdir/tests/tap" "$file"
done >tests.log 2>&1
is "$(grep -c 'error:' tests.log)" 0 'so do the tests in C' || diag "$(grep -m 5 'error:' tests.log)"

# counts ENGINE GUEST: what is counted, by line
counts() {
    "$QUERN" run -q --sim="$1" --branch-sim=yes --counting=exact --I1=1024,2,32 --D1=1024,2,32 --LL=8192,4,32 --out-file=profile -- "$2" \
        >/dev/null 2>&1
    echo "status $?"
    sed -n '/^events/,$p' profile
}
# Every guest program runs through other helpers: strings, masks, signals, requests.
for guest in "$top_builddir"/tests/guest/*; do
    { [ -f "$guest" ] && [ -x "$guest" ]; } || continue
    counts "$top_builddir/quern-engine" "$guest" >wanted
    counts ./quern-engine "$guest" >got
    cmp -s wanted got || { echo "${guest##*/}" >>differ; diff wanted got | head -n 5 >>differ; }
    echo >>tried
done
[ -e tried ] || bail 'no guest programs: make guests'
is "$(cat differ 2>/dev/null)" '' "$(wc -l <tried) guest programs: every count of every line is the same"

"$QUERN" sim build --D1=srrip --LL=inclusive --BC=tage -o other || bail 'cannot build a simulator'
CC=clang "$QUERN" sim build --D1=srrip --LL=inclusive --BC=tage -o mysim >build.log 2>&1
is "$?$(cat build.log)" 0 'CC=clang quern sim build, of a quern that another compiler built'
counts ./other "$top_builddir/tests/guest/sort" >wanted
counts ./mysim "$top_builddir/tests/guest/sort" >got
same_file got wanted 'its simulator counts the same'
CC=clang "$QUERN" sim build --replay --D1=srrip -o replay >build.log 2>&1
is "$?$(cat build.log)" 0 'and a replay'


# with QUERN OPTIONS: what it counts with them, and what its modules print
with() {
    "$@" --out-file=profile "$top_builddir/tests/guest/sort" 2>&1 | sed 's/^==[0-9]*== //'
    sed -n '/^events/,$p' profile
}
for options in '--branch-sim=yes --sim=BC=gshare' --analysis=values '--data=yes --calls=yes --sim=D1=srrip'; do
    # shellcheck disable=SC2086 # options
    with "$QUERN" run $options >wanted
    # shellcheck disable=SC2086
    with ./quern run $options >got
    same_file got wanted "$options: all registers are kept where emitted code calls C (clang 14 forgot one)"
done
done_testing
