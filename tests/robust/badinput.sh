#!/bin/sh
# Does what cannot be run end in one clear line, the right status, and nothing left behind?
#
#   sh tests/robust/badinput.sh
#
# A refusal is: the wanted exit status (127 not found, 126 cannot be executed, 2 bad usage); nothing on stdout;
# exactly one line on stderr, "quern: run: ..." with the words that say what is wrong; no file that was not there
# before.  One point each.  Damaged programs are also started natively: what the kernel runs, quern must run with
# the same status.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
LC_ALL=C
export LC_ALL
ulimit -c 0
rm -rf "$SCRATCH/here"
mkdir -p "$SCRATCH/here"
cd "$SCRATCH/here" || bail "no $SCRATCH/here"
limit=60 # seconds of processor time, for what goes round in circles

run() { cpu_limited "$limit" "$QUERN" run "$@" >../stdout 2>../stderr </dev/null; }

# refused STATUS WORDS ARGUMENTS...: WORDS is a pattern of grep -E.
refused() {
    wanted=$1
    words=$2
    shift 2
    ls -A >../before
    run --out-file=profile.%p "$@"
    status=$?
    ls -A >../after
    [ $status = "$wanted" ] || { echo "status $status, wanted $wanted"; head -n 5 ../stderr; return 1; }
    [ ! -s ../stdout ] || { echo "on stdout: $(head -n 3 ../stdout)"; return 1; }
    [ "$(wc -l <../stderr)" = 1 ] || { echo 'not one line on stderr:'; cat ../stderr; return 1; }
    grep -qE "^quern: run: .*$words" ../stderr || { echo "nothing like '$words' in: $(cat ../stderr)"; return 1; }
    cmp -s ../before ../after || { echo "left behind: $(diff ../before ../after | sed -n 's/^> //p')"; return 1; }
}

# no_program STATUS WORDS WHAT PROGRAM: with the banner off, so that one line is one line.
no_program() { ok "$3: status $1, one line" refused "$1" "$2" -q -- "$4"; }

# patch FILE OFFSET OCTAL-BYTES: printf's escapes.
patch() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null; }

# damaged NAME OFFSET OCTAL-BYTES: a copy of ./good with other bytes.
damaged() { cp good "$1" && patch "$1" "$2" "$3"; }

printf '%s\n' '.globl _start' '.type _start, @function' '_start: mov $3, %edi' 'mov $60, %eax' 'syscall' >../good.S
$CC -nostdlib -static -g -o good ../good.S || bail 'cannot assemble'

# Things that are not programs.
mkdir folder
echo 'plain text' >text && chmod +x text
echo 'plain text' >text-not-executable
: >empty && chmod +x empty
printf '#!/no/such/interpreter\n' >script-missing && chmod +x script-missing
printf '#!%s/here/script-loop\n' "$SCRATCH" >script-loop && chmod +x script-loop
printf '#!%s/here/text\n' "$SCRATCH" >script-text && chmod +x script-text
printf '#!\n' >script-empty && chmod +x script-empty
ln -s nowhere dangling
ln -s loop loop
mkfifo pipe && chmod +x pipe
no_program 127 'no-such-program.*not found' 'a program that is not in PATH' no-such-program
no_program 127 'no-such-program.*No such file' 'a path that does not exist' ./no-such-program
no_program 127 'dangling.*No such file' 'a dangling link' ./dangling
no_program 126 'symbolic links' 'a link to itself' ./loop
no_program 126 'folder.*directory' 'a directory' ./folder
no_program 126 'text.*neither' 'a text file without #!' ./text
no_program 126 'Permission denied' 'a file that is not executable' ./text-not-executable
no_program 126 'empty' 'an empty file' ./empty
no_program 126 'pipe.*(not|neither)' 'a named pipe' ./pipe
no_program 126 '/dev/null.*' 'a device' /dev/null
no_program 127 'interpreter' 'a script whose interpreter is missing' ./script-missing
no_program 126 'interpreter|script|symbolic' 'a script that is its own interpreter' ./script-loop
no_program 126 'text|interpreter' 'a script whose interpreter is a text file' ./script-text
no_program 126 'not a program|neither' 'a script that names no interpreter' ./script-empty
no_program 127 'no such program' 'an empty name' ''

