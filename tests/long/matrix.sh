#!/bin/sh
# matrix.sh - is quern built by both compilers, and without each library that it can do without, and what does it then say?
#
#   sh tests/long/matrix.sh BUILD                       all of them, in BUILD/matrix/NAME; prints TAP
#   sh tests/long/matrix.sh BUILD no-gnuplot clang       some
#
# Each is configured with --enable-werror and built from nothing; a few tests run, and each command that needs an optional
# library: it works, or it says in one line what is missing.  `make matrix` runs this (half an hour).
build=${1:?usage: matrix.sh BUILD [NAME...]}
shift
build=$(cd "$build" && pwd) || exit 2
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
SCRATCH=$build/matrix
mkdir -p "$SCRATCH" || exit 2
. "$top_srcdir/tests/tap/tap.sh"

all='gcc clang no-libmicrohttpd no-gnuplot'
tests='tests/unit/build/tap tests/unit/build/install.sh tests/unit/prof/read tests/unit/sim/lru tests/unit/run/toggle.sh tests/guest/native.sh'

# options NAME: the words for ./configure
options() {
    case $1 in
    gcc) echo CC=gcc ;;
    clang) echo CC=clang ;;
    no-lib*) echo "CFLAGS=-O0 --without-${1#no-}" ;;
    no-gnuplot) echo CFLAGS=-O0 GNUPLOT=no-such-gnuplot ;;
    *) bail "no such build: $1 (there are $all)" ;;
    esac
}

# says WANTED-STATUS WANTED-TEXT DESCRIPTION COMMAND...: status, and the last line without its beginning "quern: "
says() {
    wanted_status=$1 wanted=$2 what=$3
    shift 3
    said=$("$@" 2>&1)
    is "$? $(echo "$said" | tail -n 1 | sed 's/^quern:* //')" "$wanted_status $wanted" "$what"
}

# features NAME: what each command says, in NAME's directory
features() {
    rm -rf try && mkdir try && cd try || bail "cannot make $PWD/try"
    ../quern run -q --out-file=profile -- ../tests/guest/loops >/dev/null 2>&1
    is "$?" 0 "$1: run"
    says 0 '' "$1: csv" ../quern csv -o out.csv profile
    says 0 '' "$1: csv and back" ../quern csv --to-profile -o back out.csv
    ../quern trace -o trace -q -- ../tests/guest/loops >/dev/null 2>&1
    is "$(../quern replay trace 2>/dev/null | sed 's/,//g' | awk '/^D *refs/ { print $3 }')" \
        "$(awk '/^summary/ { print $5 + $8 }' profile)" "$1: trace and replay"
    if [ "$1" = no-gnuplot ]; then
        says 1 'plot: there is no gnuplot here, so only top.csv and top.gp were written; `gnuplot top.gp` draws them' \
            "$1: plot" ../quern plot top profile
        ok "$1: data and script are there" test -f top.csv -a -f top.gp
    else
        says 0 '' "$1: plot" ../quern plot top profile
    fi
    cd ..
}

# try NAME: configure, build, check
try() {
    rm -rf "${SCRATCH:?}/$1" && mkdir "$SCRATCH/$1" && cd "$SCRATCH/$1" || bail "cannot make $SCRATCH/$1"
    # shellcheck disable=SC2046 # words
    "$top_srcdir/configure" -q --enable-werror $(options "$1") >configure.log 2>&1 || bail "$1: $(tail -n 2 configure.log)"
    make -s >make.log 2>&1
    is "$? $(grep -c warning: make.log)" '0 0' "$1 is built, without a warning" || { diag "$(grep -m 3 error make.log)" && return; }
    make -s guests >>make.log 2>&1 || bail "$1: guests: $(tail -n 1 make.log)"
    env -u SCRATCH -u QUERN make check TESTS="$tests" >check.log 2>&1
    is "$? $(grep '^FAIL\|^ERROR' check.log)" '0 ' "$1: $(sed -n 's/^# PASS: *//p' check.log) points of $(echo $tests | wc -w) tests"
    features "$1"
}

for name in ${*:-$all}; do try "$name"; done
done_testing
