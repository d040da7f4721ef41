#!/bin/sh
# What does annotate show on a terminal, through which pager, and is it unchanged everywhere else?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

"$CC" -o terminal "$top_srcdir/tests/tap/terminal.c" 2>log || bail "cc: $(cat log)"
unset PAGER LESS COLUMNS NO_COLOR
TERM=xterm
export TERM
mkdir -p src
cat >src/mm.c <<'END'
static double a[9][9], b[9][9], c[9][9];
void mm(void)
{
	for (int k = 0; k < 9; k++) /* a remark that is longer than any line of a terminal with eighty characters in a line */
		c[0][0] += a[0][k] * b[k][0];
}
END
cat >p <<END
desc: I1 cache: 32768 B, 64 B, 8-way associative
desc: D1 cache: 32768 B, 64 B, 8-way associative
desc: LL cache: 8388608 B, 64 B, 16-way associative
cmd: ./prog
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw AN.compulsory AN.capacity AN.conflict
fl=/a/library/of/the/system/with/a/rather/long/name/of/its/folder/zzz.c
fn=cold
7 2000000 0 0 0 0 0 0 0 0 0 0 0
fl=other.c
fn=cool
7 2000000 0 0 0 0 0 0 0 0 0 0 0
fl=$PWD/src/mm.c
fn=mm
4 90000000 100 100 1000 0 0 0 0 0 0 0 0
5 100000000 0 0 40000000 16900000 20000 10000000 1000 0 10000 16000000 890000
fn=other
2 5 0 0 0 0 0 0 0 0 0 0 0
summary: 194000005 100 100 40001000 16900000 20000 10000000 1000 0 10000 16000000 890000
END
# shows WHAT PATTERN [FILE]
shows() { ok "$1" grep -q -- "$2" "${3-raw}"; }

"$QUERN" annotate --style=modern p >modern
"$QUERN" annotate p >piped
grep -v '^Invocation' modern >wanted
grep -v '^Invocation' piped >got
same_file got wanted 'through a pipe it is the modern style'

cat >pager <<'END'
#!/bin/sh
echo "LESS=$LESS"
exec cat
END
chmod +x pager
# on_terminal WIDTH COMMAND...: what it writes to a terminal, without colours, into `raw`; with them into `colours`
on_terminal() {
    width=$1
    shift
    RAW=colours ./terminal "50x$width" -- "$@" >screen
    status=$?
    tr -d '\r' <colours | sed 's/\x1b\[[0-9;]*m//g' >raw
}
for width in 60 80 140; do
    PAGER=./pager on_terminal $width "$QUERN" annotate p
    is $status 0 "$width characters: exit status"
    is "$(grep -v '[:=]\|^- ' raw | awk -v w=$width 'length($0) > w')$(grep '^[<> 0-9.][<> 0-9.]*' raw | expand | awk -v w=$width 'length($0) > w')" '' '... no row is wider'
done
PAGER=./pager on_terminal 80 "$QUERN" annotate p
is "$(sed -n '/^-- Sources not found/,/^$/p' raw | grep -v '^---')" '-- Sources not found: --source-map=/a/library/of/the/system/with/a/rather/long/name/of/its/folder=FOLDER
- /a/library/of/the/system/with/a/rather/long/name/of/its/folder/zzz.c
- other.c' 'files without a source have one section'
shows '... and the last table says what they cost' '^4.00 M  *1% 4.00 M.* source not found$'
shows 'the pager has the options of git' '^LESS=FRX'
# columns: the heading of the first table
columns() { grep -m 1 '^cycles' raw | tr -d _ | tr -s ' '; }
is "$(columns)" 'cycles Ir D1mr ' 'columns: those with most of the cost'
PAGER=./pager on_terminal 60 "$QUERN" annotate p
is "$(columns)" 'cycles Ir ' '... as many as half of the width has room for'
shows 'the others are told of' '^Events shown: .*(others: --show)'
is "$(grep -A 4 -m 1 'file:line' raw | sed -n '3,4s/.*\///p')" 'mm.c:5
mm.c:4' 'the hottest lines come first'
shows 'short numbers' '^ *271 M  74% *100 M  52%.*mm\.c:5'
shows 'of a long path the end' '\.\.\.[a-z/]*/zzz\.c:cold'
is "$(grep -c 'for (int k.*>$' raw)" 1 'a long line is cut, and says so'
shows 'heat is a colour' "$(printf '\033\\[1;31m')" colours
is "$(grep -c '####' raw)" 0 '... without a bar'
PAGER=./pager NO_COLOR=1 on_terminal 80 "$QUERN" annotate p
is "$(grep -c "$(printf '\033')" colours)" 0 'none with NO_COLOR'
PAGER=./pager on_terminal 80 "$QUERN" annotate --show=Dr,D1mr% p
shows '--show has the last word' '^Dr_* *D1mr%_* *file:line'
PAGER=./pager on_terminal 80 "$QUERN" annotate --sort=D1mr --show=D1mr p
shows '--sort, too' '^Event sort order: D1mr$'
PAGER=./pager on_terminal 80 "$QUERN" annotate --pager=no p
is "$(grep -c LESS= raw)" 0 '--pager=no'
PAGER= on_terminal 80 "$QUERN" annotate p
shows 'PAGER= is none, either' 'mm\.c:5'
PAGER='head -n 3; exit 7' on_terminal 80 "$QUERN" annotate p
is "$status $(wc -l <raw)" '0 3' 'a pager that ends early is no failure'
PAGER=./pager on_terminal 80 "$QUERN" annotate nosuch
is "$status" 1 'the status is that of annotate'
shows '... and its message is seen' 'nosuch'
PAGER=nosuchpager on_terminal 80 "$QUERN" annotate p
shows 'a pager that is not there' 'the pager `nosuchpager` was not found; PAGER=cat, or --pager=no'
TERM=dumb PAGER=./pager on_terminal 80 "$QUERN" annotate p
grep -v '^Invocation' raw >got
same_file got wanted 'on a dumb terminal it is the modern style, without a pager'
PAGER=./pager NO_COLOR=1 on_terminal 80 "$QUERN" annotate --style=modern p
grep -v '^Invocation\|^LESS' raw >got
same_file got wanted 'with --style=modern, too'
COLUMNS=100 "$QUERN" annotate --style=terminal p >forced
shows '--style=terminal without one: COLUMNS' 'mm.c:5' forced
"$QUERN" annotate --style=terminal --diff p p >diff
is $? 0 'a difference without any counts'
grep -v '^desc: [IDL]' p | sed 's/^events: .*/events: Ir/; s/^\([0-9]* [0-9]*\) .*/\1/; s/^\(summary: [0-9]*\) .*/\1/' >plain
COLUMNS=80 "$QUERN" annotate --style=terminal plain >got
shows 'only instructions: nothing is estimated' '^Ir_' got