# ELF files of another kind.  Offsets: ELF-64 header, gABI figure 4-3.
damaged class 4 '\001'
damaged big-endian 5 '\002'
damaged foreign 18 '\267\000'
damaged i386 18 '\003\000'
damaged core 16 '\004\000'
damaged far 32 '\000\000\000\000\000\000\000\100'
damaged no-segments 56 '\000\000'
damaged many-segments 56 '\377\377'
damaged odd-segments 54 '\001\000'
cp class 32-bit && patch 32-bit 18 '\003\000'
printf '.globl f\nf: ret\n' >../object.S
$CC -c -o object ../object.S && chmod +x object
no_program 126 'class|32.bit' 'a 32-bit program' ./32-bit
no_program 126 'class|32.bit' 'a program of the wrong class' ./class
no_program 126 'endian|byte order' 'a big-endian program' ./big-endian
no_program 126 'x86-64|machine' 'a program for AArch64' ./foreign
no_program 126 'x86-64|machine' 'a program for the 386 of 64 bits' ./i386
no_program 126 'core|executable|type' 'a core file' ./core
no_program 126 'object|executable|type' 'an object file' ./object
no_program 126 'program header|truncated|segment' 'program headers beyond the end' ./far
no_program 126 'program header|segment' 'no program headers' ./no-segments
no_program 126 'program header|truncated|segment' 'program headers of the wrong size' ./odd-segments
no_program 126 'program header|truncated|segment' 'more program headers than the file has' ./many-segments
printf 'int main(void) { return 3; }\n' >../main.c
$CC -Wl,--dynamic-linker=/no/such/linker -o no-linker ../main.c && $CC -o dynamic ../main.c || bail 'cannot compile'
no_program 127 'interpreter|linker' 'a program whose dynamic linker is missing' ./no-linker
# linked_at ADDRESS RANGE: a program that is linked there names quern's range, or runs
linked_at() {
    $CC -nostdlib -static -Wl,-Ttext-segment="$1" -o "at-$1" ../good.S || bail 'cannot link'
    if [ -n "${2-}" ]; then
        no_program 126 "linked at $1 to 0x[0-9a-f]*, and quern's own memory is at $2" "a program at $1" "./at-$1"
    else
        run -q --out-file=../profile -- "./at-$1"
        is "$? $(cat ../stderr)" '3 ' "a program at $1 runs"
    fi
}
low='0x54000000 to 0x7ff00000' high='0x7e8000000000 to 0x7ef000000000'
linked_at 0x54000000 "$low"
linked_at 0x60000000 "$low"
linked_at 0x70000000 "$low"
linked_at 0x7e8000000000 "$high"
linked_at 0x53fff000 "$low"
linked_at 0x10000000
linked_at 0x68000000
linked_at 0x80000000
linked_at 0x555555554000
linked_at 0x7ffff0000000
echo 'static char a[950000000], b[950000000]; int main(void) { a[5] = 1; return a[5] + b[949999999] + 2; }' >../large.c
$CC -no-pie -o large ../large.c || bail 'cannot link'
no_program 126 'linked at 0x4.*position-independent' '1.9 GB of static arrays at fixed addresses' ./large
$CC -fPIE -pie -mcmodel=medium -o large ../large.c || bail 'cannot link'
run -q --out-file=../profile -- ./large
is "$? $(cat ../stderr)" '3 ' '... and position-independent: it runs'

# The shell takes a file that execve refuses for a script; this does not.
cat >../start.c <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc > 1)
        execv(argv[1], argv + 1);
    return 126;
}
END
$CC -o ../start ../start.c || bail 'cannot compile'

