#!/bin/sh
# commands.sh - does an installed quern do its work?  `make installcheck` runs this, and tests/unit/build/install.sh.
#
# In: QUERN, DESTDIR and the directories of the installation (datarootdir, docdir and so on).  Every command
# is run once, from an empty directory, on the example that is installed; none may need the source or the build tree.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

rm -rf installcheck && mkdir installcheck && cd installcheck || bail "cannot make $SCRATCH/installcheck"
quern() { env -i PATH="$PATH" TMPDIR="$PWD" CC="$CC" "$QUERN" "$@"; }
compile() { $CC -O1 -g "$@" >compile.log 2>&1 || bail "$CC: $(head -n 3 compile.log)"; }

# ---- what is there ----

commands=$(quern --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
is "$(ls "$DESTDIR$mandir/man1" | grep '^quern' | LC_ALL=C sort | tr '\n' ' ')" \
    "$({ echo quern.1 && printf 'quern-%s.1\n' $commands; } | LC_ALL=C sort | tr '\n' ' ')" 'a man page of each command'
for file in bash-completion/completions/quern zsh/site-functions/_quern; do
    ok "completion: $file" test -f "$DESTDIR$datarootdir/$file"
done
ok 'the headers' test -f "$DESTDIR$includedir/quern.h" -a -f "$DESTDIR$includedir/quern/decode.h"

# Each file that README.md names, and each command
awk -v RS='`' 'NR % 2 == 0 && /^([^ ]*[.](md|c|sh)|COPYING|LICENCES)$/' "$DESTDIR$docdir/README.md" >named
sed -n 's/.*](\([^)]*\)).*/\1/p; s/^    .*sh \([^ ]*\.sh\) .*/\1/p' "$DESTDIR$docdir/README.md" >>named
is "$(wc -l <named | awk '{ print ($1 > 10) }') $(while read -r file; do
    case $file in /*) [ -e "$DESTDIR$file" ] ;; *) [ -e "$DESTDIR$docdir/$file" ] ;; esac || echo "$file"
done <named)" '1 ' 'README.md names files that are installed'
# (The prefix may have a folder `build`.)
is "$(sed "s,$pkgdatadir,,g" "$DESTDIR$docdir/README.md" | grep 'bootstrap\|HACKING\|build/')" '' 'and nothing of the sources'
is "$(cd "$DESTDIR$docdir" && env -u QUERN PATH="$(dirname "$QUERN"):$PATH" sh examples/demo/demo.sh "$SCRATCH/demo" | grep -c 'sum += a\[i\]\[k\]')" 1 'the demo'

# ---- a program ----

compile -o demo "$DESTDIR$docdir/examples/demo/demo.c"
quern run -q --D1=8192,2,64 --out-file=profile -- ./demo >said 2>&1
is "$?" 0 'run' || diag "$(cat said)"
# Two loops over the three matrices of 256 by 256: no cache changes how often a line runs (README.md).
ok 'annotate shows the source that is installed' \
    sh -c '"$1" annotate --show=Ir profile | grep -q "^50,331,648 .* sum += a\[i\]\[k\]"' - "$QUERN"
is "$(quern merge profile profile | quern annotate --show=Ir --no-annotate --no-show-percs /dev/stdin | grep 'PROGRAM TOTALS' | tr -dc 0-9)" \
    "$(awk '/^summary/ { print $2 * 2 }' profile)" 'merge and annotate: twice the instructions'
is "$(quern diff profile profile | awk '/^summary/ { print $2 }')" 0 'diff of a profile with itself'
is "$(printf 'version: 1\nevents: Ir\nfl=a\nfn=f\n1 2\n' | quern convert - | tail -n 1)" 'summary: 2' 'convert'
quern csv --by=program --show=Ir --metadata=no --crlf=no profile >profile.csv 2>said
is "$(tail -n 1 profile.csv | grep -o '[0-9]*$')" "$(awk '/^summary/ { print $2 }' profile)" 'csv'
quern valgrind --tool=cachegrind -q --cachegrind-out-file=profile.as ./demo >said 2>&1
QUERN=$(dirname "$QUERN")/quern-valgrind quern --tool=cachegrind -q --cachegrind-out-file=profile.by-name ./demo >said 2>&1
QUERN=$DESTDIR$(dirname "$pkgdatadir")/../libexec/quern/valgrind/valgrind quern --tool=cachegrind -q --cachegrind-out-file=profile.by-path ./demo >said 2>&1
is "$(cmp profile.as profile.by-name 2>&1)$(cmp profile.as profile.by-path 2>&1)" '' 'valgrind, by all its names'
is "$(quern top profile 2>&1 | grep -c 'no terminal')" 1 'top'
is "$(quern json --totals profile 2>said | grep -c quern-profile)" 1 'json'
mkfifo address
env -i PATH="$PATH" TMPDIR="$PWD" CC="$CC" "$QUERN" serve . >address 2>said &
read -r url <address
kill $! 2>/dev/null
is "$(echo "$url" | grep -c '^http://127')$(grep -c 'built without' said)" "$(grep -q 'built without' said && echo 01 || echo 10)" 'serve'
is "$(quern ctl 1 status 2>&1 | grep -c "no run of quern")" 1 'ctl'
is "$(quern doctor 2>&1 | grep -c '^ok  run ')" 1 'doctor'
is "$(quern dis --hex 90 | grep -c nop)" 1 'dis'

# ---- machines ----

quern run -q --machine=nehalem --out-file=profile.nehalem ./demo >said 2>&1
is "$? $(sed -n 's/^desc: L2 cache: *//p' profile.nehalem)" '0 262144 B, 64 B, 8-way associative' 'run --machine'
is "$(quern machine list | grep -c '^skylake ')" 1 'machine'

# ---- simulators ----

cat >mine.c <<'END'
#include "sim/module.h"
#define POLICY "mine"
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return sim_random(sim.ways); }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
quern sim build --verbose --D1=mine.c --BC=gshare -o mysim >command 2>&1
is "$?" 0 'sim build' || diag "$(cat command)"
is "$(tr ' ' '\n' <command | grep '^/.*\.[ca]$' | grep -vc -e "^$(realpath "$DESTDIR$pkgdatadir")/" -e "^$PWD/" -e libexec)" 0 \
    'out of what is installed'
