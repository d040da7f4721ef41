#!/bin/sh
# Does quern in counting mode "cachegrind" give the same 13 numbers as Cachegrind for every line of every function?
# Each guest program, each geometry; file and function names are compared too.  (tests/guest/guest.h says what the
# programs are.)
#
#   sh tests/guest/oracle.sh                    all
#   sh tests/guest/oracle.sh rep bits           these programs only
#   ORACLE_SUBJECT=valgrind sh ...              Valgrind against itself: does the comparison work?
#   ORACLE_GEOMETRIES=3 sh ...                  the first three geometries only
#
# A line of a program that is marked "quirk: NAME" is not compared: the manual's table of differences has a row NAME.  A program
# that is marked "oracle: none (REASON)" is not compared at all: it has one point, that it passes its own checks under quern.
#
# What Cachegrind says is kept in build/tests/oracle-cache under a hash of program, options and version, so that only the
# first run is slow.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

folder=$top_srcdir/tests/guest
programs=$top_builddir/tests/guest
cache=$top_builddir/tests/oracle-cache
subject=${ORACLE_SUBJECT:-quern}

# Everyday caches, then every corner that Cachegrind 3.19 accepts: it wants lines that a vector register fits into (32 bytes
# with AVX) and more than one line per cache.  Sizes are those of I1 D1 LL.
geometries='--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64
--I1=1024,2,32 --D1=1024,2,32 --LL=4096,4,32
--I1=4096,1,32 --D1=2048,1,64 --LL=16384,1,128
--I1=1024,16,64 --D1=2048,32,64 --LL=16384,256,64
--I1=2048,2,128 --D1=8192,4,64 --LL=8192,2,256
--I1=64,1,32 --D1=64,2,32 --LL=128,1,64
--I1=512,1,256 --D1=96,3,32 --LL=512,4,64
--I1=6144,3,64 --D1=3072,3,32 --LL=24576,6,128
--I1=4096,4,256 --D1=2048,8,256 --LL=65536,2,256
--I1=65536,1,64 --D1=65536,1,32 --LL=8388608,1,64
--I1=4096,128,32 --D1=16384,128,32 --LL=4096,1,32
--I1=32768,4,128 --D1=49152,12,64 --LL=1966080,15,128
--I1=256,4,64 --D1=512,2,256 --LL=2048,8,32
--I1=8192,2,64 --D1=8192,16,128 --LL=8192,32,64
--I1=16384,2,32 --D1=4096,64,64 --LL=262144,8,256
--I1=2048,1,1024 --D1=4096,2,512 --LL=32768,4,2048'

geometries=$(echo "$geometries" | head -n "${ORACLE_GEOMETRIES:-99}")

valgrind_options='--tool=cachegrind --vex-guest-chase=no --vex-iropt-level=0 --branch-sim=yes'

# oracle_command PROGRAM GEOMETRY OUTPUT
oracle_command() {
    echo "valgrind -q $valgrind_options $2 --cachegrind-out-file=$3 $programs/$1"
}

subject_command() {
    if [ "$subject" = valgrind ]; then
        oracle_command "$@"
    else
        echo "$QUERN run -q --counting=cachegrind --branch-sim=yes $2 --cachegrind-out-file=$3 -- $programs/$1"
    fi
}

# lines PROGRAM PROFILE: see lines.awk.
lines() {
    awk -f "$folder/lines.awk" -v source="$(ls "$folder/$1".[cS])" "$2" | LC_ALL=C sort
}

# cached PROGRAM GEOMETRY: the file that holds, or will hold, what Cachegrind says.
cached() {
    hash=$({ cat "$programs/$1" "$folder/$1".[cS] "$folder/lines.awk" && echo "$version $valgrind_options $2"; } | sha256sum)
    echo "$cache/$1-${hash%% *}"
}

# ask_oracle PROGRAM GEOMETRY: fill the cache.
ask_oracle() {
    wanted=$(cached "$1" "$2")
    [ -f "$wanted" ] && return
    eval "$(oracle_command "$1" "$2" "$wanted.profile.$$")" >/dev/null 2>"$wanted.err.$$"
    status=$?
    case $status in
    0) lines "$1" "$wanted.profile.$$" >"$wanted.$$" && mv "$wanted.$$" "$wanted" ;;
    *) echo "status $status" | cat - "$wanted.err.$$" >"$wanted.failed" ;;
    esac
    rm -f "$wanted.profile.$$" "$wanted.err.$$"
    diag "asked: $1, $2" # so that the driver sees progress
}