# as_native FILE [STATUS...]: what runs natively runs with the same status; what does not is refused, or dies of
# the same signal. The other STATUSes are as good.
as_native() {
    rm -f ../profile
    cpu_limited 10 ../start "$1" >/dev/null 2>&1
    native=$?
    run -q --out-file=../profile -- "$1"
    status=$?
    [ $native -lt 126 ] && wanted="$native" || wanted="$native 126 127"
    case " $wanted ${2-} " in
    *" $status "*) ;;
    *)
        echo "$1: status $status, natively $native: $(head -n 2 ../stderr)"
        return 1
        ;;
    esac
    [ $status -ne 126 ] || [ "$(wc -l <../stderr)" = 1 ] ||
        { echo "$1: not one line:"; head -n 5 ../stderr; return 1; }
    [ $status -eq 126 ] || [ $status -eq 127 ] || [ -s ../profile ] || { echo "$1: no profile"; return 1; }
    [ $status -ne 126 ] || [ ! -e ../profile ] || { echo "$1: a profile of nothing"; return 1; }
}

# truncated FILE STEP: cut at every STEPth length, and at each of the first 200 bytes' fields.
truncated() {
    length=$(wc -c <"$1")
    for n in 1 3 4 5 15 16 17 20 32 40 54 56 63 64 65 100 119 120 121 176 200 $(seq 256 "$2" "$length") \
        $((length - 1)); do
        head -c "$n" "$1" >cut && chmod +x cut
        as_native ./cut || { echo "cut at $n of $length bytes"; return 1; }
    done
}

# flipped FILE BYTES [STEP]: each (STEPth) of the first BYTES bytes changed in two ways.  The kernel does not
# look at all of them (class, byte order, notes); to refuse such a program is as good as to run it; one that
# starts in the middle of data may meet bytes that are no instruction, which quern names (70) where the
# processor raises a signal.
flipped() {
    offset=0
    while [ "$offset" -lt "$2" ]; do
        for byte in '\377' '\001'; do
            cp "$1" flip && patch flip "$offset" "$byte"
            as_native ./flip '126 70' || { printf '%s\n' "byte $offset set to $byte"; return 1; }
        done
        offset=$((offset + ${3:-1}))
    done
}

ok 'a static program cut at many lengths is refused or runs as it does natively' truncated good 500
ok 'a dynamic program cut at many lengths is refused or runs as it does natively' truncated dynamic 1000
ok 'a static program with one byte of its headers changed: as natively, or refused' flipped good 176
ok 'a dynamic program with one byte of its headers changed: as natively, or refused' flipped dynamic 600 7
rm -f cut flip

# Options.
bad_usage() { ok "bad usage: $*" refused 2 '' "$@" -- ./good; }
for geometry in 1000,3,7 32768,8,48 32768,8,0 0,8,64 32768,0,64 32768,8 32768 32768,8,64,1 -32768,8,64 a,b,c \
    32768,3,64 99999999999999999999,8,64 64,8,64 '' ' 32768,8,64' 32768.5,8,64; do
    ok "impossible geometry --D1='$geometry': status 2, one line" refused 2 'D1' "--D1=$geometry" -- ./good
done
ok 'an impossible --I1 is named' refused 2 'I1' --I1=1000,3,7 -- ./good
ok 'an impossible --LL is named' refused 2 'LL' --LL=1000,3,7 -- ./good
bad_usage --no-such-option
bad_usage --cache-sim=perhaps
bad_usage --counting=roughly
bad_usage --tcache-size=much
bad_usage --tcache-size=127M
bad_usage --tcache-size=100K
bad_usage --trace=everything
bad_usage --trace-blocks=9
bad_usage --out-file=%z
bad_usage --out-file='%q{NO_SUCH_VARIABLE}'
bad_usage --log-fd=99
bad_usage --log-file=/no/such/folder/log
ok 'no program at all' refused 2 'no program' --cache-sim=no
ok 'an option without its value' refused 2 'D1' --D1
ok 'an engine that does not exist' refused 2 'no-such-engine' --sim=no-such-engine -- ./good

