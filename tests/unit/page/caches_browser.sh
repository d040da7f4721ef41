#!/bin/sh
# Does the page show misses by size, by set and of other caches as the run has told them, and a range of time in all that it has?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 35

cat >prog.c <<'END_C'
double a[64][64], b[64][64];
int main(void)
{
    for (int n = 0; n < 5; n++)
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < 64; j++)
                b[j][i] += a[i][j];
    return b[1][2] > 1;
}
END_C
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
"$QUERN" run --sim-opt=smallest=1024 --analysis=3c,mattson,sets,culprits --D1=4096,2,64 --LL=1048576,16,64 --interval=20000 --interval-file=time.csv --log-file=log --out-file=p ./prog || bail 'cannot run'
printf 'program,D1_size,D1_ways,status,D1mr,D1_miss_percent\nprog,1024,1,ok,50,25.5\nprog,1024,2,ok,40,20\nprog,2048,1,ok,30,15\nprog,2048,2,ok,20,10\n' >runs.csv
"$QUERN" page --mattson=p.mattson.csv --runs=runs.csv --intervals=time.csv --sets=p.sets.csv -o page.html p && "$QUERN" page -o bare.html p &&
    { sed '/,2,ok,/d' runs.csv >sizes.csv; "$QUERN" page --runs=sizes.csv -o sizes.html p; } || bail 'no page'

browser_start
browser_size 1300 1000
open_page page.html caches

# ---- misses by size and set ----

is "$(js "const c = document.querySelector('#curve'); const all = []; for (let i = 0; i < model.data.caches.curve.length; i++) { c.moveTo(i);
    all.push(document.querySelector('#curve-text').textContent.match(/[\d,]+ misses/)[0].replace(/\D/g, '')); } return all.join(' ')")" \
    "$(sed -n 's/^==[0-9]*== AN: [0-9]* lines: //p' log | paste -s -d ' ')" 'the cursor tells the misses of each size'
first=$(sed -n 's/.*lines missed: \([0-9]*\) for the first.*/\1/p' log)
misses=$(sed -n 's/^==[0-9]*== AN: 64 lines: //p' log)
is "$(js "document.querySelector('#curve').moveTo(2); return document.querySelector('#curve-text').textContent.split('; ')[1]")" \
    "$(awk -v f="$first" -v m="$misses" 'BEGIN { printf "%.1f%% compulsory, %.1f%% capacity, no conflicts", 100 * f / m, 100 * (m - f) / m }')" 'and their classes'
js "document.querySelector('#curve').focus()" >/dev/null
browser_keys "$(printf '\356\200\224')"
is "$(page_text '#curve-text' | cut -d: -f1)" '8 KiB' 'an arrow key moves it'
is "$(js "return [...document.querySelectorAll('#curve .mark')].length")" 2 'D1 and LL are marked'
is "$(js "return [...document.querySelectorAll('#sets td')].map(c => c.title.split(': ')[1].replace(/\D/g, '')).join(' ')")" \
    "$(sed -n 's/^==[0-9]*== AN: from [0-9]*: //p' log | paste -s -d ' ')" 'misses of each set'
is "$(page_text '#sets-text' | cut -d' ' -f1 | tr -d ,)" \
    "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=D1mr,D1mw p | awk -F, 'NR == 2 { print $2 + $3 }')" 'in sum those of quern csv'

# ---- misses by set and time: each box of the picture is a row ----

for name in D1 LL; do
    is "$(js "return [...document.querySelectorAll('#plane-$name path')].reduce((n, p) => n + p.getAttribute('d').split('M').length - 1, 0)")" \
        "$(awk -F, -v name=$name '$1 == name && $7 > 0' p.sets.csv | wc -l)" "$name: a box for each row with misses"
    is "$(page_text "#plane-text-$name" | cut -d' ' -f1 | tr -d ,)" "$(awk -F, -v name=$name '$1 == name { n += $7 } END { print n }' p.sets.csv)" '... their sum'
    is "$(js "return document.querySelector('#plane-most-$name li').textContent.replace(/.*: /, '').replace(/\\D/g, '')")" \
        "$(awk -F, -v name=$name '$1 == name && $7 > n { n = $7 } END { print n }' p.sets.csv)" '... and the most'
