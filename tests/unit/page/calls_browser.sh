#!/bin/sh
# Does the page show who called whom as the profile has it: inclusive counts, callers, callees, a flame graph with zoom and search?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 21

# main 100 + f 300 (of that 200 in g) + g 50; f<b> calls itself.
profile() {
    printf 'cmd: ./p\nevents: Ir D1mr\nfl=/src/a.c\nfn=main\n3 100 1\nfn=f<b>\n9 100 2\nfn=g\n20 %s 9\nsummary: %s 12\n' "$1" $((200 + $1))
    printf '#calls: 3 4 4\n#call-events: Ir D1mr\n#fn: /src/a.c\tmain\n#inclusive: 1 %s 12\n' $((200 + $1))
    printf '#fn: /src/a.c\tf<b>\n#inclusive: 4 %s 10\n#fn: /src/a.c\tg\n#inclusive: 3 %s 9\n' $((50 + $1)) "$1"
    printf '#edge: 0 4 1 2 %s 10\n#edge: 0 5 2 1 50 1\n#edge: 1 9 1 2 60 1\n#edge: 1 10 2 2 %s 8\n' $((50 + $1)) $(($1 - 50))
    printf '#node: -1 0 1 100 1\n#node: 0 1 4 100 2\n#node: 1 2 2 %s 8\n#node: 0 2 1 50 1\n#calls-lost: edges 7\n' $(($1 - 50))
}
profile 250 >after
profile 150 >before
"$QUERN" page -o page.html after && "$QUERN" page --diff -o diff.html before after || bail 'no page'
printf 'cmd: ./p\nevents: Ir\nfl=a.c\nfn=main\n1 5\nsummary: 5\n' >bare
"$QUERN" page -o bare.html bare && "$QUERN" page --diff -o one.html bare after || bail 'no page'

browser_start
browser_size 1300 1000
open_page page.html 'calls&event=Ir'
rows() { page_cells "$1" 0 "$2" "$3"; }

# ---- functions, callers, callees ----

is "$(rows '#inclusive tbody tr' 1 2)" "$(printf 'main 1 450\nf<b> 4 300\ng 3 250')" 'functions with all that they call'
view 'calls&event=D1mr'
is "$(rows '#inclusive tbody tr' 1 2)" "$(printf 'main 1 12\nf<b> 4 10\ng 3 9')" 'by another event'
view 'calls&filter=b'
is "$(rows '#inclusive tbody tr' 1 2)" 'f<b> 4 300' 'a filter'
click '#inclusive tbody a'
view "$(js 'return document.querySelector("#inclusive tbody a").getAttribute("href").slice(1)')"
is "$(rows '#callers tr + tr' 1 2)" "$(printf 'main a.c:4 2\nf<b> a.c:9 2')" 'a function leads to its callers, with the lines of the calls'
is "$(page_cells '#callees tr + tr' 0 1 2 3)" "$(printf 'g a.c:10 2 200\nf<b> a.c:9 2 60')" 'and callees, with counts'
is "$(page_cells '#own tr + tr' 0 2)" "$(printf 'with all it calls 300\nitself 100')" 'and what it costs itself'
is "$(js "return document.querySelector('main').textContent.includes('no room for 7 edges')")" true 'what there was no room for is said'

# ---- flame graph ----

view 'calls&event=Ir'
bars="return [...document.querySelectorAll('#flames a')].map(a => a.textContent + ' ' + parseFloat(a.style.left).toFixed(1) + ' ' + parseFloat(a.style.width).toFixed(1) + ' ' + Math.round(parseFloat(a.style.top) / 1.35)).join('\\n')"
is "$(js "$bars")" "$(printf 'all 0.0 100.0 0\nmain 0.0 100.0 1\nf<b> 0.0 66.7 2\ng 0.0 44.4 3\ng 66.7 11.1 2')" 'bars lie below their callers, as wide as what they count'
is "$(js "return [...document.querySelectorAll('#flames a')].map(a => a.title).join('; ')")" \
    'all: 450 Ir, 100.0%; main: 450 Ir, 100.0%; f<b>: 300 Ir, 66.7%; g: 200 Ir, 44.4%; g: 50 Ir, 11.1%' 'each says its count'
view "$(js "return document.querySelectorAll('#flames a')[2].getAttribute('href').slice(1)")"
is "$(js "$bars")" "$(printf 'all 0.0 100.0 0\nmain 0.0 100.0 1\nf<b> 0.0 100.0 2\ng 0.0 66.7 3')" 'a bar that is chosen has the whole width'
is "$(page_text '#bar-function')" 'callers and callees of f<b>' 'and leads to its function'
view 'calls&event=Ir'
js "const f = document.querySelector('#find'); f.value = 'G'; f.dispatchEvent(new Event('input'))" >/dev/null
is "$(page_text '#found'); $(js "return document.querySelectorAll('#flames .found').length + location.hash")" '2 bars, 55.6% of Ir; 2#calls&event=Ir&find=G' 'a search marks bars, and says their share'
browser_keys 4
is "$(js 'return readHash().view')" calls 'key 4 is this view'

# ---- comparison ----

open_page diff.html 'calls&event=Ir'
is "$(page_cells '#inclusive tbody tr' 0 1 2)" "$(printf 'main 1 \342\206\222 1 +100\nf<b> 4 \342\206\222 4 +100\ng 3 \342\206\222 3 +100')" 'a comparison: what changed'
is "$(js "return [...document.querySelectorAll('#flames a')].map(a => a.className + ' ' + a.textContent).join('; ')")" \
    'frame grown + all; frame grown + main; frame grown + f<b>; frame grown + g; frame g' 'bars are marked by a sign as well'

open_page page.html overview
is "$(js "const is = () => typeof (Object.getOwnPropertyDescriptor(model, 'calls').get); const first = is(); model.calls; return first + ' ' + is()")" 'function undefined' 'calls are read when a view needs them'
open_page one.html calls
is "$(page_text '#only') $(js 'return model.events.join()')" 'Left out, because only one of the two has it: D1mr, calls (after). Ir' 'calls and events that only one of the two has are left out, which is told'

# ---- looks ----

is "$(page_faults 2560 dark calls 'calls&function=1' 'calls&node=2&find=g')" '' 'dark, 2560 pixels: readable, named, not too wide'
open_page page.html
is "$(page_faults 400 light calls 'calls&function=1' 'calls&node=2&find=g')" '' 'light, 400 pixels: so, too'
open_page bare.html calls
is "$(page_text pre)" 'quern run --calls=paths PROGRAM' 'a profile without calls says what collects them'
is "$(browser_messages)$(browser_requests | grep -v '^about:\|^file:\|^data:')" '' 'no error, no request'
done_testing