# Where the profile cannot be written the program is not started (outputs.sh); where it cannot be in the end, the program's own
# status counts unless it was 0.
# unwritten WORDS STATUS PROGRAM PATTERN: PATTERN is the name of the profile.
unwritten() {
    ls -A >../before
    run -q --out-file="$4" -- "$3"
    status=$?
    ls -A >../after
    [ $status = "$2" ] || { echo "status $status, wanted $2"; cat ../stderr; return 1; }
    [ "$(wc -l <../stderr)" = 1 ] || { echo 'not one line on stderr:'; cat ../stderr; return 1; }
    grep -qE "^quern: run: .*$1" ../stderr || { echo "nothing like '$1' in: $(cat ../stderr)"; return 1; }
    cmp -s ../before ../after || { echo "left behind: $(diff ../before ../after | sed -n 's/^> //p')"; return 1; }
}
ok 'a folder for profiles that does not exist: status 1' unwritten 'No such file' 1 /bin/true /no/such/profile
cat >../takes_away.c <<'END'
#include <unistd.h>
int main(void) { return rmdir("../away") ? 1 : 3; }
END
$CC -o takes_away ../takes_away.c || bail 'cannot compile'
mkdir ../away
ok 'the status of a program that fails goes before' unwritten 'No such file' 3 ./takes_away ../away/profile
ok 'a profile that is a directory' unwritten 'folder.*directory' 1 /bin/true folder
ok 'a folder where nobody may write' unwritten '/proc' 1 /bin/true /proc/profile
ok 'a full device: status 1' unwritten 'No space left' 1 /bin/true /dev/full

# full_disk: the profile does not fit; nothing half-written stays.
full_disk() {
    unwritten 'No space left' 1 /bin/ls "$SCRATCH/small/profile" || return 1
    [ -z "$(ls -A "$SCRATCH/small")" ] || { echo "left behind: $(ls -A "$SCRATCH/small")"; return 1; }
}
# old_profile: what was there before is not destroyed.
old_profile() {
    run -q --out-file="$SCRATCH/small/profile" -- ./good
    cp "$SCRATCH/small/profile" ../old
    head -c 9000 /dev/zero >"$SCRATCH/small/filler" 2>/dev/null
    run -q --out-file="$SCRATCH/small/profile" -- /bin/ls
    status=$?
    cmp ../old "$SCRATCH/small/profile" && [ $status = 1 ]
}
mkdir -p "$SCRATCH/small"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=16k none "$SCRATCH/small" 2>/dev/null; then
    ok 'a full disk: one line, status 1, nothing half-written' full_disk
    ok 'a full disk: an older profile of that name stays whole' old_profile
    umount "$SCRATCH/small"
else
    skip 'cannot mount a small file system here (not root?)' 2
fi
mkdir -p closed && chmod 500 closed
if [ "$(id -u)" != 0 ]; then
    ok 'a folder without write permission' unwritten 'Permission denied' 1 /bin/true closed/profile
else
    skip 'root may write everywhere' 1
fi

# Limits of the process.
# limited WHAT VALUE STATUSES: ulimit -WHAT VALUE; one line if it does not work out.
limited() {
    # shellcheck disable=SC3045 # dash and bash have these
    (ulimit -"$1" "$2" && run -q --out-file=../limited -- ./good)
    status=$?
    case " $3 " in *" $status "*) ;; *) echo "status $status"; cat ../stderr; return 1 ;; esac
    [ $status = 3 ] || [ "$(wc -l <../stderr)" = 1 ] || { echo 'not one line:'; cat ../stderr; return 1; }
}
ok 'few file descriptors: runs, or one line' limited n 24 '3 70'
ok 'little address space: runs, or one line' limited v 500000 '3 70'
# What no option asks for is not mapped: 3.3 GB of address space do for a run; all sections of the arena take 5.1.
same_counts() {
    # shellcheck disable=SC3045 # dash and bash have these
    (ulimit -v 4200000 && run -q --out-file=../half -- ./good)
    run -q --out-file=../whole -- ./good
    grep '^summary' ../half >../half.sum && grep '^summary' ../whole | cmp - ../half.sum
}
ok 'half the address space: the same counts' same_counts
ok 'a small stack: runs, or one line' limited s 128 '3 70'

