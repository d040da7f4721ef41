#!/bin/sh
# `quern plot flame`: bars as wide as what a path of calls and all below it count, colours by misses; bad input; in a browser: zoom and search.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/tap/browser.sh"

tab=$(printf '\t')
cat >p <<END
cmd: ./demo <x> & "y"
events: Ir I1mr D1mr D1mw
fl=/src/demo.c
fn=main
17 1000 0 21 1
summary: 1000 0 21 1
#calls: 3 0 5
#call-events: D1mw D1mr I1mr Ir
#ob: /src/demo
#fn: /src/demo.c${tab}main
#inclusive: 1 1 21 0 1000
#fn: /src/demo.c${tab}f<int>("q")
#inclusive: 3 0 21 0 670
#ob: ???
#fn: ???${tab}g
#inclusive: 3 1 0 0 200
#node: -1 0 1 0 0 0 300
#node: 0 2 3 0 0 0 0
#node: 0 1 1 0 21 0 500
#node: 2 2 1 1 0 0 80
#node: 1 1 2 0 0 0 120
END
"$QUERN" plot flame p -o p.svg 2>err
is "$? $(cat err)" '0 ' 'a profile is drawn'
# bars FILE: depth, left, width, heat, what the tip says; as they stand.
bars() { sed -n 's/^<svg class="f \(h.\)".*data-d="\([^"]*\)" data-l="\([^"]*\)" data-w="\([^"]*\)".*<title>\(.*\)<\/title>.*/\2 \3 \4 \1 \5/p' "$1"; }
bars p.svg >got
cat >wanted <<'END'
0 0 1 h3 all: 1,000 Ir, 100.0%; of its own 0; 22.00 misses of level 1 per 1000 instructions
1 0 1 h3 main (/src/demo.c): 1,000 Ir, 100.0%; of its own 300; called 1 times; 22.00 misses of level 1 per 1000 instructions
2 0 0.12 h0 g: 120 Ir, 12.0%; of its own 0; called 3 times; 0.00 misses of level 1 per 1000 instructions
3 0 0.12 h0 f&#60;int&#62;(&#34;q&#34;) (/src/demo.c): 120 Ir, 12.0%; of its own 120; called 2 times; 0.00 misses of level 1 per 1000 instructions
2 0.12 0.58 h3 f&#60;int&#62;(&#34;q&#34;) (/src/demo.c): 580 Ir, 58.0%; of its own 500; called 1 times; 37.93 misses of level 1 per 1000 instructions
3 0.12 0.08 h2 g: 80 Ir, 8.0%; of its own 80; called 1 times; 12.50 misses of level 1 per 1000 instructions
END
same_file got wanted 'bars, depth first: width, place, misses'
is "$(sed -n 's/^<svg class="f h.*<text x="3" y="13">\(.*\)<\/text><\/svg>$/\1/p' p.svg | sed -n 4p)" 'f&#60;int&#62;(&#34;q&#34;)' 'names are text'
"$QUERN" plot flame p -o q.svg --event=D1mr+D1mw --mod-funcname='s/f<.*/f/' --title='Misses here' --size=800,400
bars q.svg >got
is "$(cut -d' ' -f 1-5 got | tr '\n' ';')" '0 0 1 h3 all:;1 0 1 h3 main;2 0 1 h3 f;3 0 0.04545454545 h2 g:;' 'by a sum of events; names changed; what counts none has no bar'
ok 'its title and size' grep -q '<svg xmlns="http://www.w3.org/2000/svg" width="800" height=".*<title>Misses here</title>' q.svg
sed 's/I1mr/X1mr/' p >other
"$QUERN" plot flame other -o o.svg
is "$(bars o.svg | sed 's/.*of its own//' | head -n 2 | tr '\n' ';'; grep -c 'misses of level 1' o.svg)" ' 0; 300; called 1 times;0' 'without caches nothing is said of misses'
sed 's/^#calls: 3 0 5/#calls: 3 0 0/; /^#node/d' p >none

# refused STATUS MESSAGE WORD...: no picture either.
refused() {
    wanted="$1 quern plot: $2"
    shift 2
    rm -f none.svg
    "$QUERN" plot flame "$@" >out 2>err
    is "$? $(cat err)" "$wanted" "refused: $*"
    ok 'and nothing is drawn' test ! -e none.svg
}
refused 1 'none: paths of calls are not known; `quern run --calls=paths` writes them into the profile' none -o none.svg
refused 1 '-o none.png: wanted a name that ends in .svg: a flame graph is drawn without gnuplot' p -o none.png
refused 1 'p: --event: got `D1mr/Ir`, wanted events, or sums of them, whose parts add up to the whole' p -o none.svg --event=D1mr/Ir
refused 1 'p: I1mr: got none anywhere, wanted some' p -o none.svg --event=I1mr
refused 1 'p: D1mr-Ir: got -300 for a path, wanted none below 0' p -o none.svg --event=D1mr-Ir
sed 's/^#node: 0 2 3 0 0 0 0/#node: 0 2 3 0 0 0 -7/' p >minus
refused 1 'minus: costs of paths: got -7, wanted none below 0: a profile, not a difference' minus -o none.svg

