#!/bin/sh
# What `quern convert` makes of Callgrind's files: against Cachegrind's counts of the same programs, and against files written
# by hand: names and positions that are shortened, calls, jumps that are passed over, parts, damage.
# Calls of real files: calls.sh.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# ---- by hand ----

cat >in <<'END1'
# callgrind format
version: 1
creator: someone
pid: 1
cmd:  ./prog a
part: 1

desc: I1 cache: 32768 B, 64 B, 8-way associative
positions: line
events: Ir Dr
summary: 30 5

ob=(1) /bin/prog
fl=(1) /src/a.c
fn=(1) main
10 3 1
cob=(2) /lib/c.so
cfi=(2) /src/c.c
cfn=(2) f
calls=2 100
+2 900 300
* 1
fi=(3) /src/a.h
-7 4
jfi=(4) /src/d.h
jfn=(3) g
jcnd=1/2 +3
*
fe=(1)
+2 5 1

ob=(2)
fl=(2)
fn=(2)
100 16 3

fn=plain name
+1 1

totals: 30 5
END1
"$QUERN" convert in >out
cat >wanted <<'END1'
desc: I1 cache: 32768 B, 64 B, 8-way associative
cmd: ./prog a
events: Ir Dr
#positions: object line
#ob=/bin/prog
fl=/src/a.c
fn=main
7 5 1
10 3 1
12 1 0
fl=/src/a.h
fn=main
5 4 0
#ob=/lib/c.so
fl=/src/c.c
fn=f
100 16 3
fn=plain name
101 1 0
summary: 30 5
#calls: 3 1 0
#call-events: Ir Dr
#ob: /bin/prog
#fn: /src/a.c	main
#inclusive: 0 913 302
#ob: /lib/c.so
#fn: /src/c.c	f
#inclusive: 2 16 3
#fn: /src/c.c	plain name
#inclusive: 0 1 0
#edge: 0 12 1 2 900 300
END1
same_file out wanted 'shortened names and positions; calls kept, jumps passed over; objects kept'
"$QUERN" annotate --by=object --no-show-percs out >table
is "$(tail -n 3 table)" '17  3  /lib/c.so
13  2  /bin/prog' 'annotate reads what was made'

# A part as --dump-before writes them, behind the first.
{ cat in && sed '1,/^part/d' in; } >parts
"$QUERN" convert parts >out
is "$(grep '^summary' out; grep '^#edge' out)" 'summary: 60 10
#edge: 0 12 1 4 1800 600' 'two parts of a run are added'

sed 's/^positions: line/positions: instr line/; s/^\([0-9+*-][0-9]*\) /0x40 \1 /; s/^\*$/* */' in >instr
"$QUERN" convert instr >out
same_file out wanted 'positions by instruction and line'
sed '/^version/d' in >headless
"$QUERN" convert headless >out
same_file out wanted 'without version:'
"$QUERN" convert - <in >out
same_file out wanted 'from standard input'
"$QUERN" convert -o file in && same_file file wanted 'into a file'

# ---- forms of the format ----

# form WHAT SED: the same file in another form.
form() {
    sed "$2" in >other
    "$QUERN" convert other >out 2>&1
    same_file out wanted "$1"
}
form 'lines end with CR LF' 's/$/\r/'
form 'hexadecimal lines and costs' 's/^10 3 1/0xA 0x3 0x1/; s/^calls=2 100/calls=0x2 0x64/'
form 'tabs' 's/^\([0-9*+-][0-9]*\) \(.*\)/\1\t\2/; s/^events: Ir Dr/events:\tIr\tDr/'
form 'blanks behind the equals sign' 's/^\(fn\|fl\|ob\|cfn\|calls\)=/&  /'
form 'signs of costs' 's/^\* 1$/* +1/'
form 'headers of other tools' 's/^part: 1/&\ntimeunit: 1 us\nsource-cache-name: x/'
form 'long names of events, derived ones' 's/^events:/event: Ir : Instruction Fetches\nevent: Sum = Ir + Dr\n&/'
form 'totals of 0 say nothing' 's/^totals: 30 5/totals: 0 0/'
form 'no totals, no summary' '/^totals\|^summary/d'
form 'cfl=, the older name of cfi=' 's/^cfi=/cfl=/'
form 'several blank lines and comments' 's/^fe=/# a comment\n\n  \n&/'
cat >first <<'END1'
events: Cycles Instructions Flops
fl=file.f
fn=main
15 90 14 2
16 20 12
END1
is "$("$QUERN" convert first | tail -n +2)" 'events: Cycles Instructions Flops
fl=file.f
fn=main
15 90 14 2
16 20 12 0
summary: 110 26 2' 'the first example of the format, which has no more than events: and costs'
printf 'positions: instr line\nevents: ticks\nfl=a\nfn=func\n0x80001234 90 1\n+3 * 5\n+1 +1 6\n' >packed
is "$("$QUERN" convert packed | sed -n '/^[0-9]/p')" '90 6
91 6' 'the example of relative positions'
printf 'events: A B\nfl=a\nfn=f\n3 1 2\n+3 * 5\n+1 +1 6\n' >costs
is "$("$QUERN" convert costs | sed -n '/^[0-9]/p')" '3 1 2
6 0 5
7 1 6' 'a star among costs is 0, as for callgrind_annotate'
printf 'events: A\nfl=(1) a.c\nfn=(1) f\n1 1\ncfi=(2) b.c\ncfn=(2) g\ncalls=1 5\n2 7\nfl=(2)\nfn=(2)\n5 7\n' >named
is "$("$QUERN" convert named | grep '^fl=b\|^5\|^#edge')" 'fl=b.c
5 7
#edge: 0 2 1 1 7' 'numbers that a call names first'

