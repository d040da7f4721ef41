#!/bin/sh
# Is the chain of inlined calls of each executed instruction the one that addr2line -i prints?  C, C++, Rust, link-time
# optimisation, split DWARF, several versions of DWARF.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'

cat >inl.h <<'END'
static inline __attribute__((always_inline)) int leaf(volatile int *a, int i)
{
    return a[(i * 97) & 1023] + 1;
}
END
cat >one.c <<'END'
#include "inl.h"
int other(volatile int *a, int n);
static volatile int a[1024];
static inline __attribute__((always_inline)) int middle(int i)
{
    int s = 0;
    for (int k = 0; k < 10; k++)
        s += leaf(a, i + k);
    return s;
}
int main(void)
{
    int s = 0;
    for (int i = 0; i < 100; i++)
        s += middle(i) + middle(i + 1) + leaf(a, i);
    return (s + other(a, 7)) == 1;
}
END
cat >two.c <<'END'
#include "inl.h"
static inline int twice(volatile int *a, int n)
{
    return leaf(a, n) + leaf(a, n + 1);
}
int other(volatile int *a, int n)
{
    if (n > 50)
        return 0;
    return twice(a, n) + twice(a, n + 2);
}
END
cat >cpp.cc <<'END'
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>
namespace shop {
struct item {
    int price;
    std::string name;
    bool operator<(const item &o) const { return price < o.price; }
};
}
int main(int argc, char **)
{
    std::vector<shop::item> v;
    std::map<std::string, int> m;
    for (int i = 0; i < 200; i++) {
        v.push_back({(i * 7919) % 211, std::to_string(i)});
        m[v.back().name] += i;
    }
    std::sort(v.begin(), v.end());
    auto sum = std::accumulate(v.begin(), v.end(), 0, [](int s, const shop::item &x) { return s + x.price; });
    return sum == argc || m.size() == 7;
}
END

cat >rust.rs <<'END'
use std::collections::HashMap;
#[derive(Clone, PartialEq, PartialOrd)]
struct P { x: f64, n: String }
fn main() {
    let mut v: Vec<P> = (0..200).map(|i| P { x: ((i * 7919) % 211) as f64, n: format!("{}", i) }).collect();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut m: HashMap<String, f64> = HashMap::new();
    for p in v.iter() { *m.entry(p.n.clone()).or_insert(0.0) += p.x; }
    let s: f64 = v.iter().filter(|p| p.x > 3.0).map(|p| p.x).sum();
    println!("{} {}", s, m.len());
}
END

# told PROGRAM: "ADDRESS CHAIN" of each instruction of the program in the profile `out`; functions and the lines of calls, innermost first.
told() {
    awk -v object="$(pwd -P)/$1" '/^#ob=/ { mine = substr($0, 5) == object }
        /^fn=/ { name = substr($0, 4) }
        /^[0-9]/ { line = $1 }
        mine && /^#0x/ {
            chain = name ":" line
            if (match(name, / \(inlined in /)) {
                head = substr(name, 1, RSTART - 1); rest = substr(name, RSTART + RLENGTH); chain = head ":" line
                sub(/\)$/, "", rest)
                n = split(rest, part, /, in /)
                for (i = 1; i <= n; i++) {
                    at = match(part[i], / at [^ ]*:[0-9]+$/)
                    where = at ? substr(part[i], RSTART) : 0; sub(/.*:/, "", where)
                    chain = chain " < " (at ? substr(part[i], 1, at - 1) : part[i]) ":" where
                }
            }
            print substr($1, 2), chain
        }' out | sort -u
}

# asked PROGRAM: the same by addr2line, of the addresses that are read.
asked() {
    addr2line -a -i -f -C -e "$1" | awk '
        function flush() { if (address) print address, chain }
        /^0x[0-9a-f]*$/ { flush(); sub(/^0x0*/, "0x"); address = $0; chain = ""; next }
        name == "" { name = $0; next }
        { sub(/ \(discriminator [0-9]*\)$/, ""); sub(/.*:/, ""); chain = chain (chain == "" ? "" : " < ") name ":" ($0 == "?" ? 0 : $0); name = "" }
        END { flush() }' | sort -u
}

run() { "$QUERN" run -q --cache-sim=no --inline=chains --dump-instr=yes --out-file=out "./$1" >/dev/null 2>err; }

