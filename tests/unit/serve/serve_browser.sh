#!/bin/sh
# Does a real browser edit, run, compare and save on the page of `quern serve`, and does a closed page end its run?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
have_browser || absent_all "$browser_missing" 36
[ -x "$top_builddir/quern-serve" ] || absent_all 'quern was built without libmicrohttpd' 36
cd "$SCRATCH" || bail 'no scratch directory'
mkdir folder || bail 'no folder'
cat >folder/mm.c <<'END'
#include <stdio.h>
#define N 48
static double a[N][N], b[N][N], c[N][N];
int main(int argc, char **argv)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j]; /* </script> */
    printf("%s %d\n", argv[argc - 1], getchar());
    return c[1][2] > 0;
}
END
mkfifo out || bail 'no fifo'
"$QUERN" serve folder >out 2>err &
server=$!
exec 9<out
read -r url <&9 || bail "it does not begin: $(cat err)"
browser_start
trap 'browser_end; kill $server 2>/dev/null' EXIT
browser_size 1400 1000
browser_open "$url"

# until SCRIPT: asks the page until it is so
until_so() { until [ "$(js "return Boolean($1)")" = true ]; do kill -0 $server || bail 'the server is gone'; done; }
status_text() { js 'return document.getElementById("status").textContent'; }
# fill TEXT: the source, as if it were typed
fill() { js "const f = document.getElementById('source'); f.value = $(jq -nc --arg t "$1" '$t'); f.dispatchEvent(new Event('input'))" >/dev/null; }
choose() { js "document.getElementById('$1').value = '$2'" >/dev/null; }
ended='!desk.running && past.runs.length'
counts() { js "return [...document.querySelectorAll('#counts .row')][$1 - 1].querySelectorAll('.cell')[$2]?.textContent || ''"; }

until_so 'document.getElementById("status")?.textContent === "opened mm.c"'
pass 'the first file is opened'
is "$(js 'return editor.text()')" "$(cat folder/mm.c)" '... as it is'
choose cache-D1 1024,2,64
js 'document.getElementById("arguments").value = "a \"b c\""; document.getElementById("input").value = "A"
    document.getElementById("source").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }))' >/dev/null
until_so "$ended === 1"
is "$(status_text)" 'ended well' 'Ctrl+Enter runs'
is "$(js 'return document.querySelector("#said pre").textContent')" 'b c 65' 'with arguments and input'
is "$(js 'return [...document.getElementById("said").childNodes].filter(node => node.nodeType === 3).length')" 0 'nothing stands between the boxes'
profile=$(js 'return past.runs[0].answer.profile')
wanted() { # LINE EVENTS...
    printf '%s\n' "$profile" | awk -v line="$1" -v events="$2" '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^fl=/ { own = ($0 == "fl=././mm.c") }
        own && $1 == line { n = split(events, e, " "); for (i = 1; i <= n; i++) sum += $(at[e[i]]) } END { print sum + 0 }' | sed ':a; s/\B[0-9]\{3\}\>/,&/; ta'
}
for line in 7 8 9; do
    is "$(counts $line 0) $(counts $line 2)" "$(wanted $line Ir) $(wanted $line 'D1mr D1mw')" "line $line has its instructions and misses"
done
ok 'a cache of 1 KiB misses' test "$(wanted 9 D1mr)$(wanted 8 D1mr)" != 00
is "$(js 'return document.querySelector("#history tbody td.n").firstChild.textContent.replace(/,/g, "")')" \
    "$(printf '%s\n' "$profile" | sed -n 's/^summary: \([0-9]*\).*/\1/p')" 'the history has the sum'

# Another cache, and the difference.
choose cache-D1 32768,8,64
js 'document.querySelector("#history button.base").click(); document.getElementById("run").click()' >/dev/null
until_so "$ended === 2"
was=$(js 'return valueOf(past.runs[0].profile, past.runs[0].profile.totals, COLUMNS[2])')
now=$(js 'return valueOf(past.runs[1].profile, past.runs[1].profile.totals, COLUMNS[2])')
ok 'a larger cache misses less' test "$now" -lt "$was"
is "$(js 'return document.querySelector("#history tbody tr").cells[5].querySelector("small").textContent.slice(1).replace(/,/g, "")')" $((was - now)) 'by so much, says the history'
is "$(js 'return document.querySelector("#history tbody tr").cells[5].querySelector("small").className')" better 'which is better'
is "$(counts 9 0)" '=' 'the same instructions'
is "$(js 'return [...document.querySelectorAll("#counts .row")].map(r => r.querySelectorAll(".cell")[2]?.textContent).filter(t => t && t[0] === "\u2212").length > 0')" true 'fewer misses beside the lines'

# A changed text: lines are matched.
fill "$(sed 's/^int main/\n&/; s/a\[i\]\[k\]/a[i][j]/' folder/mm.c)"
is "$(counts 9 0)" '' 'counts of another text are not shown'
js 'document.getElementById("run").click()' >/dev/null
until_so "$ended === 3"
is "$(js 'return [...matchLines(past.runs[0].text, past.runs[2].text)].filter(([a, b]) => a !== b).map(p => p.join("<-")).join(" ")')" \
    '5<-4 6<-5 7<-6 8<-7 9<-8 11<-10 12<-11 13<-12' 'lines below an inserted one are known again'
