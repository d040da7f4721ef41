#!/bin/sh
# Do names and sources that were made to do harm stay text in every view: markup, ends of the script, marks of direction, NUL, a line of a megabyte?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 13

{
    printf '\nint main(void) { return "</script><img src=http://127.0.0.1:1/x onerror=alert(1)>"; }\n\342\200\256\0end\n'
    head -c 1000000 /dev/zero | tr '\0' '<'
} >evil.c
rtl=$(printf '\342\200\256')
{
    printf 'desc: D1 cache: <script>alert(2)</script>\ncmd: <img src=x onerror=alert(3)>\nevents: Ir <b> D1mr\n'
    printf 'fl=%s\nfn=f<script>alert(4)</script> (inlined in </a>, in <i>)\n2 9 1 7\n4 5 0 2\nfl=</script><b>%s.c\nfn=<img src=http://127.0.0.1:1/y>\n1 1\nsummary: 15 1 9\n' "$PWD/evil.c" "$rtl"
    printf '#data: 2 2\n#object: symbol 8 0 0 </script><img src=x>%s\n#from: 2 %s\n#type: 8 struct <b>\n#member: 0 8 <i>\n#part: <i>\n' "$rtl" "$PWD/evil.c"
    printf '#object: <b> 8 1 8 javascript:alert(5)\n#file: %s\n#function: <img src=x>\n#miss: 2 0 0 5 0 1 0\n#miss: 4 1 - 2 0 0 0\n' "$PWD/evil.c"
    printf '#calls: 2 1 2\n#call-events: Ir <b> D1mr\n#fn: </script><b>%s\t<script>alert(6)</script>\n#inclusive: 1 9 1 1\n#fn: %s\tf"><img src=x onerror=alert(7)>\n#inclusive: 1 5 0 1\n' "$rtl" "$PWD/evil.c"
    printf '#edge: 0 2 1 1 5 0 1\n#node: -1 0 1 4 1 0\n#node: 0 1 1 5 0 1\n#calls-lost: <b> 3\n'
} >evil
printf 'interval,start,end,Ir,<b>,D1mr\n1,0,5,5,1,3\n2,5,15,10,0,6\n' >time.csv
printf 'count,of,file,function,line,evictor_file,evictor_function,evictor_line\n5,7,%s,f,2,"</script><img src=x>",<b>,9\n' "$PWD/evil.c" >culprits.csv
printf 'program,D1_size,sim,status,D1mr\n<b>,1024,<i>,ok,5\n<b>,2048,</script>,ok,3\n' >runs.csv
printf 'size,lines,misses,touched\n1024,16,4,9\n2048,32,3,9\n' >curve.csv
"$QUERN" page --intervals=time.csv --runs=runs.csv --culprits=culprits.csv --mattson=curve.csv -o evil.html evil || bail 'no page'
"$QUERN" page --diff -o diff.html evil evil || bail 'no page'
ok 'no element of the page is theirs' sh -c "! grep -q '<img\|<b>\|<i>\|<script>alert' evil.html diff.html"

browser_start
views="const at = model.files.find(f => f.text) || model.files[0], line = { file: at.name, line: 2 };
const hashes = [...order().map(name => makeHash(name)), makeHash('source', line), makeHash('source', { ...line, line: 4 }), makeHash('data', { object: 0 }), makeHash('data', { object: 1 }),
  makeHash('data', { group: 'type', object: 't0' }), makeHash('calls', { function: 0 }), makeHash('calls', { function: 1, node: 1, find: '<img' }), makeHash('time', { range: '0-1' }),
  makeHash('functions', { filter: '<b>', sort: '<b>', columns: '<b>,Ir' }), '#<img src=x>&file=%', '#data&object=<b>', '#calls&node=-1&function=99', '#source&file=<b>&line=<b>'];"
for page in evil diff; do
    open_page $page.html
    is "$(js "$views const found = []; for (const hash of hashes) { history.replaceState(null, '', hash); try { show(); } catch (e) { found.push(hash + ' ' + e); }
        if (document.querySelectorAll('main img, main script, main b, main i, main iframe').length) found.push(hash + ' markup');
        if (!document.querySelector('main').children.length) found.push(hash + ' empty');
        if ([...document.querySelectorAll('a')].some(a => !(a.getAttribute('href') || a.href.baseVal || '').startsWith('#'))) found.push(hash + ' a link to elsewhere'); }
        return found.join('\\n')")" '' "$page: text stays text, in every view, and links lead into the page"
    is "$(js "$views const found = []; for (const hash of hashes) { history.replaceState(null, '', hash); show(); if (/[\\u202e\\u0000]/.test(document.body.innerText)) found.push(hash); } return found.join(' ')")" '' \
        "$page: no mark of direction comes through"
    is "$(page_faults 1000 light overview "source&file=$(jq -rn --arg file "$PWD/evil.c" '$file | @uri')&line=4" data calls)" '' "$page: no view is wider for it"
    is "$(browser_messages)" '' "$page: no error, and no alert"
    is "$(page_asked)" "file://$SCRATCH/$page.html" "$page: no request"
done
open_page evil.html "source&file=$(jq -rn --arg file "$PWD/evil.c" '$file | @uri')&line=2"
is "$(page_text '#L3 .code')" '⟨U+202E⟩⟨U+0000⟩end' 'marks of direction and NUL are shown as such'
ok 'of a line of a megabyte the beginning is shown' test "$(js 'return document.querySelector("#L4 .code").textContent.length')" -lt 3000
done_testing