# compare PROGRAM WHAT: of all that has debug information.
compare() {
    run "$1"
    told "$1" >all
    cut -d' ' -f1 all | asked "$1" | grep -v ':0$' >wanted
    grep -F ' < ' wanted >some
    ok "$2: some of its instructions were inlined" test "$(wc -l <some)" -gt 5
    awk '# Frames are equal in line and name.  addr2line leaves out the scope of what has no linkage name, and calls a lambda as its function.
        function same(got, wanted) {
            sub(/ \[clone [^]]*\]/, "", got)
            if (got == wanted) return 1
            if (substr(got, length(got) - length(wanted) - 1) == "::" wanted) return 1
            return wanted ~ /^main:/ && got ~ /(operator\(\)|lambda\(.*):[0-9]+$/ && last(got) == last(wanted)
        }
        function last(text) { sub(/.*:/, "", text); return text }
        function rest(line) { sub(/^[^ ]* /, "", line); return line }
        function equal(a, b,    n, i, x, y) {
            n = split(rest(a), x, " < ")
            if (split(rest(b), y, " < ") != n) return 0
            for (i = 1; i <= n; i++) if (!same(x[i], y[i])) return 0
            return 1
        }
        NR == FNR { chain[$1] = $0; next }
        !equal(chain[$1], $0) { if (++n <= 10) { print "# addr2line: " $0; print "# quern:     " chain[$1] } }
        ' all wanted >diff
    cat diff
    ok "$2: each chain is what addr2line -i says" test ! -s diff
}

# compare_split PROGRAM SPLIT SOURCE...: the same code with its debug information in files of its own, which addr2line does not read.
compare_split() {
    run "$1" && told "$1" | cut -d' ' -f2- | sort >plain.chains
    program=$1 split=$2
    shift 2
    case $1 in *.cc) g++ -g -O2 -gsplit-dwarf -o "$split" "$@" ;; *) "$CC" -g -O2 -gsplit-dwarf -o "$split" "$@" ;; esac
    run "$split" && told "$split" | cut -d' ' -f2- | sort >split.chains
    same_file split.chains plain.chains "split DWARF: the chains of $program"
}

command -v addr2line >/dev/null || absent_all 'no addr2line' 24
for version in 3 4 5; do
    "$CC" -gdwarf-$version -O2 -o c$version one.c two.c && compare c$version "C, DWARF $version"
done
"$CC" -g -O2 -flto -o lto one.c two.c 2>err && compare lto 'link-time optimisation'
"$CC" -g -O2 -o plain one.c two.c && compare plain C
compare_split plain split one.c two.c
if command -v clang >/dev/null && clang -g -O2 -o clanged one.c two.c; then
    gcc=$CC CC=clang
    compare_split clanged clangsplit one.c two.c
    CC=$gcc
else
    absent 'clang is not installed'
fi
if command -v g++ >/dev/null; then
    g++ -g -O2 -o cpp cpp.cc && compare cpp 'C++'
    compare_split cpp cppsplit cpp.cc
else
    absent 'g++ is not installed' 3
fi
if command -v rustc >/dev/null && rustc -g -O -o rust rust.rs 2>err; then
    compare rust Rust
else
    absent 'no Rust compiler' 2
fi

# annotate: the function table names what was inlined and where its code is, --by=inline all calls between.
run plain && "$QUERN" annotate --by=function --show=Ir out >table
ok 'annotate, functions: without the calls between' grep -q ' leaf (inlined in main)$' table
ok '... none of them' sh -c '! grep -q " at .*:[0-9]*)" table'
"$QUERN" annotate --by=inline --show=Ir out >table
ok 'annotate --by=inline: a line with its chain' grep -q "$(pwd -P)/inl.h:3 leaf (inlined in middle at $(pwd -P)/one.c:8, in main at $(pwd -P)/one.c:[0-9]*)\$" table
"$QUERN" run -q --cache-sim=no --out-file=without ./plain
is "$("$QUERN" csv --by=line --show=Ir out | awk -F, '{ n += $NF } END { print n }')" \
    "$("$QUERN" csv --by=line --show=Ir without | awk -F, '{ n += $NF } END { print n }')" 'counts by line add up to the same'
is "$("$QUERN" annotate --by=line --show=Ir --threshold=0 out | grep 'inl.h\|one.c\|two.c')" \
    "$("$QUERN" annotate --by=line --show=Ir --threshold=0 without | grep 'inl.h\|one.c\|two.c')" '... and are the same, line by line'
"$QUERN" run -q --cache-sim=no --inline=maybe ./plain 2>err
is $? 2 'a wrong value is wrong usage'
ok '... and named' grep -q "inline: got 'maybe', wanted no, yes or chains" err
done_testing
