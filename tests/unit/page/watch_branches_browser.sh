#!/bin/sh
# Does a real browser play branches: steps, jumps, counters, the still, without an error or a request?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
browser_test 16
cat >prog.c <<'END'
volatile int odd, steps;
int main(void)
{
    for (int i = 0; i < 40; i++) {
        if (i & 1)
            odd = i; /* </script> */
        for (int k = 0; k < 4; k++)
            steps = k;
    }
    return 0;
}
END
"$CC" -g -O0 -o prog prog.c || bail 'cannot compile'
"$QUERN" watch -q --predictor=gshare:bits=6,gshare-history=6 --predictor=perceptron:perceptron-history=5 --line=prog.c:5 --references=150 -o w.html ./prog ||
    bail 'no page'
data=$(sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' w.html | sed 's/.*id="data">//; s/<\/script>$//')
get() { printf '%s' "$data" | jq -r "$1"; }
browser_start
browser_size 1500 900
browser_open "file://$SCRATCH/w.html"
count='return document.getElementById("count").textContent'
shows() { js "return document.querySelector('#picture svg').textContent.includes('$1')"; }
is "$(js "$count")" 'step 1 of 150' 'it begins with the first step'
ok 'which is the line that was named' test "$(shows 'prog.c:5 in main')" = true
browser_keys "$(printf '\356\200\224')" # right arrow
is "$(js "$count")" 'step 2 of 150' 'an arrow steps'
js 'document.getElementById("back").click()' >/dev/null
is "$(js "$count")" 'step 1 of 150' '... and back'
js 'document.getElementById("miss").click()' >/dev/null
next=$(get '[.predictors[].steps | map(.[0])] as [$a, $b] | [range(1; 150) | select($a[.] + $b[.] > 0)][0] + 1')
is "$(js "$count")" "step $next of 150" 'the next misprediction of either'
browser_open about:blank
browser_open "file://$SCRATCH/w.html#step=149"
is "$(js "$count")" 'step 150 of 150' 'an address opens its step'
for i in 0 1; do
    wrong=$(get "[.predictors[$i].steps[][0]] | add")
    ok "the mispredictions of predictor $i at the end" test "$(shows "mispredicted so far: $wrong of 150")" = true
done
is "$(js 'return [...document.querySelectorAll("#lines tr.counted")].map(r => r.cells[1].textContent).reduce((a, b) => a + Number(b), 0)')" 150 \
    'the lines of source have all branches'
counter=$(get '.predictors[0].steps[149] | .[4:6] | join(" ")')
is "$(js 'return [shownAt(play.data.predictors[0], 149).find(s => s.kind === "counter")].map(c => c.value + " " + c.after)[0]')" "$counter" 'the counter, before and after'
is "$(js 'return entriesAt(play.data.predictors[0], 149)[0].name')" "index $(get '.predictors[0].steps[149][3]')" 'the entry that was used last'
is "$(js 'return document.querySelectorAll("#picture svg rect > title").length')" 6 'a bar for each weight, and the bias'
ok 'a still is an SVG by itself' test "$(js 'return stillText().startsWith("<?xml") && stillText().includes("xmlns") && stillText().includes("perceptron")')" = true
browser_size 500 800
ok 'in a narrow window the page does not run over its edge' test "$(js 'return document.documentElement.scrollWidth <= innerWidth')" = true
is "$(browser_messages)" '' 'no error, no warning'
is "$(browser_requests | grep -v '^file:\|^blob:\|^about:\|^data:')" '' 'no request to anywhere'
done_testing
