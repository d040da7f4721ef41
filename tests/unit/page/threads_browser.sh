#!/bin/sh
# Does the page show the lines of memory that threads share as PROFILE.sharing.csv has them: sums, bytes by thread, lines of source?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 42

cat >prog.c <<'END_C'
#include <pthread.h>
#include <sched.h>
static struct { volatile long n; } counter[4] __attribute__((aligned(64)));
static volatile long total[8] __attribute__((aligned(64)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *arg)
{
    for (long i = 0; i < 3000; i++) {
        counter[(long)arg].n++;
        if (i % 50 == 0) {
            pthread_mutex_lock(&lock);
            total[2]++;
            pthread_mutex_unlock(&lock);
            sched_yield();
        }
    }
    return 0;
}
int main(void)
{
    pthread_t t[4];
    for (long k = 0; k < 4; k++)
        pthread_create(&t[k], 0, count, (void *)k);
    for (long k = 0; k < 4; k++)
        pthread_join(t[k], 0);
    return 0;
}
END_C
"$CC" -g -O1 -pthread -o prog prog.c || bail 'cannot compile'
"$QUERN" run -q --analysis=sharing --out-file=p ./prog || bail 'cannot run'
table=p.sharing.csv
"$QUERN" page --sharing=$table -o page.html p && "$QUERN" page -o bare.html p || bail 'no page'
address() { awk -F, -v object="$1" '$4 == object && $7 == "count" { print $1; exit }' $table; }

browser_start
browser_size 1300 1000
open_page page.html 'threads&shared=all'

# ---- the lines ----

awk -F, 'NR > 1 { f[$1] += $14; t[$1] += $13; c[$1] += $15; u[$1] += $16; r[$1] += $9; w[$1] += $10 }
    END { for (a in f) print a, f[a], t[a], c[a], u[a], f[a] + t[a] + c[a] + u[a], r[a], w[a] }' $table | LC_ALL=C sort >wanted
page_cells '#shared tbody tr' 0 2 3 4 5 6 7 8 | LC_ALL=C sort >got
ok 'there are lines to compare' test "$(wc -l <wanted)" -gt 10
same_file got wanted 'each line of memory has the sums of the table'
is "$(page_cells '#shared tbody tr' 0)" "$(awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' $table)" 'in the order of the table'
click '#shared thead th:nth-child(9) button'
is "$(js 'return readHash().by')" writes 'a click sorts by another column'
is "$(page_cells '#shared tbody tr' 8)" "$(awk '{ print $8 }' wanted | sort -rn)" '... the most first'
is "$(js "return document.querySelector('#shared th[aria-sort=descending]').textContent")" writes '... which the heading says'
view threads
is "$(page_cells '#shared tbody tr' 0 | sort)" "$(awk -F, '$2 == "false" || $2 == "both" { print $1 }' $table | sort -u)" 'at first those that are shared falsely'
view 'threads&shared=truly'
is "$(page_cells '#shared tbody tr' 0 | sort)" "$(awk -F, '$2 == "true" || $2 == "both" { print $1 }' $table | sort -u)" 'those that are shared truly'
is "$(js "return document.querySelector('#shared-how').value")" truly '... as the menu has it'

js 'model.shared = model.shared.slice(0, 1); model.data.sharing.left = 1' >/dev/null
view 'threads&shared=all'
is "$(js "return [...document.querySelectorAll('p.note')].map(p => p.textContent.split('.')[0]).join('; ')")" \
    '1 line of memory is shared; 1 row of the table, with the fewest transfers, is not on this page' 'one is one'
js 'model.shared = null; model.data.sharing.left = 0' >/dev/null

# ---- bytes ----

line=$(address counter)
view "threads&line=$line"
colours() { js "return [...document.querySelectorAll('$1 rect')].map(r => r.getAttribute('class')).join(' ')" | tr ' ' '\n' | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' '; }
is "$(colours '#shared-line svg.bytes')" '8 thread1 8 thread2 8 thread3 8 thread4 32 threads-none ' 'counters: bytes in the colour of the thread that wrote them'
is "$(colours '#shared tr.open svg.bytes')" '8 thread1 8 thread2 8 thread3 8 thread4 32 threads-none ' '... in the table, too'
is "$(js "return document.querySelector('#shared-line svg.bytes rect:nth-of-type(9) title').textContent")" 'byte 8: written by thread 2, read by thread 2' '... each with its text'
is "$(js "return document.querySelector('#shared-line svg.bytes').getAttribute('aria-label')")" \
    'thread 1 wrote bytes 0-7; thread 2 wrote bytes 8-15; thread 3 wrote bytes 16-23; thread 4 wrote bytes 24-31' '... and all in words'
total=$(address total)
view "threads&shared=truly&line=$total"
is "$(colours '#shared-line svg.bytes')" '16 threads-none 8 threads-several 40 threads-none ' 'what several threads write'

# ---- a line of memory ----

view "threads&line=$line"
is "$(page_cells '#sharers tr + tr' 5 6 7 8 9 10)" "$(awk -F, -v a="$line" '$1 == a { print $9, $10, $14, $13, $15, $16 }' $table)" 'of one the rows of the table'
is "$(js "return [...document.querySelectorAll('#sharers tr + tr')].map(r => r.cells[0].textContent.trim()).join(' ')")" '1 2 3 4' '... by thread'
is "$(page_cells '#sharers tr + tr' 2 3)" 'counter 0-7
counter+8 8-15
counter+16 16-23
counter+24 24-31' '... objects and bytes'
click '#sharers a'
is "$(js "return readHash().view + ' ' + readHash().line")" 'source 9' 'a link to the line of source'
is "$(js "return model.events.includes('AN.false') && model.totals[model.events.indexOf('AN.false')]")" \
    "$(awk -F, 'NR > 1 { n += $14 } END { print n }' $table)" 'the event of the profile has the sum of the table'
browser_open about:blank
open_page page.html overview
browser_keys 8
is "$(js 'return readHash().view')" threads 'a key shows it'

# ---- who takes lines from whom ----

view 'threads&shared=all'
is "$(page_cells '#takers tr + tr' 0 1 2)" "$(sed 1d p.takers.csv | head -n 20 | awk -F, '{ print $1, $2, $3 }')" 'pairs of lines of source: those of the table'
is "$(page_cells '#takers tr:nth-child(3)' 3 4 | sed 's/ count */ /; s/ $//')" 'prog.c:9 prog.c:9' '... first the counters, which take their line from each other'
ok 'without --cores there are no cores' test "$(js "return document.querySelectorAll('#cores').length")" = 0
"$QUERN" run -q --cores=4 --quantum=1000 --analysis=sharing --separate-threads=yes --out-file=c ./prog && "$QUERN" page --sharing=c.sharing.csv -o cores.html c || bail 'no page with cores'
open_page cores.html threads
is "$(page_cells '#cores tr + tr' 1 2 3 4)" "$(awk -F, 'NR > 1 { n[$1, $3] = $2 }
    END { for (a = 0; a < 4; a++) print (a == 0 ? "-" : n[a, 0] + 0), (a == 1 ? "-" : n[a, 1] + 0), (a == 2 ? "-" : n[a, 2] + 0), (a == 3 ? "-" : n[a, 3] + 0) }' c.D1.cores.csv)" \
    'with --cores: who took how many lines from whom'
is "$(page_faults 400 dark threads)" '' '... dark, 400 pixels: readable, named, not too wide'
"$QUERN" csv --by=thread --metadata=no --crlf=no --show=Ir,D1.false,D1.lost c | sed '1d; s/^[^,]*,//; s/,/ /g' | LC_ALL=C sort >wanted
by_thread() { js "const t = document.querySelector('#by-thread'), names = [...t.rows[0].cells].map(c => c.textContent), n = (r, name) => r.cells[names.indexOf(name)].textContent.replace(/,/g, '');
    return [...t.rows].slice(1).map(r => [r.cells[0].textContent, n(r, 'Ir'), n(r, 'D1.false'), n(r, 'D1.lost')].join(' ')).join('\\n')"; }
is "$(by_thread | grep -v all | LC_ALL=C sort)" "$(cat wanted)" 'counts by thread: those of csv --by=thread'
is "$(by_thread | sed -n 's/^all //p')" "$(awk '{ a += $2; b += $3; c += $4 } END { print a, b, c }' wanted)" '... and in sum'
ok '... a row for each' test "$(js 'return model.data.byThread.length')" = 5
is "$(js "return document.querySelector('#verdicts li').textContent" | sed 's/[0-9,]* misses/N misses/; s/([0-9,]* of/(M of/')" \
    'counter (thread 1, prog.c:9) and counter+8 (thread 2, prog.c:9) are 8 bytes apart in one line of 64, N misses of false sharing (M of these two threads): pad the elements of counter from 8 to 64 bytes.' \
    'in words: who shares a line falsely, and what would end it'
verdict=$(js "return document.querySelector('#verdicts li').textContent")
view "threads&line=$(awk -F, '$4 == "counter" { print $1; exit }' c.sharing.csv)"
is "$(js "return document.querySelector('#verdict').textContent")" "$verdict" '... with its line'
is "$(page_faults 1400 light threads "threads&line=$(awk -F, '$4 == "counter" { print $1; exit }' c.sharing.csv)")" '' '... light, 1400 pixels'
"$QUERN" page -o apart.html c && open_page apart.html threads
is "$(js "return document.querySelectorAll('#by-thread').length + ' ' + document.querySelectorAll('#shared').length")" '1 0' 'counts by thread without the table of shared lines'
open_page cores.html threads
printf 'core,lines,from\n0,x,1\n' >c.D1.cores.csv
"$QUERN" page --sharing=c.sharing.csv -o none.html c 2>err
is "$? $(cat err)" '1 quern page: c.D1.cores.csv:2: got `x` as lines, wanted a number' '... a cell that cannot be right is refused'

# ---- what was not collected, what cannot be right, what means harm ----

is "$(page_faults 400 dark threads 'threads&shared=all' "threads&line=$line")" '' 'dark, 400 pixels: readable, named, not too wide'
is "$(page_faults 2560 light threads "threads&line=$line")" '' 'light, 2560 pixels: so, too'
open_page bare.html threads
ok 'without the table it says how to get it' test "$(page_text main | grep -c -- '--analysis=sharing')" = 1
sed '2s/0x/<b>/' $table >bad.csv
"$QUERN" page --sharing=bad.csv -o none.html p 2>err
is "$? $(sed 's/`.*`/.../' err)" '1 quern page: bad.csv:2: got ... as address, wanted a number of base 16, 0x...' 'a cell that cannot be right is refused'
"$QUERN" page --sharing=p -o none.html p 2>err
is "$? $(grep -c '^quern page: p:' err)" '1 1' '... and what is no such table'
sed "/^$line,/{ s/counter/<img src=x>/; s/count,/<b>,/; }" $table >evil.csv
"$QUERN" page --sharing=evil.csv -o evil.html p || bail 'no page'
open_page evil.html "threads&line=$line"
is "$(js "return document.querySelectorAll('main img, main b').length")" 0 'names stay text'
is "$(js 'return document.querySelector("#sharers td:nth-child(3)").textContent')" '<img src=x>' '... and are shown'
is "$(browser_messages)$(browser_requests | grep -v '^about:\|^file:\|^data:')" '' 'no error, no request'
done_testing
