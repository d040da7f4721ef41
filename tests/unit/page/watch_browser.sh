#!/bin/sh
# Does a real browser play what `quern watch` has recorded: steps, jumps, counts, pictures, without an error or a request?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 25
cat >prog.c <<'END'
double a[32][32], b[32][32], c[32][32];
int main(void)
{
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++)
            for (int k = 0; k < 32; k++)
                c[i][j] += a[i][k] * b[k][j]; /* </script> */
    return c[3][4] > 1;
}
END
"$CC" -g -O1 -o prog prog.c || bail 'cannot compile'
"$QUERN" watch -q --cache=lru:1024,2,64 --cache=srrip:1024,2,64 --line=prog.c:7 --references=300 -o w.html ./prog || bail 'no page'
data=$(sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' w.html | sed 's/.*id="data">//; s/<\/script>$//')
browser_start
browser_size 1300 900
browser_open "file://$SCRATCH/w.html"
count='return document.getElementById("count").textContent'
is "$(js "$count")" 'step 1 of 300' 'it begins with the first step'
browser_keys "$(printf '\356\200\224')" # right arrow
is "$(js "$count")" 'step 2 of 300' 'an arrow steps'
js 'document.getElementById("miss").click()' >/dev/null
next=$(printf '%s' "$data" | jq '[.caches[0].steps, .caches[1].steps] | [.[0][][0], .[1][][0]] as $o | [range(2; 300) | select(($o[.] % 2) + ($o[. + 300] % 2) > 0)][0] + 1')
is "$(js "$count")" "step $next of 300" 'the next miss of either cache'
is "$(js 'return location.hash')" "#step=$((next - 1))" '... has an address'
browser_open about:blank
browser_open "file://$SCRATCH/w.html#step=299"
is "$(js "$count")" 'step 300 of 300' 'an address opens its step'
for i in 0 1; do
    misses=$(printf '%s' "$data" | jq "[.caches[$i].steps[][0] % 2] | add")
    ok "the misses of cache $i at the end" test "$(js "return document.querySelector('#picture svg').textContent.includes('misses so far: $misses of 300')")" = true
done
is "$(js 'return [...document.querySelectorAll("#lines tr.counted")].map(r => r.cells[1].textContent).reduce((a, b) => a + Number(b), 0)')" 300 'the lines of source have all references'
ok 'in a narrow window its letters are no smaller than three quarters of their size' test "$(js 'document.querySelector("#picture").style.width = "300px"; const s = document.querySelector("#picture svg"), w = s.getBoundingClientRect().width / s.viewBox.baseVal.width; document.querySelector("#picture").style.width = ""; return w > 0.74')" = true
paper='return document.querySelector("#picture svg rect").getAttribute("fill")'
is "$(js "$paper")" '#ffffff' 'the picture is light on a light page'
js 'document.getElementById("theme").click()' >/dev/null
is "$(js "$paper")" '#14171a' '... and dark on a dark one'
ok 'a still is light' test "$(js 'return stillText().includes("#ffffff") && !stillText().includes("#14171a")')" = true
is "$(js "$paper")" '#14171a' '... and leaves the page as it is'
ok 'tags have the names of variables' test "$(js 'return [..."abc"].filter(name => [...document.querySelectorAll("#picture text")].some(t => t.textContent === name)).length > 1')" = true
ok 'a still is an SVG by itself' test "$(js 'return stillText().startsWith("<?xml") && stillText().includes("xmlns")')" = true
ok 'srrip shows what it keeps' test "$(js 'return document.querySelector("#picture svg").textContent.includes("RRPV")')" = true
is "$(js 'const cache = play.data.caches[1], touches = [...cache.touches.values()].flat();
    const note = (t, line) => drawWay(cache, t, t.after.indexOf(line), 0, 0, true).at(-1).textContent;
    const changed = touches.filter(t => t.hit && t.next && t.next.before.includes(t.line) && t.next.state[t.next.before.indexOf(t.line)] !== t.state[t.before.indexOf(t.line)]);
    return changed.length > 0 && changed.every(t => note(t, t.line) === "RRPV " + t.next.state[t.next.before.indexOf(t.line)])')" true '... as it is after the step, as the lines are'
cp "$top_srcdir/labs/07-prefetch/starter/plain.c" plain.c
sed '/LEVEL_LINES/d' plain.c >hidden.c
"$QUERN" watch -q --cache=plain.c:1024,2,64 --cache=hidden.c:1024,2,64 --references=300 -o own.html ./prog || bail 'no page of a module'
browser_open "file://$SCRATCH/own.html#step=299"
is "$(js 'const [shown, hidden] = play.data.caches.map(cache => [...cache.touches.values()].flat().filter(t => t.hit));
    return shown.length > 0 && shown.every(t => t.before.includes(t.line)) && hidden.every(t => t.before.length === 0)')" true 'a hit is of a line that is drawn'
is "$(js 'return document.querySelector("#picture svg").textContent.split("does not show its sets").length')" 2 '... and a module that does not show its sets is said not to'
browser_open "file://$SCRATCH/w.html#step=299"
browser_size 500 800
ok 'in a narrow window the page does not run over its edge' test "$(js 'return document.documentElement.scrollWidth <= innerWidth')" = true
"$QUERN" trace -o prog.trace ./prog
"$QUERN" watch -q --cache=lru:1024,2,64 --from=1000 --references=40 -o t.html --trace=prog.trace || bail 'no page of a trace'
browser_size 1300 900
browser_open "file://$SCRATCH/t.html"
is "$(js "$count")" 'step 1 of 40' 'a trace begins with its first step'
browser_keys "$(printf '\356\200\224')"
is "$(js "$count")" 'step 2 of 40' '... steps'
ok '... and shows the address of the instruction in the place of a line of source' \
    test "$(js 'return /reference 1,001: 0x[0-9a-f]+ (reads|writes)/.test(document.querySelector("#picture svg").textContent)')" = true
is "$(browser_messages)" '' 'no error, no warning'
is "$(browser_requests | grep -v '^file:\|^blob:\|^about:\|^data:')" '' 'no request to anywhere'
done_testing