is "$(counts 13 0)" '=' '... so what did not change costs the same'

# What the compiler says.
fill 'int main(void) { return x; }'
js 'document.getElementById("run").click()' >/dev/null
until_so "!desk.running && document.getElementById('status').textContent === 'it cannot be compiled'"
ok 'an error marks its line' test "$(js 'return document.querySelector("#counts .row.marked .line-number").textContent')" = 1
is "$(js 'return past.runs.length')" 3 'and is no run'

# A cache of the user's beside the program: its file is edited, the program that was open before is run.
cat >folder/wide.c <<'END'
#include "sim/module.h"
#define POLICY "wide"
static unsigned oldest;
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return oldest++ % sim.ways; }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
fill "$(cat folder/mm.c)"
js 'listFiles().then(() => { document.getElementById("module-D1").value = "wide.c"; desk.listed = true })' >/dev/null
until_so 'desk.listed'
is "$(js 'return document.getElementById("module-D1").value')" wide.c 'a module of the folder is in the menu of a cache'
choose cache-D1 1024,2,64
js 'openFile("wide.c")' >/dev/null
until_so 'document.getElementById("status").textContent === "opened wide.c"'
js 'document.getElementById("run").click()' >/dev/null
until_so "$ended === 4"
is "$(js 'return past.runs[3].name + " " + past.runs[3].answer.profile.match(/D1=[a-z]*/)[0]')" 'mm.c D1=wide' 'the program is run with it'
misses=$(js 'return valueOf(past.runs[3].profile, past.runs[3].profile.totals, COLUMNS[2])')
fill "$(sed 's/oldest++ % sim.ways/0/' folder/wide.c)"
js 'document.getElementById("run").click()' >/dev/null
until_so "$ended === 5"
ok '... as it is in the editor' test "$(js 'return valueOf(past.runs[4].profile, past.runs[4].profile.totals, COLUMNS[2])')" != "$misses"
fill "$(sed 's/return oldest.*;/return older;/' folder/wide.c)"
js 'document.getElementById("run").click()' >/dev/null
until_so "!desk.running && document.getElementById('status').textContent === 'it cannot be compiled'"
is "$(js 'return [...document.querySelectorAll("#counts .row.marked .line-number")].map(n => n.textContent).join(" ")')" '3 6' 'what the compiler says marks the lines of the module'
js 'desk.saved = editor.text(); document.getElementById("module-D1").value = ""' >/dev/null
fill 'int main(void) { return x; }'

# Saving.
js 'document.getElementById("name").value = "one.c"; document.getElementById("save").click()' >/dev/null
until_so 'document.getElementById("status").textContent === "saved one.c"'
is "$(cat folder/one.c) $(js 'return document.getElementById("file").value')" 'int main(void) { return x; } one.c' 'a file is saved'
js 'document.getElementById("name").value = "../two.c"; document.getElementById("save").click()' >/dev/null
until_so 'document.getElementById("status").className === "worse"'
is "$(ls folder . | grep -c two)" 0 'not under a path'

# Stop, and closing the page.
marker=serve-browser-test-$$
going() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -c -x "[s]${marker#s}"; }
begin() {
    fill 'int main(void) { for (volatile int i = 0;; i++); }'
    js "document.getElementById('name').value = 'one.c'; document.getElementById('arguments').value = '$marker'; document.getElementById('run').click()" >/dev/null
    while [ "$(going)" = 0 ]; do kill -0 $server || bail 'the server is gone'; done
}
begin
js 'document.getElementById("stop").click()' >/dev/null
until_so '!desk.running'
is "$(status_text)" 'ended before it was through' 'a run can be stopped'
while [ "$(going)" != 0 ]; do kill -0 $server || bail 'the server is gone'; done
pass '... and its processes go'
begin
js 'desk.saved = editor.text()' >/dev/null
is "$(browser_messages | grep -v '/save - ' )" '' 'no error, no warning, but for the name that was refused'
is "$(browser_requests | grep -v "^${url%/}/\|^about:\|^data:")" '' 'no request to anywhere else'
browser_open about:blank
while [ "$(going)" != 0 ]; do kill -0 $server || bail 'the server is gone'; done
pass 'closing the page ends its run'

browser_open "$url"
until_so 'document.getElementById("status")?.textContent.startsWith("opened")'
js 'document.getElementById("run").click()' >/dev/null
until_so "$ended === 1"
for width in 400 2560; do
    browser_size $width 900
    ok "at $width pixels the page does not run over its edge" test "$(js 'return document.documentElement.scrollWidth <= innerWidth')" = true
    ok '... and the source has room beside its counts' test "$(js 'return Math.floor(document.getElementById("source").getBoundingClientRect().width)')" -gt 130
done
is "$(js 'return [...document.querySelectorAll("button, select, input, textarea")].filter(n => !(n.textContent.trim() && n.tagName === "BUTTON") && !n.ariaLabel && !n.labels?.length).map(n => n.outerHTML).join()')" \
    '' 'everything to press or fill has a name'
done_testing
