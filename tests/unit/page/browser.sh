#!/bin/sh
# Does a real browser show what the profile has, in every view, without an error and without asking anyone for anything?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
points=42
browser_test $points

cat >prog.c <<'END'
#include <stdlib.h>
double a[64][64], b[64][64];
__attribute__((noinline)) void transpose(void)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            b[j][i] = a[i][j];    /* walks down
                                     a column */
}
static __attribute__((noinline)) int decide(int x) { return x % 7 < 3 ? x : -x; }
int main(void)
{
    int n = 0;
    for (int i = 0; i < 20; i++)
        transpose();
    for (int i = 0; i < 20000; i++)
        n += decide(rand());
    return n == 1;
}
END
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
"$QUERN" run -q --branch-sim=yes --analysis=3c --dump-instr=yes --D1=4096,2,64 --interval=20000 --interval-file=time.csv --out-file=p ./prog || bail 'cannot run'
"$QUERN" run -q --branch-sim=yes --analysis=3c --dump-instr=yes --D1=65536,8,64 --out-file=q ./prog || bail 'cannot run'
"$QUERN" csv --metadata=no --crlf=no --by=function -o functions.csv p || skip_all 'this quern was built without libcsv' $points
"$QUERN" csv --metadata=no --crlf=no --by=line -o lines.csv p
"$QUERN" page --intervals=time.csv -o page.html p || bail 'no page'
"$QUERN" page --diff -o diff.html p q || bail 'no page'
all="model.columns.filter(c => c.kind === 'count' && c.name !== 'cost')"

browser_start
browser_size 1280 1000
open_page page.html overview

# ---- values ----

is "$(js 'return document.title')" './prog - Overview' 'the page opens'
csv_events='NR > 1 { printf "%s", $4; for (i = 5; i < 5 + events; i++) printf " %s", $i; print "" }'
events=$(js 'return model.events.length')
is "$(js "return [...document.querySelectorAll('#summary tr[data-events]')].filter(r => !/\\+|AN/.test(r.dataset.events)).map(r => r.dataset.events + ' ' + r.cells[1].textContent.replace(/,/g, '')).join('\\n')" | LC_ALL=C sort)" \
    "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=Ir,I1mr,ILmr,Bc,Bcm,Bi,Bim p | awk -F, 'NR == 1 { split($0, name) } NR == 2 { for (i = 2; i <= NF; i++) print name[i], $i }' | LC_ALL=C sort)" \
    'the summary is that of quern csv'
js "location.hash = makeHash('functions', { all: 1, columns: $all.map(c => c.name).join(',') })" >/dev/null
js "return [...document.querySelectorAll('#by-function tbody tr')].map(r => r.cells[0].querySelector('a').title + ' ' + [...r.cells].slice(1, -1).map(c => c.firstChild.textContent.replace(/,/g, '')).join(' ')).join('\\n')" |
    LC_ALL=C sort >got
awk -F, -v events="$events" "$csv_events" functions.csv | LC_ALL=C sort >wanted
ok 'there are functions to compare' test "$(wc -l <wanted)" -gt 20
same_file got wanted 'each event of each function is that of quern csv'
js "return model.files.flatMap(f => f.lines.map(l => [f.name, l.name, l.line, ...l.counts].join(' '))).join('\\n')" | LC_ALL=C sort >got
awk -F, -v events="$events" 'NR > 1 { printf "%s %s %s", $3, $4, $5; for (i = 6; i < 6 + events; i++) printf " %s", $i; print "" }' lines.csv | LC_ALL=C sort >wanted
same_file got wanted 'each event of each line, too'
js "return model.functions.map(f => f.name + ' ' + model.columns.filter(c => c.kind === 'ratio').map(c => { const v = c.value(f); return v === -Infinity ? '-' : c.name + '=' + v.toPrecision(17); }).join(' ')).join('\\n')" |
    awk '{ for (i = 2; i <= NF; i++) if (split($i, part, "=") == 2) $i = part[1] "=" sprintf("%.6g", part[2]) + 0; print }' | LC_ALL=C sort >got
