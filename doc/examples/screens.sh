#!/bin/sh
# screens.sh - the page of the demo program (demo.html), and pictures of its views.
#
#   sh doc/examples/screens.sh                  after `make -C build`: writes build/examples/demo.html and build/examples/screens
#   OUT=FOLDER sh doc/examples/screens.sh       into another folder
#
# Needs Chromium and what else tests/tap/browser.sh needs.
set -u
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd)
: "${OUT:=$top_srcdir/build/examples}"
SCRATCH=$(mktemp -d /tmp/quern-screens.XXXXXX) || exit 1
. "$top_srcdir/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
have_browser || bail "$browser_missing"
mkdir -p "$OUT/screens"
cd "$SCRATCH" || exit 1

caches='--I1=32768,8,64 --D1=8192,2,64 --LL=1048576,16,64'
cp "$top_srcdir/doc/examples/demo/demo.c" .
# Names of sources without the folder that they happen to lie in.
"$CC" -g -O1 "-fdebug-prefix-map=$SCRATCH=." -o demo demo.c || bail 'cannot compile'
# shellcheck disable=SC2086
{
    "$QUERN" run $caches --branch-sim=yes --calls=paths --data=use --analysis=3c,mattson,sets,culprits --dump-instr=yes --interval=auto --interval-file=time.csv \
        -q --out-file=demo.out ./demo >/dev/null || bail 'cannot run'
    "$QUERN" run -q $caches --D1=65536,8,64 --branch-sim=yes --calls=paths --data=yes --analysis=3c --out-file=larger.out ./demo >/dev/null || bail 'cannot run'
}
"$QUERN" sweep -q -L 'D1.size=2048,4096,8192,16384,32768,65536' -L 'D1.ways=1,2,4,8' -o runs.csv -- "$SCRATCH/demo" || bail 'cannot sweep'
"$QUERN" page --mattson=demo.out.mattson.csv --runs=runs.csv --intervals=time.csv --culprits=demo.out.culprits.csv --sets=demo.out.sets.csv -o demo.html demo.out || bail 'no page'
"$QUERN" page --diff -o diff.html demo.out larger.out || bail 'no page'
# The counters of the manual's tutorial: four threads in one line.
sed -n '/^@c file counters.c/,/^@end verbatim/p' "$top_srcdir/doc/manual/tutorial.texi" | sed '/^@/d' >counters.c
"$CC" -g -O1 -pthread -DPAD=0 "-fdebug-prefix-map=$SCRATCH=." -o counters counters.c || bail 'cannot compile'
"$QUERN" run -q --analysis=sharing --data=yes --out-file=counters.out ./counters && "$QUERN" page --sharing=counters.out.sharing.csv -o counters.html counters.out || bail 'no page'

# picture PAGE THEME WIDTH NAME HASH [SCRIPT]
picture() {
    browser_size "$3" 800
    open_page "$1.html"
    js "document.documentElement.dataset.theme = '$2'" >/dev/null
    view "$5"
    js "${6:-}; return 1" >/dev/null
    browser_picture "$OUT/screens/$4.png"
}
browser_start
open_page demo.html
worst=$(js "const f = model.files.find(f => f.name.endsWith('demo.c')); const at = [...f.byLine.values()].sort((a, b) => costOf(b.counts) - costOf(a.counts))[0];
    return makeHash('source', { file: f.name, line: at.line }).slice(1)")
object=$(js "return model.objects.slice().sort((a, b) => model.dataColumns[0].value(b) - model.dataColumns[0].value(a))[0].id")
picture demo light 1200 overview overview
picture demo light 1200 source "$worst"
picture demo light 1200 calls 'calls&event=cost'
picture demo light 1200 data "data&object=$object"
picture demo light 1200 caches caches 'document.querySelector("#curve").scrollIntoView({ block: "center" }); document.querySelector("#curve").moveTo(3)'
picture demo light 1200 sets caches 'document.querySelector("#plane-D1").scrollIntoView({ block: "center" })'
picture counters light 1200 threads threads
picture demo dark 1200 time 'time&events=D1mr,DLmr&range=20-60'
picture diff dark 1200 diff-data data
picture demo light 420 narrow overview
sed "s,$SCRATCH/,./,g" demo.html >"$OUT/demo.html"
browser_end
trap - EXIT
cd / && rm -rf "$SCRATCH"
