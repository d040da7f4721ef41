#!/bin/sh
# Is what could steer a terminal or reorder a page visible, wherever quern shows names and sources?
#
# Names of files, functions, objects, commands and lines of sources hold an escape sequence, a C1 control, a mark of direction (U+202E), a
# character without width (U+200B), a tag (U+E0041) and an isolate (U+2066).  Only formats for programs (profiles, CSV, JSON) keep them.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

bad=$(printf 'q\302\233\342\200\256\342\200\213\363\240\201\201\342\201\246q')
shown='q\\u009b\\u202e\\u200b\\U000e0041\\u2066q'
# raw FILES...: those that hold one of these characters, or an escape byte
raw() { LC_ALL=C grep -laE "$(printf '\033|\302[\200-\237]|\342\200[\213-\217\250-\256]|\342\201[\240-\257]|\363\240[\200\201]')" "$@"; }

mkdir 'src'
printf 'int main(void) { /* %s */\r\n\tint n = 0;\033[2J\n\fint k\r\n;return n + k; // %s\n}\n' "$bad" "$bad" >"src/$bad.c"
{
    printf 'desc: D1 cache: 49152 B, 64 B, 12-way associative\ndesc: %s\ncmd: ./prog %s\n' "$bad" "$bad"
    printf 'events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n'
    printf 'fl=src/%s.c\nfn=f_%s\n1 1000 9 9 400 300 200 40 30 20\n2 5 0 0 1 1 1 1 1 1\n5 1 0 0 1 1 1 1 1 1\n' "$bad" "$bad"
    printf 'fl=/no/where/%s.c\nfn=main%s\n1 2000 9 9 400 300 200 40 30 20\n' "$bad" "$bad"
    printf 'summary: 3006 18 18 802 602 402 82 62 42\n'
} >profile
sed 's/^1 1000/1 1010/; s/^summary: 3006/summary: 3016/' profile >profile.2

shows() {
    what=$1
    shift
    "$QUERN" "$@" >out 2>&1
    status=$?
    [ $status -eq 0 ] && [ -s out ] && grep -q "$shown" out && ! raw out >/dev/null || { echo "status $status"; head -n 40 out | cat -v; return 1; }
}
for style in modern classic; do
    ok "annotate --style=$style" shows annotate annotate --style=$style --auto=yes --threshold=0 profile
    ok "... lines of a source" grep -q "/\* $shown" out
    is "$(grep -c "$(printf 'int n = 0;\\\\x1b\\[2J')" out) $(grep -c "$(printf '\t')int n" out)" '1 1' '... an escape sequence in a line is shown, its tab stays'
done
for by in file function line; do
    ok "annotate --by=$by" shows annotate annotate --by=$by --threshold=0 profile
done
"$QUERN" annotate --diff profile profile.2 >out 2>&1
ok 'annotate --diff' test -s out -a -z "$(raw out)"
"$QUERN" page -o page.html profile >out 2>&1
sed '/<script/,/<\/script>/d' page.html >static
ok 'page without scripts' test -s static -a -z "$(raw static out)"
ok '... with the names' grep -q "$shown" static
"$QUERN" csv profile >out 2>&1
ok 'csv: names are as they are, in quotes' grep -qF "$bad" out
"$QUERN" plot top -o top.svg profile >out 2>&1
ok 'plot top' test -s top.svg -a -z "$(raw top.svg out)"
"$QUERN" annotate --nothing="$bad" profile >out 2>&1
ok 'an argument that is wrong' test -s out -a -z "$(raw out)"
"$QUERN" annotate "nothing-$bad" >out 2>&1
ok 'a file that is missing' test -s out -a -z "$(raw out)"
"$QUERN" lab check 1 "nothing-$bad" >out 2>&1
ok 'a folder of a lab that is missing' test -s out -a -z "$(raw out)"
is "$("$QUERN" lab check 1 profile 2>&1 >/dev/null)" 'quern: lab: profile: Not a directory' '... or a file'
"$QUERN" watch --cache=lru:1024,2,64 -o w.html "./nothing-$bad" >out 2>&1
ok 'a program that is missing, watched' test -s out -a -z "$(raw out)"
"$QUERN" watch --predictor=bimodal -o w.html "./nothing-$bad" >out 2>&1
ok '... its branches' test -s out -a -z "$(raw out)"
"$QUERN" serve "nothing-$bad" >out 2>&1
ok 'a folder to serve that is missing' test -s out -a -z "$(raw out)"

# A program with such names, from run to report.
cp "src/$bad.c" "$bad.c"
printf 'int main(void) { volatile int x[4096]; for (int i = 0; i < 4096; i++) x[i] = i; return 0; } // %s\n' "$bad" >"$bad.c"
"$CC" -g -O0 "$bad.c" -o "$bad.prog" || bail 'cannot compile'
"$QUERN" run --out-file=run.profile -- "./$bad.prog" "$bad" >out 2>&1
ok 'run: its banner and summary' test -s out -a -z "$(raw out)"
"$QUERN" run -q --calls=paths --out-file=run.profile -- "./$bad.prog"
"$QUERN" plot flame -o flame.svg run.profile >out 2>&1
is "$? $(raw flame.svg out)" '0 ' 'a flame graph'
"$QUERN" report -o report -- "./$bad.prog" "$bad" >out 2>&1
is $? 0 'report'
ok '... its page' grep -q "$shown" report/index.html
is "$(raw out report/index.html)" '' '... has none of them raw'
done_testing
