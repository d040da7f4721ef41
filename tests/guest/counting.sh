#!/bin/sh
# counting.sh - does quern in counting mode "cachegrind" count every form of instruction as Cachegrind does?
#
#   sh tests/guest/counting.sh              four cases (50 s of processor time; half of that if Cachegrind has been asked before)
#   COUNTING=all sh tests/guest/counting.sh each of three geometries with each of five placements of operands
#   SUBJECT='--counting=exact' sh ...       quern in another mode: must fail, at the lines of the forms that have a rule
#
# A program is made (tests/counting) in which each form of the opcode tables, by operand size, vector length, prefix, memory
# or registers, has lines of its own: in loops of 1, 3 and 10 iterations, with operands at the start of a line, and across the end
# of one.  All 13 numbers of each line must be equal, of the lines of what surrounds the instructions, too, which find the caches and
# predictors as these left them.
#
# What the processor or Valgrind 3.19 cannot run is found by trial and left out, and said by name.  The forms of tests/counting/differences
# are those that doc/counting.md has a row of; they must differ.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

source=$top_srcdir/tests/counting
cache=$top_builddir/tests/oracle-cache
subject=${SUBJECT:---counting=cachegrind}
vex='--vex-guest-chase=no --vex-iropt-level=0'

# Where operands begin in a line of 64 bytes (the second line; 127 is the last byte of it), and the caches.
sample='127 --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64
124 --I1=64,1,32 --D1=64,2,32 --LL=128,1,64
120 --I1=64,1,32 --D1=64,2,32 --LL=128,1,64
112 --I1=512,1,256 --D1=96,3,32 --LL=512,4,64'
geometries='--I1=64,1,32 --D1=64,2,32 --LL=128,1,64
--I1=512,1,256 --D1=96,3,32 --LL=512,4,64
--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'
begins='127 124 120 112 104'

every_case() {
    for begin in $begins; do
        echo "$geometries" | sed "s/^/$begin /"
    done
}

# as_program NAME DEFINE...: NAME.s and the driver become NAME.
as_program() {
    name=$1
    shift
    "${GUEST_CC:-gcc}" $avx "$@" -Wa,--debug-prefix-map="$PWD=." -nostdlib -static -no-pie -Wl,-e,guest_start -Wl,--build-id=none -Wl,-z,noexecstack \
        -o "$name" "$source/driver.S" "$name.s"
}

# What a program of the trial says: numbers and signals.
said() {
    od -An -v -tu4 -w8
}

try_natively() {
    ./program trial trial.list >trial.s && as_program trial || bail 'the trial does not assemble'
    ./trial | said >trial.said
    awk '$2 { print $1 }' trial.said | sort -nu >native.skip
}

# Valgrind may end at an instruction that it does not have: that was the last one announced; then all others again.
try_valgrind() {
    cp native.skip valgrind.skip
    while :; do
        ./program trial some.list valgrind.skip >some.s && as_program some || bail 'the trial does not assemble'
        valgrind -q --sigill-diagnostics=no --tool=none $vex ./some 2>some.err >some.out
        status=$?
        said <some.out >some.said
        awk '$2 { print $1 }' some.said >>valgrind.skip
        [ $status -ne 0 ] || return
        tail -n 1 some.said | awk '{ print $1 }' >>valgrind.skip
    done
}

# Does this depend on the same things as before?  Prints a name for it.
cached() {
    echo "$cache/counting-$({ cat "$@" && echo "$version $case"; } | sha256sum | cut -c 1-32)"
}

trial() {
    try_natively
    case=
    kept=$(cached trial native.skip)
    if [ -f "$kept" ]; then
        cp "$kept" valgrind.skip
    else
        try_valgrind
        cp valgrind.skip "$kept.$$" && mv "$kept.$$" "$kept"
    fi
    awk -F '\t' 'FNR == NR { if (!/^#/) pattern[$1]; next }
        FNR > 1 { for (p in pattern) if ($1 ~ p) print FNR - 2 }' "$source/differences" trial.list | sort -n >known
}

# lines PROFILE: the records of a profile, files without their folder.
lines() {
    awk -f "$top_srcdir/tests/guest/lines.awk" "$1" | sed 's,^[^ ]*/,,' | LC_ALL=C sort
}