done
told=$(js "const picture = document.querySelector('#plane-D1'), [, x, y] = picture.querySelector('.step5').getAttribute('d').match(/M([0-9.]+) ([0-9.]+)/);
    picture.scrollIntoView();
    const p = new DOMPoint(Number(x) + 1, y - 1).matrixTransform(picture.getScreenCTM());
    picture.dispatchEvent(new PointerEvent('pointermove', { clientX: p.x, clientY: p.y }));
    return picture.nextElementSibling.textContent.replace(/,/g, '').match(/\d+/g).join(',')")
ok "the pointer tells what a box is: $told" grep -q "^D1,[0-9]*,$(echo "$told" | awk -F, -v OFS=, '{ print $2, $3, $1, 1, $4 }')," p.sets.csv

# ---- runs with other caches ----

is "$(page_cells '#chosen-run tr' 1)" "$(printf '50\n25.5')" 'sliders choose a run'
js "const s = document.querySelector('#slider-D1_size'); s.value = 1; s.dispatchEvent(new Event('input'));
    const w = document.querySelector('#slider-D1_ways'); w.value = 1; w.dispatchEvent(new Event('input'))" >/dev/null
is "$(page_cells '#chosen-run tr' 1)" "$(printf '20\n10')" 'another'
is "$(js 'return location.hash')" '#caches&D1_size=2048&D1_ways=2' 'which is a link'

# ---- time ----

view 'time&range=1-2'
range() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR == 3 || NR == 4 { s += $c } END { print s }' time.csv; }
is "$(page_cells '#range tr + tr' 0 1 | grep '^D1mw ')" "D1mw $(range D1mw)" 'a range is part of the address'
is "$(js "return document.querySelector('.brush').getAttribute('visibility')")" visible 'and marked'
js "document.querySelector('svg[role=img]').selectRange(0, 1)" >/dev/null
is "$(js 'return location.hash')" '#time&range=0-1' 'another range, another address'
view 'overview&range=1-2'
is "$(js "return document.querySelector('#summary tr[data-events=\"Ir\"]').cells[3].textContent.replace(/,/g, '')")" "$(range Ir)" 'Overview shows the range beside the run'
view 'caches&range=1-2'
for name in D1 LL; do
    within=$(awk -F, -v name=$name 'NR == FNR { if (FNR == 3) from = $2; if (FNR == 4) to = $3; next } $1 == name && $3 >= from && $4 <= to { n += $7 } END { print n + 0 }' time.csv p.sets.csv)
    is "$(page_text "#plane-text-$name" | cut -d' ' -f1 | tr -d ,)" "$within" "Caches: the ${name}'s misses by set in the range"
done
is "$(js "return [...document.querySelectorAll('#plane-D1 text')].slice(2).map(t => t.textContent.replace(/,/g, '')).join(' ')")" \
    "$(awk -F, 'NR == 3 { from = $2 } NR == 4 { print from, "instructions", $3 }' time.csv)" '... and its picture has that range'
browser_keys 1
is "$(js 'return location.hash')" '#overview&range=1-2' 'a key for another view keeps the range'
view 'time&range=1-2'
click '#whole-run'
is "$(js 'return location.hash')" '#time' 'the whole run again'

# ---- comparison ----

"$QUERN" run --sim-opt=smallest=1024 --analysis=3c,mattson,sets --D1=16384,2,64 --interval=20000 --interval-file=time2.csv --log-file=log2 --out-file=p2 ./prog || bail 'cannot run'
"$QUERN" page --diff --mattson=p.mattson.csv --sets=p.sets.csv --mattson-before=p2.mattson.csv --sets-before=p2.sets.csv --intervals=time.csv --intervals-before=time2.csv -o diff.html p2 p || bail 'no page'
open_page diff.html caches
is "$(js "document.querySelector('#curve').moveTo(2); return document.querySelector('#curve-text').textContent.match(/before: .*/)[0].match(/[\d,]+ misses/)[0].replace(/\D/g, '')")" \
    "$(sed -n 's/^==[0-9]*== AN: 64 lines: //p' log2)" 'a comparison: both curves'
is "$(js "return [...document.querySelectorAll('#sets-before td')].map(c => c.title.split(': ')[1].replace(/\D/g, '')).join(' ')")" \
    "$(sed -n 's/^==[0-9]*== AN: from [0-9]*: //p' log2 | paste -s -d ' ')" 'both have their sets'
is "$(page_cells '#classes tr + tr' 0 1 2 | head -n 1)" "compulsory $(for f in p2 p; do "$QUERN" csv --metadata=no --crlf=no --by=program --show=AN.compulsory $f | sed -n '2s/.*,//p'; done | paste -s -d ' ')" 'and classes'
view 'time&events=D1mw'
is "$(js "const lines = [...document.querySelectorAll('.series')].map(p => p.getAttribute('points').split(' ').length); return lines.join(' ')")" \
    "$(($(wc -l <time.csv) - 1)) $(awk -F, 'FNR == 1 { next } NR == FNR { last = $3 > last ? $3 : last; next } $3 <= last + 0 { n++ } END { print n }' time2.csv time.csv)" 'Time has lines of both'

# ---- what was not collected ----

open_page bare.html caches
is "$(js "return ['--analysis=mattson', '--analysis=sets', '--sets=', 'quern sweep'].filter(text => document.querySelector('main').textContent.includes(text)).length")" 4 \
    'what is not there is named with what collects it'
open_page page.html
is "$(page_faults 400 dark caches 'time&range=1-2' 'overview&range=1-2' origin)" '' 'dark, 400 pixels: readable, named, not too wide'
is "$(page_faults 2560 light caches 'time&range=1-2' 'overview&range=1-2')" '' 'light, 2560 pixels: so, too'
# Runs in which only the size of the D1 differs are its misses by size.
open_page sizes.html caches
is "$(js "return [...document.querySelectorAll('#main h2')].map(h => h.textContent).join()")" 'Why the D1 misses,Misses by size,Misses by set of the D1,Misses by set and time' 'sizes of the D1 have the place of the curve'
is "$(page_text '.absent' | grep -c 'by size') $(js "return document.querySelectorAll('#slider-D1_size').length")" '0 1' '... which is not said to be missing'
is "$(browser_messages)$(browser_requests | grep -v '^about:\|^file:\|^data:')" '' 'no error, no request'
done_testing