awk -F, -v events="$events" 'NR == 1 { split($0, name) } NR > 1 { printf "%s", $4
    for (i = 5 + events; i <= NF; i++) printf " %s", $i == "" ? "-" : name[i] "=" $i + 0; print "" }' functions.csv | LC_ALL=C sort >wanted
same_file got wanted 'each ratio of each function, and there are no others'

# ---- sorting, filter, links ----

browser_size 1280 400
open_page page.html functions
is "$(js 'return new Promise(done => setTimeout(() => done(scrollY), 0))')" 0 'a view opens at its beginning: its name is no place in it'
browser_size 1280 1000

column() { js "return [...document.querySelectorAll('#by-function tbody tr')].map(r => Number(r.cells[$1].firstChild.textContent.replace(/,/g, ''))).join('\\n')"; }
open_page page.html 'functions&columns=Ir,D1mr'
click '#by-function th:nth-child(3) button'
column 2 >got
is "$(cat got)" "$(sort -rn got)" 'a click on a heading sorts, most first'
is "$(js "return document.querySelector('#by-function th:nth-child(3)').getAttribute('aria-sort')")" descending 'and says so to a screen reader'
click '#by-function th:nth-child(3) button'
is "$(column 2)" "$(sort -n got)" 'a second click the other way'
is "$(js 'return location.hash')" '#functions&columns=Ir%2CD1mr&sort=D1mr&dir=up' 'the address has the state'
js 'history.back()' >/dev/null
is "$(column 2)" "$(cat got)" 'back is back'
browser_keys /
browser_keys transp
is "$(js "return [...document.querySelectorAll('#by-function tbody tr')].map(r => r.cells[0].textContent).join()")" transpose 'keys: / and a name filter'
click '#by-function tbody a'
is "$(js 'return readHash().file.split("/").pop() + ":" + readHash().line')" prog.c:7 'a function leads to its most costly line'

# ---- source ----

is "$(js "return document.querySelector('#L7 .code').textContent")" '            b[j][i] = a[i][j];    /* walks down' 'the line is there as it was written'
is "$(js "return [...document.querySelectorAll('#L8 .comment, #L9 .comment')].map(n => n.textContent.trim()).join()")" 'a column */' \
    'a comment over two lines is one'
is "$(js "return [...document.querySelectorAll('#detail .events tr')].map(r => r.cells[0].textContent).join(' ')" | grep -c 'Ir .*D1mr .*AN.conflict')" 1 \
    'its details have all events'
is "$(js "return [...document.querySelectorAll('#detail .insns td.code')].length > 1")" true 'and its instructions'
is "$(js "return document.querySelector('#detail .bars').textContent.includes('conflict')")" true 'and the classes of its misses'
browser_keys n
is "$(js "return Number(readHash().line) > 7 && document.querySelector('tr.open').id === 'L' + readHash().line")" true 'n: the next hot line'
browser_keys p
is "$(js 'return readHash().line')" 7 'p: the one before'
is "$(js "return document.querySelector('#L7 .line').className")" 'line heat5' 'the most costly line is hottest'
js "location.hash = makeHash('source', {})" >/dev/null
is "$(js "return document.querySelectorAll('#files tbody tr').length === model.files.length")" true 'without a file: all of them'

# ---- caches, time, comparison ----

open_page page.html caches
is "$(js "return document.querySelector('main').textContent.includes('quern sweep')")" true 'a view without data says what collects it'
open_page page.html time
is "$(js "return [...document.querySelectorAll('#range tr')].slice(1).map(r => r.cells[0].textContent + ' ' + r.cells[1].textContent.replace(/,/g, '')).join('\\n')")" \
    "$(js "return model.events.map((name, i) => name + ' ' + model.totals[i]).join('\\n')")" 'all intervals add up to the totals'
is "$(js "document.querySelector('svg[role=img]').selectRange(1, 3); return document.querySelector('#range').rows[1].cells[1].textContent.replace(/,/g, '')")" \
    "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "Ir") c = i } NR > 2 && NR < 6 { s += $c } END { print s }' time.csv)" 'a range adds up'
