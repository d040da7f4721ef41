#!/bin/sh
# Does the page show how many bytes of each line are used, and for which objects those of another had been evicted, as quern csv has
# both; and does it say how to get it where it was not collected?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 22

cat >prog.c <<'END_C'
#include <stdlib.h>
struct item { long key; double value[5]; char name[16]; };
static double table[64][64], other[64][64];
__attribute__((noipa)) static long walk(const struct item *p, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i].key;
    return sum;
}
__attribute__((noipa)) static void copy(void)
{
    for (int i = 0; i < 64; i++)
        for (int j = 0; j < 64; j++)
            table[j][i] = other[j][i] + 1;
}
int main(void)
{
    struct item *items = calloc(500, sizeof *items);
    long sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += walk(items, 500);
        copy();
    }
    return sum == 1;
}
END_C
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
for kind in use yes; do
    "$QUERN" run -q --data=$kind --analysis=3c --D1=4096,2,64 --out-file=$kind ./prog || bail 'cannot run'
    "$QUERN" page -o $kind.html $kind || bail 'no page'
done
"$QUERN" page --diff -o diff.html yes use || bail 'no page'
csv() { "$QUERN" csv --metadata=no --crlf=no "$@" use | tail -n +2; }

browser_start
browser_size 1300 1000
open_page use.html data
number="model.objects.find(o => o.name === 'calloc' && o.type === 'struct item').id"
is "$(js "const c = model.dataColumns.find(c => c.name === 'used of a line'); return model.objects.filter(o => o.type === 'struct item').map(o => c.text(o)).join()")" \
    "$(csv --by=data --show=D1.filled,D1.used | awk -F, '$7 == "struct item" { f += $(NF - 1); u += $NF } END { printf "%.1f B", 64 * u / f }')" \
    'bytes used of a line of an object'
is "$(js "return model.dataColumns.find(c => c.name === 'bytes not used').total()")" \
    "$(csv --by=data --show=D1.filled,D1.used | awk -F, '{ n += $(NF - 1) - $NF } END { print n }')" 'and all that were not used'
is "$(page_text '#objects thead' | grep -c 'used of a line')" 1 'a column of the table'
is "$(page_text '.note' | grep -c 'data=use')" 0 'nothing is missing'
is "$(page_text '.data-advice' | grep -c 'of the bytes used are of key: an array of this member alone')" 1 'advice'
view overview
is "$(page_text main | grep -o 'of the bytes used are of key' | wc -l)" 1 '... once on the Overview'
view "data&by=used%20of%20a%20line"
is "$(js "const all = [...document.querySelectorAll('#map a')].length; return all > 3 && document.querySelector('#objects th[aria-sort]').textContent")" 'used of a line' \
    'sorted by it, areas stay misses'
view "data&object=$(js "return $number")"
is "$(page_cells '#layout tr + tr' 0 3)" "$(csv --by=used | awk -F, '$7 == "struct item" { sub(/\[.*/, "", $8); f[$8] += $9; u[$8] += $10; if (!($8 in at)) { at[$8] = ++n; name[n] = $8 } }
    END { for (i = 1; i <= n; i++) printf "%s %.1f%%\n", name[i], 100 * u[name[i]] / f[name[i]] }')" 'members, and how much of each is used'
is "$(page_cells '#pairs tr + tr' 1 2)" "$(csv --by=pair | awk -F, '$7 == "struct item" { print $(NF - 1), $NF }' | sort -rn | head -n 20)" 'for whom its lines had been evicted'
is "$(js "return document.querySelectorAll('#pairs a[href^=\"#data&\"]').length > 0")" true 'which are links'

file=$(js 'return encodeURIComponent(model.files.find(f => f.name.endsWith("prog.c")).name)')
view "source&file=$file&line=8"
is "$(page_text '#detail p.used')" \
    "Of a line of 64 bytes that it brings into the D1, $(csv --by=line --show=D1.filled,D1.used | awk -F, '$5 == 8 && $3 ~ /prog.c$/ { printf "%.1f", 64 * $NF / $(NF - 1) }') bytes are used before it leaves." \
    'a line of source says what it uses'
is "$(js "return model.columns.find(c => c.name === 'D1use%').text(model.byFile.get(decodeURIComponent('$file')).byLine.get(8))")" \
    "$(csv --by=line --show=D1use% | awk -F, '$5 == 8 && $3 ~ /prog.c$/ { printf "%.2f", $NF }')" 'and has it as a column'
for page in use yes; do
    open_page $page.html data
    is "$(page_faults 400 light "data&object=1" "source&file=$file&line=8" data)" '' "$page, light, 400 pixels: readable, named, not too wide"
done
is "$(page_faults 2560 dark "data&object=1" "source&file=$file&line=8" data)" '' 'dark, 2560 pixels: so, too'

worst() { js "return [...document.querySelectorAll('#worst-objects a')].map(a => a.textContent).join('; ')"; }
open_page use.html overview
used=$(worst)
open_page yes.html data
is "$(page_text '.note' | grep -c 'data=use')" 1 'where it was not collected, Data says so'
view "source&file=$file&line=8"
is "$(page_text '#detail .note' | grep -c 'quern run --data=use')" 1 'and so does Source'
view overview
is "$(echo "$used" | grep -c 'calloc in main'):$used" "1:$(worst)" 'Overview names the same objects with it and without it'
open_page diff.html data
is "$(js "return model.objects.length > 5 && !model.dataColumns.some(c => c.name === 'used of a line')")" true 'a comparison of one with and one without leaves it out'
view overview
is "$(page_text '#only')" 'Left out, because only one of the two has it: D1.filled, D1.used, filled of objects, used of objects (after).' 'and says so'
open_page diff.html data
is "$(page_faults 1300 light data)" '' 'which is readable, too'
"$QUERN" page --diff -o same.html use use || bail 'no page'
open_page same.html source
is "$(js "const of = used => model.events.map(name => ({ 'D1.filled': 64, 'D1.used': used })[name] || 0), column = model.columns.find(c => c.name === 'D1use%');
    return [[64, 8], [8, 64]].map(([after, before]) => numberCell(column, { counts: of(after), before: of(before) })).map(td => td.className + ' ' + td.textContent).join('; ')")" \
    'n better +87.50; n worse -87.50' 'a line of which more is used is better'
is "$(browser_messages)$(browser_requests | grep -v '^about:\|^file:\|^data:')" '' 'no error, no request'
done_testing
