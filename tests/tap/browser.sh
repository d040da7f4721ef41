# browser.sh - a real browser for tests in shell: Chromium, driven by chromedriver over HTTP (W3C WebDriver).
#
#   . "$top_srcdir/tests/tap/browser.sh"
#   have_browser || absent_all "$browser_missing" 12
#   browser_start                       # a browser without a window; ends with the test
#   browser_open "file://$SCRATCH/page.html"
#   js 'return document.title'          # prints what the script returns: text as it is, anything else as JSON
#   browser_keys n                      # keys, to whatever has the focus
#   browser_size 400 800
#   browser_picture "$SCRATCH/page.png"
#   browser_messages                    # errors and warnings of the console since the last call, one a line
#   browser_requests                    # addresses that were asked for since the last call, one a line
#
# For tests of a page of quern's:
#
#   browser_test 12                     # skips all 12 points without a browser; works in $SCRATCH
#   open_page page.html data&object=1   # a file of $SCRATCH from its beginning
#   view 'functions&sort=Ir'            # another view of the page that is open
#   click '#objects a'                  # the first element of a selector
#   page_text '#detail'                 # its text, as it is shown
#   page_cells '#objects tbody tr' 0 1  # of each such row the first text of these cells, digits without commas
#   page_asked                          # files and addresses that were asked for since the last call, each once
#   page_faults 400 dark data functions # what of these views is hard to read or to use, or wider than the window: a line each
#
# Needs chromium, chromedriver, curl and jq.

have_browser() {
    browser_missing=
    for tool in chromium chromedriver curl jq; do
        command -v $tool >/dev/null || browser_missing="$browser_missing $tool"
    done
    browser_missing="not installed:$browser_missing"
    [ "$browser_missing" = 'not installed:' ]
}

# wire METHOD PATH [JSON]: a command to the driver; prints the value of its answer as JSON.
wire() {
    curl -sS -X "$1" -H 'Content-Type: application/json' ${3+--data-binary "$3"} "http://127.0.0.1:$browser_port$2" | jq -c .value
}

browser_start() {
    mkfifo "$SCRATCH/driver.out" || bail 'cannot make a fifo'
    # Its socket lies in a folder below TMPDIR, and a socket's path may have 107 bytes.
    browser_temporary=$(mktemp -d /tmp/quern-browser.XXXXXX) || bail 'no folder in /tmp'
    TMPDIR=$browser_temporary chromedriver --port=0 >"$SCRATCH/driver.out" 2>"$SCRATCH/driver.err" &
    browser_driver=$!
    trap browser_end EXIT
    exec 8<"$SCRATCH/driver.out"
    browser_port=
    while [ -z "$browser_port" ] && read -r line <&8; do
        browser_port=$(printf '%s\n' "$line" | sed -n 's/.*started successfully on port \([0-9]*\).*/\1/p')
    done
    [ -n "$browser_port" ] || bail "chromedriver does not start: $(cat "$SCRATCH/driver.err")"
    browser_answer=$(wire POST /session "$(jq -nc --arg data "$SCRATCH/browser" '{capabilities: {alwaysMatch: {
        "goog:chromeOptions": {args: ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--user-data-dir=" + $data]},
        "goog:loggingPrefs": {browser: "ALL", performance: "ALL"}}}}')")
    browser_session=$(printf '%s' "$browser_answer" | jq -r '.sessionId // empty')
    [ -n "$browser_session" ] || bail "chromium does not start: $(printf '%s' "$browser_answer" | jq -r .message | head -n 3 | tr '\n' ' ')"
    browser_open about:blank
    browser_messages >/dev/null
    browser_requests >/dev/null
}

browser_end() {
    [ -z "${browser_session:-}" ] || wire DELETE "/session/$browser_session" >/dev/null
    [ -z "${browser_driver:-}" ] || kill "$browser_driver"
    wait "$browser_driver"
    rm -rf "$SCRATCH/browser" "$browser_temporary"
}

browser_open() { wire POST "/session/$browser_session/url" "$(jq -nc --arg url "$1" '{url: $url}')" >/dev/null; }

js() {
    wire POST "/session/$browser_session/execute/sync" "$(jq -nc --arg script "$1" '{script: $script, args: []}')" |
        jq -r 'if type == "object" and .error then "error: " + .message else . end'
}

browser_keys() {
    wire POST "/session/$browser_session/actions" "$(jq -nc --arg keys "$1" '{actions: [{type: "key", id: "keys", actions:
        [$keys | split("") | .[] | {type: "keyDown", value: .}, {type: "keyUp", value: .}]}]}')" >/dev/null
}

