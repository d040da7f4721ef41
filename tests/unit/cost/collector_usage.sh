#!/bin/sh
# The command line: what is accepted, what is refused, with which status and words.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/unit/cost/fake/fake.sh"

config() {
    fake -q "$@" true config
    cat "$SCRATCH/out"
}
# refused STATUS TEXT DESCRIPTION ARGUMENTS...: one line on stderr, nothing run, nothing written
refused() {
    wanted=$1 text=$2 what=$3
    shift 3
    fake "$@"
    is "$status" "$wanted" "status $wanted: $what"
    is "$(cat "$SCRATCH/err")" "quern: run: $text" "said: $what"
    is "$(cat "$SCRATCH/out"; ls)" '' "nothing done: $what"
}

caches='--I1=32768,8,64 --D1 16384,4,32 --LL=1048576,16,128'
# shellcheck disable=SC2086
is "$(config $caches)" '32768,8,64 16384,4,32 1048576,16,128 counting 0 caches 1 branches 0 start 1 children 0 aslr 0 check 0 stats 0 filter 1 vdso 0 trace 0 blocks 0-18446744073709551615 tcache 0 seed 1 max 0 opt ' 'the defaults'
# shellcheck disable=SC2086
is "$(config $caches --L2=2097152,16,64 --counting=cachegrind --no-cache-sim --branch-sim --instr-at-start=no \
    --trace-children=yes --aslr --check --filter=no --tcache-size=4M --seed 7 --block-max=9 --sim-opt=a=1 \
    --sim-opt b=2 --trace=block --trace-file=/dev/null --trace-blocks=3-5)" \
    '32768,8,64 16384,4,32 1048576,16,128 counting 1 caches 0 branches 1 start 0 children 1 aslr 1 check 1 stats 0 filter 0 vdso 1 trace 2 blocks 3-5 tcache 4194304 seed 7 max 9 opt a=1,b=2' 'everything else'
ok 'vdso can be refused where addresses vary' test "$(config --aslr --no-vdso | grep -c 'vdso 0')" = 1
is "$(config --trace=decode,emit --trace-file=t | sed 's/.* trace \([0-9]*\).*/\1/'; cat t)" '9
traced' 'traces have a file'
fake -q --trace signal true config
is "$(cat "$SCRATCH/err")" 'traced' 'or go to stderr'

refused 2 "--D1=1000,3,7: line size: got 7, wanted a power of two, at least 16" 'a line that is no power of two' --D1=1000,3,7 true
refused 2 "--I1=32768,8,8: line size: got 8, wanted a power of two, at least 16" 'a line too short' --I1=32768,8,8 true
refused 2 "--D1=49152,4,64: number of sets: got 192, wanted a power of two" 'sets no power of two' --D1=49152,4,64 true
refused 2 "--L2=1000,1,64: size: got 1000, wanted sets * associativity * line size" 'a size that does not divide' --L2=1000,1,64 true
refused 2 "--D1=0,1,64: size: got 0, wanted sets * associativity * line size" 'no size' --D1=0,1,64 true
refused 2 "--D1=64,0,64: associativity: got 0, wanted at least 1" 'no ways' --D1=64,0,64 true
refused 2 "--D1: got '1,2', wanted SIZE,ASSOC,LINE in bytes, as 32768,8,64" 'two numbers' --D1=1,2 true
refused 2 "--D1: got '32K,8,64', wanted SIZE,ASSOC,LINE in bytes, as 32768,8,64" 'a suffix' --D1=32K,8,64 true
refused 2 "--D1: got '99999999999,8,64', wanted numbers below 2^32" 'a number too large' --D1=99999999999,8,64 true
refused 2 "--branch-sim: got 'maybe', wanted yes or no" 'neither yes nor no' --branch-sim=maybe true
refused 2 "--counting: got 'x', wanted exact or cachegrind" 'an unknown mode' --counting=x true
refused 2 "--seed: got '-1', wanted a number" 'a negative number' --seed=-1 true
refused 2 "--trace: got 'x', wanted decode, block, event, emit, syscall or signal" 'an unknown trace' --trace=x true
refused 2 '--frobnicate: no such option; `quern run --help=all` describes it' 'an unknown option' --frobnicate true
refused 2 '-x: no such option; `quern run --help=all` describes it' 'an unknown letter' -x true
refused 2 '--odd\x1b[31m\n.: no such option; `quern run --help=all` describes it' 'control bytes of an option are shown as text' "--odd$(printf '\033[31m\n.')" true
refused 2 "--seed: got '\x07', wanted a number" 'and those of a value' "--seed=$(printf '\007')" true
refused 2 "--seed: no value given, wanted N" 'a value left out' --seed
refused 2 'no program given; `quern run --help=all` describes it' 'no program' --branch-sim --
refused 2 '--cachegrind-out-file=%q{QN_NOT_SET}: %q{QN_NOT_SET}: this environment variable is not set' \
    'a name from a variable that is not set' --cachegrind-out-file='%q{QN_NOT_SET}' true
