#!/bin/sh
# Does every command find sources that lie elsewhere than the profile says, by --source-map=FROM=TO?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

mkdir -p here/src
cat >here/src/a.c <<'END'
static int a[4096];
__attribute__((noinline)) static int sum(const int *p)
{
    int s = 0;
    for (int i = 0; i < 4096; i++)
        s += p[i]; /* the line */
    return s;
}
int main(void) { return sum(a); }
END
"$CC" -g -O1 -ffile-prefix-map="$PWD/here=/build" -o prog "$PWD/here/src/a.c" 2>log || bail "cc: $(cat log)"
map=--source-map=/build=$PWD/here
"$QUERN" run -q --data=yes --calls=yes --analysis=culprits --out-file=p --explain=a.c:6 --explain-file=e "$map" ./prog || bail 'no run'
grep -q '^fl=/build/src/a.c' p || bail 'the compiler did not map'

# shows WHAT FILE: the line of source is there.
shows() { ok "$1" grep -q 'the line' "$2"; }
shows 'run --explain' e
"$QUERN" annotate p >out
ok 'without a map there is no source' sh -c '! grep -q "the line" out'
"$QUERN" annotate "$map" p >out
shows 'annotate' out
"$QUERN" annotate --source-map "/build/=$PWD/here/" p >out
shows '... slashes at the end do not matter' out
"$QUERN" annotate "--source-map=/build/src=$PWD/here/src" --source-map=/build=/nowhere p >out
shows '... the longest folder counts, in any order' out
"$QUERN" annotate --source-map=/buil="$PWD/here" p >out
ok '... part of a name is none' sh -c '! grep -q "the line" out'
"$QUERN" annotate --style=classic --auto=yes "$map" p >out
shows 'annotate --style=classic' out
"$QUERN" annotate --by=calls "$map" p >out
ok 'annotate --by=calls names the file' grep -q "$PWD/here/src/a.c" out
"$QUERN" page "$map" -o page.html --culprits p.culprits.csv p >log 2>&1
shows 'page' page.html
is "$(grep -c /build/src page.html)" 0 '... with findings beside the profile under the same name'
"$QUERN" report -q "$map" -o report p
shows 'report' report/index.html
shows '... and its page to explore' report/explore.html
"$QUERN" watch --line=a.c:6 "$map" -o watch.html ./prog 2>log
shows 'watch' watch.html
"$QUERN" merge "$map" p >merged
is "$(grep -c '[=: ]/build/src' merged) $(grep -c "^fl=$PWD/here/src/a.c" merged)" '0 1' 'merge: in rows, calls and data'
"$QUERN" merge "$map" merged >again
same_file again merged 'a name that is mapped is not mapped again'
"$QUERN" merge --source-map=/build=/build/x p >once
"$QUERN" merge --source-map=/build=/build/x once >again
same_file again once '... nor if TO is in FROM'
sed 's|/build/|/other/checkout/|' p >q
"$QUERN" diff --source-map=/other/checkout=/build q p >out
is "$(sed -n 's/^summary: //p' out | tr -d '0 ')$(grep -c '[1-9]' out | head -c 0)" '' 'diff: the same in two checkouts is no difference'
if "$QUERN" plot top --by=line --json --source-map=/build=/x/y p >plot 2>log; then
    is "$(grep -c '/build/src' plot)" 0 'plot'
else
    absent 'no jansson'
fi
if "$QUERN" csv p >log 2>&1; then
    ok 'csv' sh -c "$QUERN csv $map p | grep -q '$PWD/here/src/a.c'"
else
    absent 'no libcsv'
fi
sed 's|/build/||' p >relative
"$QUERN" annotate --source-map="=$PWD/here" relative >out
shows 'an empty FROM stands for names without a folder of their own' out
"$QUERN" annotate --source-map=/build p >out 2>&1
is "$? $(tail -n 1 out)" "2 quern annotate: --source-map: got '/build', wanted FROM=TO" 'what is wanted'
"$QUERN" page --source-map=/build p >out 2>&1
is "$? $(cat out)" "2 quern page: --source-map: got '/build', wanted FROM=TO" '... of other commands'
done_testing