# The oracle is asked for everything before anything is compared, on as many processors as there are.
ask_all() {
    jobs=0
    for program in $names; do
        has_oracle "$program" || continue
        while IFS= read -r geometry; do
            ask_oracle "$program" "$geometry" &
            jobs=$((jobs + 1))
            [ $((jobs % processors)) -ne 0 ] || wait
        done <<END
$geometries
END
    done
    wait
}

# A program whose header says "oracle: none" does what Valgrind cannot do.
has_oracle() {
    ! grep -q 'oracle: none' "$folder/$1".[cS]
}

# The reason that it gives.
why_no_oracle() {
    sed -n 's/.*oracle: none (\([^)]*\)).*/\1/p' "$folder/$1".[cS]
}

# alone PROGRAM: the one point of a program without an oracle.
alone() {
    "$QUERN" run -q --counting=cachegrind --branch-sim=yes --out-file="$SCRATCH/profile" -- "$programs/$1" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr"
    status=$?
    case $status in
    77) skip "$1: this processor lacks what the program is about" ;;
    *) is "$status $(cat "$SCRATCH/stderr")" '0 ' "$1 passes its own checks; its counts are compared with nothing ($(why_no_oracle "$1"))" ;;
    esac
}

# compare PROGRAM GEOMETRY
compare() {
    what="$1, $2"
    if [ -n "$no_valgrind" ]; then
        absent "$what: $no_valgrind"
        return
    fi
    wanted=$(cached "$1" "$2")
    profile=$SCRATCH/$1.profile
    command=$(subject_command "$1" "$2" "$profile")
    rm -f "$profile"
    eval "$command" >"$SCRATCH/stdout" 2>"$SCRATCH/stderr"
    status=$?
    if [ $status -eq 77 ]; then
        skip "$what: this processor lacks what the program is about"
    elif [ $status -ne 0 ] || [ ! -f "$profile" ]; then
        fail "$what"
        diag "status $status of: $command"
        diag "$(head -n 5 "$SCRATCH/stderr")"
    elif [ ! -f "$wanted" ]; then
        fail "$what"
        diag "Cachegrind failed, $(head -n 3 "$wanted.failed"): $(oracle_command "$1" "$2" /dev/null)"
    else
        lines "$1" "$profile" >"$SCRATCH/lines"
        same_lines "$wanted" || diag "Cachegrind:  $(oracle_command "$1" "$2" "$SCRATCH/oracle")" \
            "the subject: $command"
    fi
}

# same_lines WANTED: the first lines that differ are shown as pairs.
same_lines() {
    if cmp -s "$1" "$SCRATCH/lines"; then
        pass "$what"
        return
    fi
    fail "$what"
    diag "FILE FUNCTION LINE  Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim   (- Cachegrind, + $subject)"
    diag "$(diff -U 0 "$1" "$SCRATCH/lines" | sed '1,2d; /^@@/d' | head -n 12)"
    return 1
}

no_valgrind=
version=$(valgrind --version 2>/dev/null) || version=none
case $version in
valgrind-3.19.*) ;;
none) no_valgrind='valgrind is not installed' ;;
*) no_valgrind="the oracle is Cachegrind 3.19; this is $version" ;;
esac
processors=$(nproc)
mkdir -p "$cache" || bail "cannot make $cache"
names=$*
[ -n "$names" ] || names=$(cd "$folder" && for f in *.[cS]; do echo "${f%.*}"; done)
for program in $names; do
    [ -x "$programs/$program" ] || bail "no $programs/$program: run make -C $top_builddir guests"
done

[ -n "$no_valgrind" ] || ask_all
for program in $names; do
    if ! has_oracle "$program"; then
        [ "$subject" != quern ] || alone "$program"
        continue
    fi
    while IFS= read -r geometry; do
        compare "$program" "$geometry"
    done <<END
$geometries
END
done
done_testing