"$QUERN" annotate --format=errors p >got
is "$(cat got)" "$PWD/src/mm.c:5:3: 16.9 M D1 misses (100%): capacity" 'what to look at first, for editors'
cat >walk.c <<'END'
#include <stdlib.h>
double table[4][4096];
int main(void)
{
    double s = 0;
    for (int k = 0; k < 4096 * 16; k++)
        s += table[k % 4][k / 16];
    return s > 0;
}
END
"$CC" -g -O1 -o walk walk.c 2>log && "$QUERN" run -q --data=yes --analysis=3c --D1=1024,2,64 --out-file=real ./walk 2>>log || bail "$(cat log)"
for by in data type; do
    PAGER=./pager on_terminal 60 "$QUERN" annotate --by=$by real
    is "$(sed -n '/^-- [DT].* summary/,/^$/{n;p}' raw | awk 'length($0) > 60')" '' "--by=$by: no row is wider"
    shows '... and numbers are short' '^ *6[56]\.[0-9] k *[0-9]*%  .*  \(table (\|double$\)'
    shows '... of the whole run the costliest columns' 'PROGRAM TOTALS$'
done
sed 's/table$/table_of_things_with_a_name_that_no_terminal_has_room_for/' real >long
PAGER=./pager on_terminal 60 "$QUERN" annotate --by=data long
is "$(sed -n '/^-- Line:data/,/^$/p' raw | awk 'length($0) > 60')" '' '--by=data: lines, each object of one in a row that fits'
shows '... the line' '^6[56],[0-9]* misses: \.\.\.[^ ]*/walk.c:7 main$'
shows '... the object' '^ *6[56]\.[0-9] k *[0-9]*%  table_of_things_with_a_name[a-z_]*>$'

"$QUERN" run -q --calls=yes --out-file=called ./walk 2>>log || bail "$(cat log)"
PAGER=./pager on_terminal 60 "$QUERN" annotate --by=calls called
shows '--by=calls: the function comes first, so that it is seen' '^[^:]* 1 main:/'

"$QUERN" annotate --format=errors real >got
is "$(sed -n 's/^.*\(walk.c:7:14\): [0-9.]* [kM] D1 misses ([0-9]*%): \([a-z]*, on table\)$/\1 \2/p' got)" 'walk.c:7:14 conflict, on table' 'class, object, and its column' ||
    diag "$(cat got)"
pattern=$(sed -n 's/.*"regexp": "\(.*\)",/\1/p' "$top_srcdir/labs/vscode/tasks.json")
is "$(grep -Ec "$pattern" got)" "$(wc -l <got)" "the task for VS Code knows them"
"$QUERN" annotate --format=errors -I /nowhere plain >got
is "$? $(cat got)" '0 ' 'nothing, if nothing costs much'
printf 'cmd: p\nevents: Ir\nfl=a\nfn=f\nsummary: 0\n' >empty
is "$("$QUERN" annotate --format=errors empty 2>&1; echo $?)" 0 'nothing of a profile without lines (make sanitize found a null pointer)'
"$CC" -O1 -o bare walk.c && "$QUERN" run -q --D1=1024,2,64 --out-file=bare.prof ./bare 2>>log || bail "$(cat log)"
is "$("$QUERN" annotate --format=errors bare.prof 2>&1)" 'quern annotate: warning: most of cycles is in code without line numbers: compile with -g' 'a program without lines: a hint'
"$QUERN" annotate --format=errors p p >got 2>err
is "$? $(head -n 1 err)" '2 quern annotate: --format=errors: name exactly one profile; `quern annotate --help` describes it' 'of one profile'
"$QUERN" annotate --format=errors --style=classic p >got 2>err
is $? 2 'not in the classic style'
done_testing
