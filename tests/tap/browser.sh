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
