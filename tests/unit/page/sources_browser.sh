#!/bin/sh
# Does a page whose sources do not all find room in it get the rest from the file beside it, when it is asked, and not before?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 13

awk 'BEGIN { for (i = 1; i <= 40000; i++) print "int line_number_" i "; /* </script> */" }' >large.c
printf 'int main(void) { }\n' >small.c
printf 'cmd: p\nevents: Ir\nfl=%s\nfn=main\n100 9\n20000 1\nfl=%s\nfn=f\n1 1\nsummary: 11\n' "$PWD/large.c" "$PWD/small.c" >p
"$QUERN" page -o prog.html p || bail 'no page'
is "$(ls prog*)" "$(printf 'prog.html\nprog.sources.js')" 'the second file lies beside the page'
ok 'the page itself is small' test "$(wc -c <prog.html)" -lt 200000
"$QUERN" page -o /dev/stdout p | cmp -s - prog.html
is "$? $(ls | grep -c 'sources.js')" '1 1' 'none beside a pipe'
sed '/large.c/,/^20000/d; s/summary.*/summary: 1/' p >fits
"$QUERN" page -o fits.html fits
is "$(ls fits*)" "$(printf 'fits\nfits.html')" 'none where all find room'

browser_start
file=$(jq -rn --arg file "$PWD/large.c" '$file | @uri')
open_page prog.html "source&file=$file&line=100"
is "$(js 'return document.querySelectorAll("#source td.code").length')" 26 'what lies around counted lines is on the page'
browser_requests >before
is "$(grep -c sources.js before)" 0 'nothing was asked for'
# asked CONDITION: clicks, and waits until it holds.
asked() {
    wire POST "/session/$browser_session/execute/async" "$(jq -nc --arg condition "$1" '{args: [], script: ("const done = arguments[0]; document.querySelector(\"#more\").click();
        const wait = () => (" + $condition + ") ? done(true) : requestAnimationFrame(wait); wait();")}')" >/dev/null
}
asked '!document.querySelector("#more")'
is "$(js 'const t = textOf(model.byFile.get(readHash().file)); return t.size + " " + t.get(40000) + t.get(7)')" '40000 int line_number_40000; /* </script> */int line_number_7; /* </script> */' \
    'the whole source comes when it is asked for'
is "$(browser_requests | sed 's,.*/,,')" prog.sources.js 'that is the only request'
is "$(js 'document.querySelector("tr.fold button").click(); return document.querySelector("#L1 .code").textContent')" 'int line_number_1; /* </script> */' 'a fold opens'
is "$(browser_messages)" '' 'no error'

# A second file of another page, or none.
printf 'sourcesCame([{"name":"%s","text":[[1,["other"]]],"size":1}]);\n' "$PWD/large.c" >prog.sources.js
open_page prog.html "source&file=$file"
asked 'document.querySelector("#more + [role=status]").textContent'
is "$(page_text '#more + [role=status]')" 'It is not in prog.sources.js, which has to lie beside this page.' 'a second file of another page is not taken'
rm prog.sources.js
open_page prog.html "source&file=$file"
asked 'document.querySelector("#more + [role=status]").textContent'
is "$(page_text '#more + [role=status]')" 'It is not in prog.sources.js, which has to lie beside this page.' 'nor is there an end if it is missing'
is "$(js 'return document.querySelectorAll("#source td.code").length')" 26 'what the page has stays'
done_testing
