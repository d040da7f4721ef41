#!/bin/sh
# Do the pages of real programs (the demo, sqlite3, cc1, one with threads, one in C++) open, and is each of their values that of quern csv?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
points=45
browser_test $points
command -v python3 >/dev/null || absent_all 'python3 is not installed' $points

cat >threads.c <<'END_C'
#include <pthread.h>
#include <stdlib.h>
static long counts[4];
static void *work(void *at)
{
    for (int i = 0; i < 20000; i++)
        ++*(volatile long *)at;
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, &counts[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return counts[0] != 20000;
}
END_C
cat >words.cc <<'END_C'
#include <map>
#include <string>
#include <vector>
template <class T> struct Box { T value; std::vector<T> more; };
int main()
{
    std::map<std::string, Box<int>> all;
    for (int i = 0; i < 2000; i++)
        all["key" + std::to_string(i * 7 % 500)].more.push_back(i);
    long n = 0;
    for (auto &[key, box] : all)
        n += box.more.size() + key.size();
    return n == 1;
}
END_C
awk 'BEGIN { print "create table t(a, b);"; for (i = 0; i < 300; i++) printf "insert into t values(%d, \"row %d\");\n", i * 7 % 101, i
    print "select a, count(*) from t group by a order by 2 desc limit 5;" }' >data.sql
printf '#define F(n) static int f##n(int x) { int s = 0; for (int i = 0; i < x; i++) s += i * n; return s; }\nF(1) F(2) F(3) F(4)\nint main(int c, char **v) { return f1(c) + f2(c) + f3(c) + f4(c) + v[0][0]; }\n' >source.c
# The demo with less to do.
sed 's/N = 256/N = 64/; s/KEYS = 120000/KEYS = 4000/; s/ASKS = 240000/ASKS = 8000/' "$top_srcdir/doc/examples/demo/demo.c" >demo.c
"$CC" -g -O1 -o demo demo.c && "$CC" -g -O1 -pthread -o threads threads.c || bail 'cannot compile'
! command -v "${CXX:-g++}" >/dev/null || "${CXX:-g++}" -g -O1 -o words words.cc || bail 'cannot compile C++'
cc1=$("$CC" -print-prog-name=cc1 2>/dev/null) || cc1=cc1

calls=
"$QUERN" run -q --calls=paths --out-file=try true 2>/dev/null && calls=--calls=paths
# record NAME COMMAND...: a profile, and its page; what it took is asked below.
record() {
    name=$1
    shift
    "$QUERN" run -q $calls --data=yes --branch-sim=yes --analysis=3c,culprits --interval=auto --interval-file=$name.csv --out-file=$name.p "$@" >/dev/null &&
        "$QUERN" page --intervals=$name.csv --culprits=$name.p.culprits.csv -o $name.html $name.p
}
# In the order of the sums of their rows, which numbers all have: what the browser has, and what csv says.
compare() {
    name=$1
    open_page $name.html functions
    is "$(js 'return document.querySelectorAll("#by-function tbody tr").length > 10')" true "$name: it opens"
    js "return model.functions.map(f => f.name + ' ' + f.counts.join(' ')).join('\\n')" | LC_ALL=C sort >got
    "$QUERN" csv --metadata=no --crlf=no --by=function -o functions.csv $name.p
    python3 -c 'import csv, sys
rows = list(csv.reader(open("functions.csv", newline="")))
last = rows[0].index("AN.conflict") + 1
for row in rows[1:]: print(row[3], *row[4:last])' | LC_ALL=C sort >wanted
    ok "$name: all functions are there" test "$(js 'return model.profile.left.functions + model.functions.length')" -eq "$(wc -l <wanted)"
    is "$(LC_ALL=C comm -23 got wanted | head)" '' "$name: each event of each function is that of quern csv"
    is "$(js 'return model.columns.filter(c => c.total && c.name !== "cost").map(c => c.total()).join()')" \
        "$("$QUERN" csv --metadata=no --crlf=no --by=program $name.p | python3 -c 'import csv, sys
head, row = list(csv.reader(sys.stdin))
print(",".join(row[1:head.index("AN.conflict") + 1]))')" "$name: and those of the whole run"
    is "$(js 'return model.dataColumns.filter(c => model.dataEvents.includes(c.name)).map(c => c.total()).join(" ")')" \
        "$(awk '/^#miss: / { for (i = 5; i <= NF; i++) s[i] += $i; n = NF } END { for (i = 5; i <= n; i++) printf "%s%s", s[i], i < n ? " " : "\n" }' $name.p)" "$name: misses on objects are those of the profile"
    # Every view, with whatever is first in it.
    js 'const shown = [];
for (const name of order()) { history.replaceState(null, "", makeHash(name)); show(); shown.push(document.querySelectorAll("main > *").length > 0); }
for (const file of model.files.slice(0, 6)) { history.replaceState(null, "", makeHash("source", { file: file.name, line: [...file.byLine.keys()].find(n => n) })); show(); }
for (const o of model.objects.slice(0, 6)) { history.replaceState(null, "", makeHash("data", { object: o.id })); show(); }
for (const f of model.calls ? model.calls.functions.slice(0, 6) : []) { history.replaceState(null, "", makeHash("calls", { function: f.id })); show(); }
return shown.every(x => x)' >shown
    is "$(cat shown)" true "$name: every view shows something"
    ok "$name: at most 3 MB" test "$(wc -c <$name.html)" -le 3000000
    is "$(browser_messages)" '' "$name: no error"
    is "$(page_asked)" "file://$SCRATCH/$name.html" "$name: nothing is asked for"
}

browser_start
browser_size 1280 1000
for name in demo sqlite3 cc1 threads words; do
    case $name in
    sqlite3) set -- sqlite3 -init /dev/null -batch :memory: '.read data.sql' ;;
    cc1) set -- $cc1 -quiet -fsyntax-only source.c -o /dev/null ;;
    *) set -- ./$name ;;
    esac
    if ! command -v "$1" >/dev/null; then
        skip "$1 is not installed" 9
        continue
    fi
    record $name "$@" || bail "no page of $name"
    compare $name
done
done_testing