browser_size() { wire POST "/session/$browser_session/window/rect" "{\"width\":$1,\"height\":$2}" >/dev/null; }

browser_picture() { wire GET "/session/$browser_session/screenshot" | jq -r . | base64 -d >"$1"; }

browser_log() { wire POST "/session/$browser_session/se/log" "{\"type\":\"$1\"}"; }

browser_messages() { browser_log browser | jq -r '.[] | .level + " " + .message'; }

browser_requests() {
    browser_log performance | jq -r '.[].message | fromjson | .message | select(.method == "Network.requestWillBeSent") |
        select(.params.documentURL | startswith("chrome:") | not) | .params.request.url'
}

# ---- pages of quern's ----

browser_test() {
    have_browser || absent_all "$browser_missing" "$1"
    cd "$SCRATCH" || bail 'no scratch directory'
}

open_page() {
    browser_open about:blank
    browser_open "file://$SCRATCH/$1${2:+#$2}"
}

# An address is shown by an event of its own, later; here it is shown when this returns.
view() { js "history.replaceState(null, '', $(jq -nc --arg hash "#$1" '$hash')); show()" >/dev/null; }

click() {
    js "const node = document.querySelector($(jq -nc --arg selector "$1" '$selector'));
        node.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })); show()" >/dev/null
}

page_text() { js "const node = document.querySelector($(jq -nc --arg selector "$1" '$selector')); return node ? node.textContent : ''"; }

page_cells() {
    page_rows=$1
    shift
    js "return [...document.querySelectorAll($(jq -nc --arg selector "$page_rows" '$selector'))].map(row => [$(echo "$@" | tr ' ' ,)]
        .map(i => row.cells[i].firstChild ? row.cells[i].firstChild.textContent.replace(/(\\d),(?=\\d)/g, '\$1') : '').join(' ')).join('\\n')"
}

page_asked() { browser_requests | grep -v '^about:\|^data:' | sed 's/#.*//; s/%20/ /g' | LC_ALL=C sort -u; }

# In a window of this width, in this theme, of each view: contrast by WCAG 2.1 of every text that is shown, against the nearest background that is not
# transparent (text of SVG apart); names of what can be used; text of pictures that is cut off or tiny; the width of the page.
page_faults() {
    browser_size "$1" 1000
    page_theme=$2
    shift 2
    js 'const lum = c => { const v = c.map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
const rgb = s => s.match(/[\d.]+/g).map(Number);
const back = n => { for (; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return rgb(getComputedStyle(document.body).backgroundColor); };
const faults = [];
function look(hash) {
  for (const n of document.querySelectorAll("body *")) {
    if (![...n.childNodes].some(t => t.nodeType === 3 && t.data.trim()) || /SCRIPT|NOSCRIPT|text|title/.test(n.tagName) || !n.offsetParent || n.disabled) continue;
    const a = lum(rgb(getComputedStyle(n).color)), b = lum(back(n)), r = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (r < 4.5) faults.push(hash + ": contrast " + r.toFixed(2) + " of " + n.tagName + "." + n.className + " " + n.textContent.slice(0, 20));
  }
  for (const n of document.querySelectorAll("a, button, input, select")) {
    if (!(n.textContent.trim() || n.getAttribute("aria-label") || n.labels && n.labels.length)) faults.push(hash + ": no name: " + n.outerHTML.slice(0, 80));
  }
  for (const n of document.querySelectorAll("svg[role=img]:not(#picture svg, .bytes) text")) {
    const text = n.getBoundingClientRect(), of = n.ownerSVGElement, all = of.getBoundingClientRect(), size = parseFloat(getComputedStyle(n).fontSize) * all.width / of.viewBox.baseVal.width;
    if (text.left < all.left - 1 || text.right > all.right + 1 || text.top < all.top - 1) faults.push(hash + ": cut off: " + n.textContent);
    if (size < 8) faults.push(hash + ": letters of " + size.toFixed(1) + " pixels: " + n.textContent);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(hash + ": wider than the window: " + document.documentElement.scrollWidth);
}
document.documentElement.dataset.theme = "'"$page_theme"'";
for (const hash of '"$(jq -nc '$ARGS.positional' --args "$@")"') {
  history.replaceState(null, "", "#" + hash);
  show();
  look(hash);
}
return [...new Set(faults)].slice(0, 10).join("\n");'
}
