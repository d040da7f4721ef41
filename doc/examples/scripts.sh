#!/bin/sh
# scripts.sh - are scripts and style of the pages in this folder those of lib/page?
#
#   sh doc/examples/scripts.sh             names the pages that have others; status 1 if there are any
#   sh doc/examples/scripts.sh --update    gives them those of lib/page; title and data stay.  Where the form of the data has changed, too,
#                                          make the pages anew: screens.sh (demo.html), run.sh conflict, run.sh branches
#
# QUERN names the quern command (build/quern of this tree).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${QUERN:=$here/../../build/quern}"
fresh=$(mktemp -d "${TMPDIR:-/tmp}/quern-scripts.XXXXXX")
trap 'rm -rf "$fresh"' EXIT

# A page of each kind.
printf 'cmd: ./p\nevents: Ir\nfl=a.c\nfn=main\n1 5\nsummary: 5\n' >"$fresh/profile"
"$QUERN" page -o "$fresh/page.html" "$fresh/profile"
"$QUERN" watch -q --references=1 --cache=lru:1024,2,64 -o "$fresh/watch.html" true >"$fresh/watch.log"

# with PAGE FRESH: the page with all but title, table and data from the fresh one
with() {
    awk '
        /^<title>/ { part = "title" }
        /^<noscript>$/ { part = "table" }
        /^<script type="application\/json" id="data">/ { part = "data" }
        part == "" { if (NR != FNR) print; next }
        NR == FNR { of[part] = of[part] $0 "\n" }
        NR != FNR && !(part in put) { put[part] = 1; printf "%s", of[part] }
        /<\/title>$|^<\/noscript>$|<\/script>$/ { part = "" }
    ' "$1" "$2"
}

status=0
for page in demo:page conflict:watch branches:watch; do
    name=$here/${page%:*}.html
    with "$name" "$fresh/${page#*:}.html" >"$fresh/new"
    cmp -s "$fresh/new" "$name" && continue
    if [ "${1-}" = --update ]; then
        cat "$fresh/new" >"$name"
    else
        echo "${name##*/}: scripts or style are not those of lib/page: sh doc/examples/scripts.sh --update"
        status=1
    fi
done
exit $status