# ask_both PROGRAM OPTION...: PROGRAM.cachegrind and PROGRAM.quern; what Cachegrind says is kept.
ask_both() {
    name=$1
    shift
    case=$*
    kept=$(cached "$name" "$name.list")
    if [ ! -f "$kept" ]; then
        valgrind -q --tool=cachegrind $vex --branch-sim=yes "$@" --cachegrind-out-file="$name.profile" "./$name" >"$name.said" 2>"$name.err"
        [ $? -eq 0 ] && [ ! -s "$name.said" ] || bail "Cachegrind cannot run $PWD/$name $*"
        lines "$name.profile" >"$kept.$$" && mv "$kept.$$" "$kept"
    fi
    cp "$kept" "$name.cachegrind"
    "$QUERN" run -q $subject --branch-sim=yes "$@" --cachegrind-out-file="$name.profile" -- "./$name" >"$name.said" 2>"$name.err"
    status=$?
    [ $status -eq 0 ] && [ ! -s "$name.said" ] || diag "quern: status $status $(head -n 3 "$name.err")"
    lines "$name.profile" >"$name.quern"
}

# compare BEGIN OPTION...
compare() {
    begin=$1
    shift
    as_program loops "-DLAST=$begin" || bail 'the program does not assemble'
    ask_both loops "$@"
    diff loops.cachegrind loops.quern | awk -v list=loops.list -f "$source/summary.awk" >differences
    if [ ! -s differences ] && [ -s loops.quern ]; then
        pass "operands begin at byte $begin, $*"
    else
        fail "operands begin at byte $begin, $*"
        diag "$(grep -c '	' differences) lines differ, of these instructions:"
        diag "$(sed -n 's/	.*//p' differences | sort | uniq -c | sort -rn | head -n 40)"
        diag "$(head -n 30 differences)"
    fi
}

# Each must have a row, and differ: else it belongs to all others.
check_known() {
    grep -v '^#' "$source/differences" | cut -f 2 | while IFS= read -r row; do
        grep -qF "| $row " "$top_srcdir/doc/counting.md" || echo "$row"
    done >no_row
    is "$(cat no_row)" '' 'the forms that differ have a row in doc/counting.md'
    seq 0 "$(wc -l <trial.list)" | awk 'FNR == NR { known[$1]; next } !($1 in known)' known - | cat valgrind.skip - >known.skip
    ./program loops known.list known.skip >known.s && as_program known || bail 'the program of known differences does not assemble'
    ask_both known --I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64
    diff known.cachegrind known.quern | awk -v list=known.list -f "$source/summary.awk" | sed -n 's/	.*//p' | sed 's/^around //' | sort -u >differ
    sed '1d; s/	.*//' known.list | sort -u >wanted
    is "$(comm -3 wanted differ)" '' "$(wc -l <wanted) forms do differ"
}

# names SKIP...: of what the trial has at these numbers, mnemonics, and how many forms.
names() {
    awk -F '\t' 'FNR == NR { skip[$1]; next } FNR > 1 && FNR - 2 in skip { print $1 }' "$1" trial.list |
        sed 's/ *[^ ]*[$%(].*//; s/ [0-9a-f]*$//' | sort | uniq -c | awk '{ n = $1; $1 = ""; printf "%s(%d)", $0, n } END { print "" }' | fold -s -w 110
}

say_skipped() {
    sort -nu valgrind.skip | comm -23 - native.skip >valgrind.only 2>/dev/null
    sort -n native.skip >sorted.native
    sort -nu valgrind.skip | awk 'FNR == NR { native[$1]; next } !($1 in native)' sorted.native - >valgrind.only
    diag "$(($(wc -l <trial.list) - 1)) forms and placements; the processor refuses $(wc -l <native.skip), Valgrind" \
        "$(wc -l <valgrind.only) others, $(wc -l <known) differ for good, $((($(wc -l <loops.list) - 1) / 3)) are compared, in three loops each"
    diag 'refused by the processor, with how many:'
    diag "$(names native.skip)"
    diag 'refused by Valgrind 3.19:'
    diag "$(names valgrind.only)"
}

command -v valgrind >/dev/null || skip_all 'valgrind is not installed: nothing to compare with'
version=$(valgrind --version)
case $version in
valgrind-3.19.*) ;;
*) skip_all "the oracle is Cachegrind 3.19; this is $version" ;;
esac
mkdir -p "$cache" && cd "$SCRATCH" || bail "cannot use $cache and $SCRATCH"
grep -qw avx /proc/cpuinfo && avx=-DAVX || avx=
"$CC" -std=gnu11 -O2 -Wall -Wextra -I"$top_srcdir/lib" -o program "$source/program.c" "$source/enumerate.c" "$top_builddir/libquern.a" ||
    bail 'tests/counting does not compile'

trial
cat valgrind.skip known >skip
./program loops loops.list skip >loops.s || bail 'no program'
say_skipped
{ [ "${COUNTING:-}" = all ] && every_case || echo "$sample"; } >cases
while IFS= read -r case; do
    compare $case
done <cases
check_known
done_testing