browser_keys 1
is "$(js 'return readHash().view')" overview 'keys: 1 is the first view'
is "$(js "return document.querySelector('ol.first').textContent.includes('prog.c:7')")" true 'the costly line is named first'
messages=$(browser_messages)
is "$messages" '' 'the console has no error'
is "$(page_asked)" "file://$SCRATCH/page.html" 'nothing was asked for but the page'
browser_open "file://$SCRATCH/diff.html"
is "$(js "return [...document.querySelectorAll('#summary tr[data-events=\"D1mr+D1mw\"] td')].slice(0, 2).map(c => c.textContent.replace(/,/g, '')).join(' ')")" \
    "$(for f in p q; do "$QUERN" csv --metadata=no --crlf=no --by=program --show=D1mr,D1mw $f | awk -F, 'NR == 2 { print $2 + $3 }'; done | paste -s -d ' ')" \
    'a comparison: both counts'
js "location.hash = makeHash('functions', { columns: 'D1mr', filter: 'transpose' })" >/dev/null
is "$(js "const c = document.querySelector('#by-function tbody td.n'); return c.className + ' ' + c.firstChild.textContent.replace(/,/g, '')")" \
    "n better $(for f in p q; do "$QUERN" csv --metadata=no --crlf=no --by=function --show=D1mr $f | awk -F, '$4 == "transpose" { print $5 }'; done | { read -r p; read -r q; echo $((q - p)); })" \
    'and what changed, marked better'
browser_messages >>messages

# 10,002 functions, lines and objects; the first costs least in one profile, the last in the other.
for order in up down; do
    awk -v order=$order 'function cost(i) { return order == "up" ? i + 1 : 10002 - i }
    BEGIN { print "cmd: p\nevents: D1mr\nfl=a.c"; for (i = 0; i < 10002; i++) { printf "fn=f%d\n%d %d\n", i, i + 1, cost(i); sum += cost(i) }
        print "summary:", sum "\n#data: 10002 10002"; for (i = 0; i < 10002; i++) printf "#object: symbol 8 0 0 x%d\n", i
        for (i = 0; i < 10002; i++) { if (!i) print "#file: a.c\n#function: f"; print "#miss:", i + 1, i, "-", cost(i), "0 0 0" } }' >$order || bail 'no profile'
done
"$QUERN" page --diff -o folded.html up down || bail 'no page'
left='What only one of the two leaves out is shown as if it had no counts there: its change may be wrong.'
note() { js "return (document.querySelector('#$1') || { textContent: 'no note' }).textContent"; }
open_page folded.html functions
is "$(note left)" "Left out, for they cost least: 2 functions of this profile, 2 functions of the earlier one; the totals have them. $left" \
    'a comparison says which functions find no room'
open_page folded.html data
is "$(note folded | sed 's/.*as others/others/')" \
    'others, in each profile by itself. What only one of the two adds up is shown as if it had no misses there: its change may be wrong.' '... that objects are added up'
"$QUERN" page -o folded.html up || bail 'no page'
open_page folded.html origin
is "$(note left)" 'Left out, for they cost least: 2 functions and 0 lines; the totals have them.' '... of one profile it is as many as are left out'
open_page folded.html data
is "$(note folded)" 'no note' '... whose objects are added up rightly'
open_page diff.html data
is "$(note folded)$(note left)" 'no noteno note' 'where all find room there is nothing to say'
browser_messages >>messages

# ---- looks: both colour schemes, widths, print, names ----

file=$(js 'return encodeURIComponent(model.files.find(f => f.name.endsWith("prog.c")).name)')
open_page page.html overview
set -- overview "source&file=$file&line=7" functions time
is "$(page_faults 400 light "$@")" '' 'light, 400 pixels: a contrast of 4.5 at least, a name for whatever can be used, not wider than the window'
is "$(page_faults 800 dark "$@")" '' 'dark, 800 pixels'
is "$(page_faults 2560 light "$@")" '' 'light, 2560 pixels'
is "$(wire POST "/session/$browser_session/print" '{}' | jq -r . | base64 -d | head -c 5)" %PDF- 'it prints'
is "$(browser_messages)$(cat messages)" '' 'no error in all of that'
done_testing