compile -o small -xc - <<'END'
int main(void) { static volatile char bytes[4096]; for (int i = 0; i < 4096; i++) bytes[i] = 1; return bytes[0] - 1; }
END
quern run -q --sim=./mysim --out-file=with -- ./small >said 2>&1
is "$? $(sed -n 's/^desc: Modules:.* D1=\([a-z]*\):.*/\1/p' with)" '0 mine' 'run --sim'
quern trace -o trace -q -- ./small >said 2>&1
# Events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
is "$? $(quern replay --sim=fifo trace 2>&1 | sed 's/,//g' | awk '/^D *refs/ { print $3 }')" \
    "0 $(awk '/^summary/ { print $5 + $8 }' with)" 'trace and replay: as many data references'
quern sweep -q -L sim='lru;fifo' -o sweep.csv -- ./small >said 2>&1
is "$? $(wc -l <sweep.csv)" '0 3' 'sweep' || diag "$(cat said)"

# ---- pictures, pages ----

quern plot top profile -o top.svg >said 2>&1
plotted=$?
if grep -q 'there is no gnuplot here' said; then
    skip 'no gnuplot'
else
    is "$plotted $(head -c 5 top.svg)" '0 <?xml' 'plot' || diag "$(cat said)"
fi
quern report -q -o page -- ./small >said 2>&1
is "$? $(grep -c '</html>' page/index.html)" '0 1' 'report' || diag "$(cat said)"

# ---- labs ----

is "$(quern lab list | grep -c ' 100 points')" "$(ls -d "$DESTDIR$pkgdatadir"/labs/[0-9]* | wc -l)" 'lab list: what is installed'
quern lab start 1 lab1 >said 2>&1
is "$? $(diff -r "$DESTDIR$pkgdatadir/labs/01-cache/starter" lab1 | grep -v '^Only in lab1: \(\.quern-lab\|HANDOUT.md\)$')" '0 ' \
    'lab start'
quern lab check --only=small 1 lab1 >said 2>&1
is "$? $(head -n 1 said)" '1 TAP version 14' 'lab check: nothing yet'
is "$(find "$DESTDIR$pkgdatadir" "$DESTDIR$docdir" -path '*solution*' -o -name NOTES.md)" '' 'no solutions'

quern demo rows >said 2>&1
is "$? $(grep -c ' += a' said)" '0 3' 'demo' || diag "$(cat said)"

cd .. && rm -rf installcheck
done_testing