# ---- by brute force: a tree of 2,000 nodes ----

awk -v tab="$tab" 'BEGIN {
    print "cmd: ./big"; print "events: Ir"; print "fl=a.c"; print "fn=f0"; seed = 5
    for (i = 0; i < 2000; i++) {
        seed = (seed * 1103515245 + 12345) % 2147483648
        parent[i] = i < 40 ? i - 1 : int(seed / 65536) % i; fn[i] = int(seed / 256) % 90; ir[i] = 1000 + int(seed / 1024) % 5000; irs += ir[i]
    }
    print "1", irs; print "summary:", irs; print "#calls: 90 0 2000"; print "#call-events: Ir"
    for (i = 0; i < 90; i++) { print "#fn: a.c" tab "f" i; print "#inclusive: 1 0" }
    for (i = 0; i < 2000; i++) print "#node:", parent[i], fn[i], i, ir[i]
}' >big
"$QUERN" plot flame big -o big.svg
awk '/^#node/ { parent[n] = $2; fn[n] = $3; calls[n] = $4; sum[n] = own[n] = $5; n++ }
    END { for (i = n - 1; i >= 0; i--) if (parent[i] >= 0) sum[parent[i]] += sum[i]
        for (i = 0; i < n; i++) print calls[i], "f" fn[i], sum[i], own[i] }' n=0 big | sort -n >wanted
bars big.svg | sed -n 's/^[0-9]* [^ ]* [^ ]* h0 \(f[0-9]*\) (a.c): \([0-9,]*\) Ir, .*; of its own \([0-9,]*\); called \([0-9]*\) times$/\4 \1 \2 \3/p' | tr -d , | sort -n >got
same_file got wanted 'inclusive and own costs of 2,000 paths'
bars big.svg | awk '{ if ($2 < end[$1] - 1e-8) bad++; end[$1] = $2 + $3; if ($1 && ($2 < left[$1 - 1] - 1e-8 || $2 + $3 > right[$1 - 1] + 1e-8)) bad++
    left[$1] = $2; right[$1] = $2 + $3; n++ } END { print n, bad + 0 }' >got
is "$(cat got)" '2001 0' 'bars stand side by side, each on that of its caller'

# ---- in a browser ----

if ! have_browser; then
    absent "$browser_missing" 10
    done_testing
    exit
fi
browser_start
browser_open "file://$SCRATCH/p.svg"
is "$(js 'return document.documentElement.tagName + " " + document.querySelectorAll(".f").length')" 'svg 6' 'it is SVG'
is "$(js 'const all = [...document.querySelectorAll("text.n, rect[y=\"56\"]")].map(n => n.getBoundingClientRect());
    return all.filter((a, i) => all.some((b, k) => k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length')" 0 'nothing of the legend covers another'
is "$(js 'return document.querySelectorAll("text.n")[0].textContent')" './demo <x> & "y"' 'the command, as it is'
shown='return [...document.querySelectorAll(".f")].filter(e => e.style.display !== "none").map(e => e.dataset.n + " " + Math.round(e.getBoundingClientRect().left) + " " + Math.round(e.getBoundingClientRect().width)).join("; ")'
is "$(js "$shown")" 'all 0 1200; main 0 1200; g 0 144; f<int>("q") 0 144; f<int>("q") 144 696; g 144 96' 'bars as wide as they say'
js 'document.querySelectorAll(".f")[4].dispatchEvent(new MouseEvent("click"))' >out
is "$(js "$shown")" 'all 0 1200; main 0 1200; f<int>("q") 0 1200; g 0 166' 'a click widens a bar; what is beside it goes'
js 'document.getElementById("all").click()' >out
is "$(js "$shown")" 'all 0 1200; main 0 1200; g 0 144; f<int>("q") 0 144; f<int>("q") 144 696; g 144 96' 'and back'
js 'const find = document.getElementById("find"); find.value = "F<I"; find.dispatchEvent(new Event("input"))' >out
is "$(js 'return document.getElementById("found").textContent + " " + document.querySelectorAll(".hit").length')" '2 bars, 70.0% 2' 'a search marks, and adds up'
js 'const find = document.getElementById("find"); find.value = "g"; find.dispatchEvent(new Event("input"))' >out
is "$(js 'return document.getElementById("found").textContent')" '2 bars, 20.0%' 'another one'
js 'document.querySelectorAll(".f")[2].focus(); document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }))' >out
is "$(js "$shown")" 'all 0 1200; main 0 1200; g 0 1200; f<int>("q") 0 1200' 'by keyboard'
is "$(browser_messages)$(browser_requests | grep -v '^file:.*p\.svg$')" '' 'no complaint, nothing else is asked for'
done_testing
