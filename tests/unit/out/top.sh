#!/bin/sh
# Does `quern top` show a profile's functions, sources and findings on a terminal, and do its keys do what they say?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

"$CC" -o terminal "$top_srcdir/tests/tap/terminal.c" 2>log || bail "cc: $(cat log)"
# What the terminal of the tests understands.
cat >plain.ti <<'END'
plain|the terminal of tests/tap/terminal.c,
	cols#80, lines#24, colors#8, pairs#64,
	clear=\E[H\E[J, cup=\E[%i%p1%d;%p2%dH, ed=\E[J,
	bold=\E[1m, rev=\E[7m, sgr0=\E[m, setaf=\E[3%p1%dm, setab=\E[4%p1%dm, op=\E[39;49m,
	cr=\r, ind=\n, cub1=^H, kcud1=\E[B, kcuu1=\E[A, kent=\n,
END
tic -x -o terms plain.ti 2>log || bail "tic: $(cat log)"
TERMINFO=$PWD/terms TERM=plain LC_ALL=C
export TERMINFO TERM LC_ALL
unset NO_COLOR COLUMNS LINES

mkdir -p src
cat >src/mm.c <<'END'
static double a[9][9], b[9][9], c[9][9];
void mm(void)
{
	for (int k = 0; k < 9; k++)
		c[0][0] += a[0][k] * b[k][0];
}
END
cat >p <<END
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: D1 cache: 32768 B, 64 B, 8-way associative
desc: LL cache: 8388608 B, 64 B, 16-way associative
cmd: ./prog
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw AN.compulsory AN.capacity AN.conflict
fl=$PWD/src/mm.c
fn=mm
4 90000000 100 100 1000 0 0 0 0 0 0 0 0
5 100000000 0 0 40000000 16900000 20000 10000000 1000 0 10000 16000000 890000
fl=/gone/cold.c
fn=cold
7 5000000 0 0 0 0 0 0 0 0 0 0 0
9 3000000 0 0 0 0 0 0 0 0 0 0 0
fn=$(printf 'evil\033[2J')
3 1000000 0 0 0 0 0 0 0 0 0 0 0
summary: 199000000 100 100 40001000 16900000 20000 10000000 1000 0 10000 16000000 890000
END
enter=$(printf '\n.') enter=${enter%.} tab=$(printf '\t') escape=$(printf '\033')

# at SIZE STEP...: the last screen of a walk through the profile
at() {
    size=$1
    shift
    ./terminal "$size" "$@" -- "$QUERN" top p >screen
    status=$?
}
# row WHAT PATTERN: a row of the screen matches
row() { ok "$1" grep -q -- "$2" screen || diag "$(cat screen)"; }

at 12x120 await=mm send=q
is $status 0 'q ends it'
row 'profile, view and total' '^p: functions (1 of 3), 370 M estimated cycles$'
row 'columns' '^ *cycles\*instructions *I1 misses *D1 misses *LL misses function$'
row 'the costliest function first' '^  361 M  98% .* mm$'
is "$(sed -n 5p screen | grep -c 'evil\\x1b\[2J$')" 1 'names cannot steer the terminal'
row 'keys' '^q back  ? keys  Enter source .* t hottest$'
at 12x80 await=mm send=q
row 'in 80 characters a name has room, too' '^ *cycles\*instructions *D1 misses function$'
at 12x40 await=mm send=q
row 'in 40 characters they say how to leave and where more are' '^q back  ? keys  '
at 12x80 await=mm size=12x60 'await=cycles*instructions function' size=14x120 'await=LL misses function' send=q
is "$(sed -n 14p screen | grep -c '^q back') $status" '1 0' 'another size, while it runs'
at 12x80 await=mm send=s 'await=instructions*' send=s 'await=I1 misses*' send=q
row 's sorts by the next column' '^  361 M  98% .*100  *100% '
at 12x80 await=mm "send=$enter" 'await=void mm' send=Q
row 'Enter: the source, at the hottest line' '^p: .*src/mm\.c (5 of 6), 370 M estimated cycles$'
row '... with heat' '^  271 M  73%      5  *c\[0\]\[0\] += a\[0\]\[k\] \* b\[k\]\[0\];$'
RAW=raw at 12x80 await=mm "send=$enter" 'await=void mm' send=t 'await=(4 of 6)' send=Q
row 't: the next hottest line' '(4 of 6)'
ok 'heat is a colour' grep -q "$escape\[31m" raw
NO_COLOR=1 RAW=raw at 12x80 await=mm "send=$enter" 'await=void mm' send=Q
is "$(grep -c "$escape\[3[0-9]*m" raw)" 0 '... none with NO_COLOR'
at 30x80 await=mm "send=$enter" 'await=void mm' send=d 'await=of all' send=Q
row 'd: the line' '^p: mm\.c:5, in mm (1 of '
row '... its events' '^D1mr  *16,900,000  100\.0%$'
row '... and what is found of it' '^That is 100\.0% of all 16,901,000'
is "$(awk 'length($0) > 80' screen)" '' '... within the width'
at 12x80 await=mm send=j 'await=(2 of 3)' "send=$enter" 'await=No such file' send=Q
row 'a source that is not there: its lines' '^ 5\.00 M   1%  *7  cold$'
row '... and what helps' 'cold\.c: No such file or directory; --source-map=/gone=FOLDER'
at 12x80 await=mm "send=$tab" 'await=lines (1 of 5)' send=/COLD "send=$enter" 'await=(3 of 5)' send=n 'await=(4 of 5)' send=q
row 'Tab: lines; / and n search' '^p: lines (4 of 5)'
at 12x80 await=mm send=/nosuch "send=$enter" 'await=not found' send=q
row 'what is not found' '^not found$'
at 16x80 await=mm 'send=?' 'await=(1 of 11)' send=Q
row '?: the keys' '^/ and n  *search; the next one$'
at 6x80 await=mm send=G 'await=evil' send=q
row 'a small screen follows the chosen row' 'functions (3 of 3)'
"$QUERN" top p >out 2>err
is "$? $(cat out) $(grep -c '`quern annotate` has the same as text' err)" '2  1' 'without a terminal it says what to use'
TERM=nosuch LSAN_OPTIONS=detect_leaks=0 ./terminal 12x80 -- "$QUERN" top p >screen # ncurses frees nothing then
is $? 1 'a terminal that is not known'
row '... is named' 'the terminal `nosuch` is not known here'
./terminal 12x100 -- "$QUERN" top nosuchfile >screen
is "$? $(grep -c nosuchfile screen)" '1 1' 'a profile that is not there'
done_testing
