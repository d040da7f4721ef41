#!/bin/sh
# Are objects and calls in the data of their pictures as the profile has them?  Worked out by hand.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >profile <<'END'
cmd: ./x
events: Ir D1mr D1mw DLmr DLmw
fl=x.c
fn=main
1 100 10 0 0 0
fn=f
2 900 300 90 0 0
summary: 1000 310 90 0 0
#data: 3 4
#data-events: D1mr D1mw DLmr DLmw compulsory capacity conflict
#object: symbol 800 0 0 table
#from: 3 x.c
#type: 8 long
#object: heap 64 2 128 malloc
#from: 7 x.c
#in: main
#object: heap 64 2 128 malloc
#from: 7 x.c
#in: main
#file: x.c
#function: main
#miss: 1 0 - 10 0 0 0 1 9 0
#function: f
#miss: 2 0 - 100 0 0 0 2 8 90
#miss: 2 1 - 150 50 0 0 200 0 0
#miss: 2 2 - 50 40 0 0 0 90 0
#calls: 2 1 0
#call-events: Ir D1mr
#fn: x.c	main
#inclusive: 1 1000 310
#fn: x.c	f
#inclusive: 3 900 300
#edge: 0 1 1 3 900 300
END
"$QUERN" plot data --no-such profile 2>/dev/null
is $? 2 'a usage error'
"$QUERN" plot data profile -o data.svg 2>err
is "$?$(cat err)" 0 'a picture of objects'
is "$(cat data.csv)" 'object,compulsory,capacity,conflict
malloc in main (x.c:7),200,90,0
"table (global, x.c:3)",3,17,90' '... those with most misses first, of one name together, by class'
sed '/^#miss/s/ [0-9]* [0-9]* [0-9]*$//; s/ compulsory capacity conflict//' profile >plain
"$QUERN" plot data plain -o plain.svg 2>err
is "$(head -n 2 plain.csv)" 'object,reads,writes
malloc in main (x.c:7),200,90' '... without classes reads and writes'
"$QUERN" plot calls profile -o calls.svg 2>err
is "$?$(cat calls.csv)" '0function,inclusive,itself,end,label
main,1000,100,1000,100.0%
f,900,900,900,90.0%' 'calls: inclusive, and by itself'
"$QUERN" plot calls --event=D1mr profile -o misses.svg 2>err
is "$(sed 1d misses.csv)" 'main,310,10,310,100.0%
f,300,300,300,96.8%' '... of another event'
"$QUERN" plot calls --event=D1mw profile -o none.svg 2>err
is "$?: $(cat err)" '1: quern plot: profile: --event=D1mw: got an event by which calls are not counted, wanted another' '... by which nobody counted'
sed '/^#/d' profile >bare
for kind in data calls; do
    "$QUERN" plot $kind bare -o none.svg 2>err
    is "$?: $(cat err)" "1: quern plot: bare: $([ $kind = data ] && echo objects || echo calls): got none, wanted a profile of \`quern run --$kind=yes\`" "no $kind"
done
"$QUERN" report -q --timing=LL=7 -o page profile 2>err
is "$?$(cat err)" 0 'a report of it'
for id in data calls; do
    is "$(grep -c "<a href=\"#$id\">" page/index.html)$(grep -c "<h2 id=\"$id\">" page/index.html)$(grep -c "src=\"$id.svg\"\|$id.gp" page/index.html)" 111 "... has the section $id"
done
ok '... its table' grep -q '<td>table (global, x.c:3)</td><td>3</td><td>17</td><td>90</td>' page/index.html
ok '... says what cycles are here' grep -q 'Ordered by estimated cycles: instructions + 10 x L1 misses + 7 x LL misses' page/index.html
"$QUERN" report -q -o bare-page bare 2>err
is "$(grep -c 'id="data"\|id="calls"' bare-page/index.html)" 0 'a profile without them: no such sections'
done_testing