refused 2 '--log-file=a%z: %z: wanted %p, %q{VARIABLE}, %n or %%' 'a pattern unknown' --log-file=a%z true
sim=nosuch refused 2 '--sim=nosuch: no such simulator beside quern or in its libexec, and no module' 'a simulator that is not there' true

refused 127 'nosuchprogram: not found in PATH' 'not in PATH' nosuchprogram
mkdir "$SCRATCH/beside" && cp /bin/true "$SCRATCH/beside/here_only"
is "$(cd "$SCRATCH/beside" && "$QUERN" run here_only 2>&1)" 'quern: run: here_only: not found in PATH; but it is here: put ./ before it' '... but in this folder'
refused 127 './nosuch: No such file or directory' 'no such file' ./nosuch
refused 126 '/etc: is a directory' 'a directory' /etc
refused 126 '/etc/passwd: Permission denied' 'not executable' /etc/passwd

files=$SCRATCH/files
mkdir -p "$files"
program() {
    printf "$2" >"$files/$1"
    chmod +x "$files/$1"
}
program text 'hello\n'
program empty ''
program short '\177ELF\002'
program elf32 '\177ELF\001\001\001\000\000\000\000\000\000\000\000\000\002\000\003\000'
head -c 64 /bin/true >"$files/head"
head -c 20000 /bin/true >"$files/cut"
{ head -c 18 /bin/true; printf '\267\000'; tail -c +21 /bin/true; } >"$files/arm"
chmod +x "$files"/*
refused 126 "$files/text: neither an ELF program nor a script that begins with #!" 'a text file' "$files/text"
refused 126 "$files/empty: empty file" 'an empty file' "$files/empty"
refused 126 "$files/short: truncated ELF file" 'five bytes of ELF' "$files/short"
refused 126 "$files/elf32: 32-bit program; only 64-bit x86-64 programs can be run" '32 bits' "$files/elf32"
refused 126 "$files/head: truncated ELF file" 'an ELF header alone' "$files/head"
refused 126 "$files/cut: truncated ELF file" 'half a program' "$files/cut"
refused 126 "$files/arm: program for another machine; only x86-64 programs can be run" 'another machine' "$files/arm"
printf 'int x;\n' >"$files/x.c" && "$CC" -c "$files/x.c" -o "$files/x.o" && chmod +x "$files/x.o"
refused 126 "$files/x.o: object file, not linked" 'an object file' "$files/x.o"
printf '#!/bin/sh\nexit 3\n' >"$files/script" && chmod +x "$files/script"
fake -q "$files/script" exit 4
is "$status" 4 'a script is left to the engine'
cp /bin/true "$WORK/../here" && PATH=:/nosuch && export PATH
cd "$SCRATCH" && "$QUERN" run -q --sim="$FAKE" --out-file=/dev/null here exit 9
is $? 9 'an empty element of PATH is the current directory'
PATH=/usr/bin:/bin

is "$("$QUERN" run --version)" "$("$QUERN" --version)" 'a version'
ok 'help names every option' sh -c '[ "$("$QUERN" run --help=all | grep -c "^  --")" -ge 30 ]'
"$QUERN" frob 2>"$SCRATCH/err"
is $? 2 'an unknown command is a usage error'
"$QUERN" 2>"$SCRATCH/err"
is $? 2 'no command too'

done_testing
