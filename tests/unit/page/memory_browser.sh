#!/bin/sh
# Does the page show on which objects a program misses, and of a line its objects, evictors and classes, as the profile has them?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 36

cat >prog.c <<'END_C'
#include <stdlib.h>
struct node { struct node *next; int key; double value[6]; };
double a[64][64], b[64][64];
__attribute__((noinline)) void transpose(void)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            b[j][i] = a[i][j];
}
__attribute__((noinline)) struct node *build(int n)
{
    struct node *list = NULL;
    for (int i = 0; i < n; i++) {
        struct node *one = malloc(sizeof *one);
        one->next = list;
        one->key = i;
        list = one;
    }
    return list;
}
int main(void)
{
    int n = 0;
    struct node *list = build(1000);
    for (int i = 0; i < 10; i++)
        transpose();
    for (int i = 0; i < 10; i++)
        for (struct node *p = list; p; p = p->next)
            n += p->key;
    return n == 1;
}
END_C
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
for size in 4096 65536; do
    "$QUERN" run -q --data=yes --analysis=3c,culprits --dump-instr=yes --D1=$size,2,64 --out-file=p$size ./prog || bail 'cannot run'
done
"$QUERN" page --culprits=p4096.culprits.csv -o page.html p4096 && "$QUERN" page --diff -o diff.html p65536 p4096 || bail 'no page'

# Of each object of a profile: its name, D1mr + D1mw, DLmr + DLmw; what is as often there is added up.
sums() { awk '/^#object: / { name = $0; for (i = 0; i < 5; i++) sub(/^[^ ]* /, "", name); names[count++] = name }
    /^#miss: / { d1[$3] += $5 + $6; ll[$3] += $7 + $8 } END { for (i = 0; i < count; i++) { a[names[i]] += d1[i]; b[names[i]] += ll[i] }
    for (name in a) print name, a[name] + 0, b[name] + 0 }' "$1" | LC_ALL=C sort; }

browser_start
browser_size 1300 1000
open_page page.html data

# ---- objects ----

js "return model.objects.map(o => [o.name, ...model.dataColumns.slice(0, 2).map(c => c.value(o))].join('\\t')).join('\\n')" |
    awk -F '\t' '{ a[$1] += $2; b[$1] += $3 } END { for (name in a) print name, a[name], b[name] }' | LC_ALL=C sort >got
sums p4096 >wanted
ok 'there are objects to compare' test "$(wc -l <wanted)" -gt 20
same_file got wanted 'each object has the misses of the profile'
lost=$(sed -n 's/^#lost: //p' p4096)
is "$(js "return model.dataColumns.slice(0, 2).map(c => c.total()).join(' ')")" \
    "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=D1mr,D1mw,DLmr,DLmw p4096 | awk -F, -v lost="$lost" 'NR == 2 { split(lost, l, " "); print $2 + $3 - l[1], $4 + $5 - l[2] }')" \
    'in sum those of quern csv'
is "$(page_cells '#objects tbody tr' 1 | head -n 3)" "$(page_cells '#objects tbody tr' 1 | sort -rn | head -n 3)" 'the table begins with the most'
is "$(page_cells '#objects tbody tr' 0 | head -n 1)" b 'the transposed matrix'
is "$(js "const side = n => getComputedStyle(n).textAlign.replace('end', 'right').replace('start', 'left'); return [...document.querySelectorAll('#objects thead th')].filter((n, i) => side(n) !== side(document.querySelector('#objects tbody tr').cells[i])).map(n => n.textContent).join()")" '' 'headings stand above their columns'
# Areas of the map are shares of the misses.
is "$(js "const boxes = [...document.querySelectorAll('#map .box rect')].map(r => (Number(r.getAttribute('width')) + 2) * (Number(r.getAttribute('height')) + 2));
    const all = boxes.reduce((n, a) => n + a, 0), b = Math.max(...boxes), column = model.dataColumns[0];
    return Math.abs(b / all - column.value(model.objects.find(o => o.name === 'b')) / column.total()) < 0.001")" true 'its area of the map is its share'
is "$(js "return [...document.querySelectorAll('#map a')].every(a => a.getAttribute('href').startsWith('#data&') && a.querySelector('title').textContent)")" true \
    'each area is a link with a name'
js "document.querySelector('#map a').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))" >/dev/null
view "data&object=$(js "return model.objects.find(o => o.name === 'b').id")"
is "$(page_cells '#misses tr + tr' 0 1 | head -n 1)" "prog.c:8 $(js "return model.dataColumns[0].value(model.objects.find(o => o.name === 'b'))")" 'the line that misses on it'
is "$(js "return [...document.querySelectorAll('#parts tr + tr')].length > 10 && [...document.querySelectorAll('#parts td.heat5')].length > 0")" true 'its parts have heat'
is "$(js "const o = model.objects.find(q => q.name === 'b'); return o.parts.reduce((n, p) => n + model.dataColumns[0].value(p), 0) === model.dataColumns[0].value(o)")" true \
    'parts add up to the object'
view 'data&filter=prog.c%20heap'
is "$(page_cells '#objects tbody tr' 0 | sort -u)" malloc 'a filter'
is "$(page_text '#objects tbody tr .path a')" prog.c:14 'where it was allocated'
view "data&object=$(js "return model.objects.find(o => o.name === 'malloc' && o.type).id")"
is "$(page_cells '#layout tr + tr' 0 1 2)" "$(printf 'next 0 8\nkey 8 4\nvalue 16 48')" 'a structure as it lies in memory'
is "$(page_cells '#layout tr + tr' 3 | awk '{ s += $1 } END { print s }')" "$(js "return model.dataColumns[0].value(model.objects.find(o => o.name === 'malloc' && o.type))")" \
    'whose members have the misses of the object'