# too_large: RLIMIT_FSIZE; writing the profile raises SIGXFSZ.
too_large() {
    rm -f ../limited
    (ulimit -f 1 && "$QUERN" run -q --out-file=../limited -- ./good 2>&1 >/dev/null | cat >../piped; exit 0)
    [ ! -e ../limited ] || awk -f "$top_srcdir/tests/corpus/totals.awk" ../limited || return 1
    (ulimit -f 0 && "$QUERN" run -q --out-file=../limited.2 -- ./good 2>&1 >/dev/null | cat) | cat >../piped
    [ ! -e ../limited.2 ] || { echo 'a file of nothing'; return 1; }
    [ "$(wc -l <../piped)" = 1 ] || { echo 'not one line:'; cat ../piped; return 1; }
}
ok 'a limit of file sizes: one line, no damaged profile' too_large

closed_descriptors() {
    rm -f ../closed
    "$QUERN" run -q --out-file=../closed -- ./good <&- >&- 2>&-
    status=$?
    [ $status = 3 ] || { echo "status $status"; return 1; }
    awk -f "$top_srcdir/tests/corpus/totals.awk" ../closed
}
ok 'standard descriptors closed: runs and writes its profile' closed_descriptors

# Instructions that are none.
cat >../undecodable.S <<'END'
        .globl  _start
        .type   _start, @function
_start: mov     $5, %ecx
1:      dec     %ecx
        jnz     1b
        cmpq    $1, (%rsp)              # no argument: into the bad one
        je      bad_place
        mov     $3, %edi
        mov     $60, %eax
        syscall
        .size   _start, . - _start
        .type   bad_place, @function
bad_place:
        nop
        lretq                           # a far return: the processor executes it, quern does not
        .size   bad_place, . - bad_place
END
$CC -nostdlib -static -g -o undecodable ../undecodable.S || bail 'cannot assemble'

stops_with_70() {
    rm -f ../profile
    run -q --out-file=../profile -- ./undecodable
    status=$?
    [ $status = 70 ] || { echo "status $status, wanted 70"; cat ../stderr; return 1; }
    [ "$(wc -l <../stderr)" = 1 ] || { echo 'not one line:'; cat ../stderr; return 1; }
    address=$(nm undecodable | awk '$3 == "bad_place" { print $1 }' | sed 's/^0*//')
    address=$(printf '%x' $((0x$address + 1)))
    for words in '48 cb' "0x0*$address" bad_place undecodable; do
        grep -q "$words" ../stderr || { echo "no '$words' in: $(cat ../stderr)"; return 1; }
    done
}
saves_counts() {
    awk -f "$top_srcdir/tests/corpus/totals.awk" ../profile || return 1
    # mov, 5 turns of two, cmp, je, nop
    counted=$(awk '/^summary:/ { print $2 }' ../profile)
    [ "$counted" = 14 ] || { echo "$counted instructions, 14 were executed"; return 1; }
}
not_reached() {
    run -q --out-file=../profile -- ./undecodable an-argument
    status=$?
    [ $status = 3 ] || { echo "status $status, wanted 3"; cat ../stderr; return 1; }
}
ok 'an instruction that quern does not execute: status 70, its bytes, address, symbol, module' stops_with_70
ok 'the counts up to it are saved' saves_counts
ok 'where it is not executed it does no harm' not_reached
done_testing