# ---- damage ----

# refused WHAT MESSAGE SED: status 1, one line, no output.
refused() {
    sed "$3" in >bad
    rm -f none
    "$QUERN" convert -o none bad >out 2>err
    is "$? $(cat err)" "1 quern convert: $2" "$1"
    ok "$1: nothing is written" test ! -e none
}
refused 'another version' 'bad:2: another version, got `version: 2`, wanted version 1' 's/^version: 1/version: 2/'
refused 'a wrong sum' 'bad:40: costs do not add up to `totals:`, got ` 31 5`, wanted their sum' 's/^totals: 30/totals: 31/'
refused 'a number that stands for nothing' 'bad:29: a number without its name, got `(9)`, wanted `(NUMBER) NAME` before it' 's/^fe=(1)/fe=(9)/'
refused 'a number that is too large' 'bad:29: the number of a name is too large, got `(99999999999)`, wanted at most 2^24' 's/^fe=(1)/fe=(99999999999)/'
refused 'too many costs' 'bad:16: malformed or too many costs, got `10 3 1 1`, wanted at most as many 64-bit numbers as there are events' 's/^10 3 1/& 1/'
refused 'the smallest number' 'bad:16: malformed or too many costs, got `10 3 -9223372036854775808`, wanted at most as many 64-bit numbers as there are events' 's/^10 3 1/10 3 -9223372036854775808/'
refused 'a call without its line' 'bad:21: a call or jump without its line, got `fi=(3) /src/a.h`, wanted a position' '/^+2 900/d; /^\* 1/d'
refused 'a call of nothing' 'bad:19: a call of nothing, got `calls=2 100`, wanted `cfn=` before it' '/^cfn/d'
refused 'no number of calls' 'bad:20: malformed number of calls, got `calls=x 100`, wanted `calls=COUNT TARGET`' 's/^calls=2/calls=x/'
sed 's/^calls=2/calls=0/' in >open_calls
"$QUERN" convert -o open_calls.profile open_calls 2>err
is "$? $(cat err)" '0 ' 'calls that were made in an earlier part of the run'
"$QUERN" convert -o made.profile in
is "$("$QUERN" csv --by=call --metadata=no --crlf=no open_calls.profile | sed '1d; s/^[^,]*,//')" \
    "$("$QUERN" csv --by=call --metadata=no --crlf=no made.profile | sed '1d; s/^[^,]*,//; s/,2,900,/,0,900,/')" 'are 0, with the same costs'
refused 'an end behind a call' 'bad:20: cut short, got `the end of the file`, wanted the line of a call' '21,$d'
refused 'another format' 'bad:1: malformed line, got `hello`, wanted a header, a name or costs' 's/^# callgrind.*/hello/'
"$QUERN" convert missing >out 2>err
is "$? $(cat err)" '1 quern convert: missing: cannot open: No such file or directory' 'a missing file'
"$QUERN" convert in in >out 2>err
is "$?" 2 'two files are wrong usage'

# ---- Valgrind ----

# by_line: of a profile on stdin, Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw by file and line, sorted.
by_line() {
    awk '/^events:/ { for (i = 2; i <= NF; i++) column[$i] = i }
        /^fl=/ { file = substr($0, 4) }
        /^[0-9]/ { split("Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw", want, " ")
            for (i = 1; i <= 9; i++) sum[file ":" $1, i] += $column[want[i]]; seen[file ":" $1] = 1 }
        END { for (place in seen) { text = place; for (i = 1; i <= 9; i++) text = text " " sum[place, i] + 0; print text } }' | LC_ALL=C sort
}
caches='--cache-sim=yes --I1=1024,2,64 --D1=2048,2,32 --LL=16384,4,64'
# The block that ends a program (here three instructions of guest_start's line) is not counted by Callgrind.
# No programs with read-modify-writes: those are writes to Callgrind and reads to Cachegrind.
guests='recursion sort calls'
if ! command -v valgrind >where; then
    absent 'valgrind is not installed' 6
    done_testing
fi
for guest in $guests; do
    program=$top_builddir/tests/guest/$guest
    valgrind -q --tool=callgrind --collect-jumps=yes $caches --callgrind-out-file=callgrind.$guest "$program" >log 2>&1 || bail "callgrind: $(cat log)"
    valgrind -q --tool=cachegrind $caches --cachegrind-out-file=cachegrind.$guest "$program" >log 2>&1 || bail "cachegrind: $(cat log)"
    "$QUERN" convert callgrind.$guest | by_line >out
    by_line <cachegrind.$guest | sed '/guest\.h:95 /s/ 5 / 2 /' >wanted
    same_file out wanted "$guest: nine counts of each line are Cachegrind's"
    is "$("$QUERN" convert callgrind.$guest | sed -n 's/^summary: //p')" "$(sed -n 's/^totals: //p' callgrind.$guest | sed 's/$//')" \
        "$guest: the sum is Callgrind's"
done
done_testing