is "$(page_text '#object .bars' | grep -c capacity)" 1 'and the classes of its misses'
is "$(js "return [...document.querySelectorAll('#map text')].some(t => t.textContent.startsWith('struct node prog.c:14'))")" true 'a rectangle of an allocation has its type and place'
view 'data&group=type'
is "$(page_cells '#objects tbody tr' 0 1 | grep '^struct node ')" "struct node $(awk '/^#object: / { typed = 0 ; n++ } /^#type: 64 struct node$/ { of[n - 1] } /^#miss: / && $3 in of { s += $5 + $6 } END { print s }' p4096)" \
    'objects by type'
view 'data&by=D1mw'
is "$(js "return document.querySelector('#objects th[aria-sort]').textContent")" D1mw 'sorted by another event'

# ---- a line ----

file=$(js 'return encodeURIComponent(model.files.find(f => f.name.endsWith("prog.c")).name)')
view "source&file=$file&line=8"
is "$(page_cells '#detail .objects tr + tr' 0 1 | head -n 2 | awk '{ s += $NF } END { print s }')" \
    "$("$QUERN" csv --metadata=no --crlf=no --by=line --show=D1mr,D1mw p4096 | awk -F, '$3 ~ /prog.c$/ && $5 == 8 { print $6 + $7 }')" 'its objects have all of its misses'
is "$(page_cells '#evictors tr + tr' 0 1 2 | head -n 1)" \
    "$(awk -F, '$3 ~ /prog.c$/ && $5 == 8 { n = split($6, part, "/"); print part[n] ":" $8, $1, $2; exit }' p4096.culprits.csv)" 'who evicts what it misses'
is "$(js "return document.querySelectorAll('#victims tr + tr').length > 0")" true 'and who misses what it evicts'
is "$(page_text '#detail .bars' | grep -c capacity)" 1 'classes of its misses'
is "$(js "return document.querySelectorAll('#detail .insns td.code').length > 1")" true 'instructions'
view overview
is "$(page_text 'ol.first li' | grep -c 'of them are on b (global.*evicted by itself')" 1 'Overview says on what the worst line misses, and who evicts it'

is "$(page_text '#worst-objects li' | sed -n 's/^b (.*): \([0-9,]*\) D1 misses.*/\1/p' | tr -d ,)" "$(awk '$1 == "b" { print $2 }' wanted)" 'and names the objects that are missed most'

# ---- comparison ----

open_page diff.html data
js "return model.objects.map(o => [o.name, ...model.dataColumns.slice(0, 2).map(c => c.value(o))].join('\\t')).join('\\n')" |
    awk -F '\t' '{ a[$1] += $2; b[$1] += $3 } END { for (name in a) print name, a[name], b[name] }' | LC_ALL=C sort >got
sums p65536 >before
awk 'function rest() { line = $0; sub(/ [^ ]* [^ ]*$/, "", line); return line } NR == FNR { a[rest()] = $(NF - 1); b[rest()] = $NF; next }
    { print rest(), $(NF - 1) - a[rest()], $NF - b[rest()]; delete a[rest()] } END { for (name in a) print name, -a[name], -b[name] }' before wanted | LC_ALL=C sort >difference
same_file got difference 'a comparison: the difference of each object'
is "$(js "const c = [...document.querySelectorAll('#objects tbody tr')].find(r => r.cells[0].textContent === 'b').cells[1]; return c.className + ' ' + c.firstChild.textContent[0]")" 'n worse +' \
    'which is marked, not by colour alone'

# ---- looks ----

for page in diff page; do
    is "$(page_faults 400 light data 'data&object=1' "source&file=$file&line=8" overview)" '' "$page, light, 400 pixels: readable, named, not too wide"
    is "$(page_faults 2560 dark data 'data&object=1' "source&file=$file&line=8" overview)" '' "$page, dark, 2560 pixels: so, too"
    open_page page.html
done
sed "s/^\(#object: symbol 32768 .*\) b\$/\1 b$(printf '%090d' 0)/" p4096 >long && "$QUERN" page -o long.html long || bail 'no page'
open_page long.html
is "$(page_faults 400 light overview data)" '' 'a long name does not make the page wider'

# ---- another timing ----

"$QUERN" page --timing=L1=30,LL=700 -o timing.html p4096 || bail 'no page'
open_page timing.html data
is "$(js "return model.dataColumns.find(c => c.name === 'cost').total()")" \
    "$("$QUERN" csv --metadata=no --crlf=no --by=program --show=D1mr,D1mw,DLmr,DLmw p4096 | awk -F, 'NR == 2 { print 30 * ($2 + $3) + 700 * ($4 + $5) }')" \
    'what objects cost follows --timing'
is "$(js "const line = model.files.find(f => f.name.endsWith('prog.c')).byLine.get(8), of = Object.fromEntries(model.events.map((name, i) => [name, Number(line.counts[i])]));
    return costOf(line.counts) === of.Ir + 30 * (of.I1mr + of.D1mr + of.D1mw) + 700 * (of.ILmr + of.DLmr + of.DLmw)")" true 'so does what a line costs'
is "$(browser_messages)$(browser_requests | grep -v '^about:\|^file:\|^data:')" '' 'no error, no request'
done_testing
