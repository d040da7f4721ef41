#!/bin/sh
# Tables of calls behind a profile's summary: what merge and diff make of them, what is refused, and what `quern convert` makes of
# the calls in Callgrind's files, against callgrind_annotate.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# ---- by hand ----

# profile NUMBER...: the lines of a profile, with calls of main and f; its counts times the number.
cat >head <<'END'
cmd: ./demo
events: Ir D1mr
fl=/src/demo.c
fn=main
17 300 4
fn=f
3 600 8
summary: 900 12
END
tab=$(printf '\t')
cat >tables <<END
#calls: 3 3 3
#call-events: Ir D1mr
#ob: /src/demo
#fn: /src/demo.c${tab}main
#inclusive: 1 900 12
#fn: /src/demo.c${tab}f
#inclusive: 3 600 8
#ob: ???
#fn: ???${tab}g
#inclusive: 0 0 0
#edge: 0 17 1 2 400 6
#call-file: /src/demo.h
#edge: 0 4 1 1 200 2
#call-file: /src/demo.c
#edge: 1 4 2 0 0 0
#node: -1 0 1 300 4
#node: 0 1 3 600 8
#node: -1 2 0 0 0
#calls-lost: edges beyond 3 7
END
cat head tables >p
"$QUERN" merge p >out
sed -n '/^#calls/,$p' out >got
same_file got tables 'what was read is written again'
"$QUERN" merge p p | sed -n '/^#calls/,$p' >got
cat >wanted <<END
#calls: 3 3 3
#call-events: Ir D1mr
#ob: /src/demo
#fn: /src/demo.c${tab}main
#inclusive: 2 1800 24
#fn: /src/demo.c${tab}f
#inclusive: 6 1200 16
#ob: ???
#fn: ???${tab}g
#inclusive: 0 0 0
#edge: 0 17 1 4 800 12
#call-file: /src/demo.h
#edge: 0 4 1 2 400 4
#call-file: /src/demo.c
#edge: 1 4 2 0 0 0
#node: -1 0 2 600 8
#node: 0 1 6 1200 16
#node: -1 2 0 0 0
#calls-lost: edges beyond 3 14
END
same_file got wanted 'a sum of two has twice the counts'

# The same functions in another order, and a path more.
sed 's/^summary: 900 12/summary: 900 12/' head >q
cat >>q <<END
#calls: 2 1 3
#call-events: Ir D1mr
#ob: /src/demo
#fn: /src/demo.c${tab}f
#inclusive: 1 100 1
#fn: /src/demo.c${tab}main
#inclusive: 1 900 12
#edge: 1 17 0 1 100 1
#node: -1 1 1 800 11
#node: 0 0 1 60 1
#node: 1 1 0 40 0
END
"$QUERN" diff p q | sed -n '/^#edge/p; /^#node/p; /^#inclusive/p; /^#calls-/p' >got
cat >wanted <<END
#inclusive: 0 0 0
#inclusive: -2 -500 -7
#inclusive: 0 0 0
#edge: 0 17 1 -1 -300 -5
#edge: 0 4 1 -1 -200 -2
#edge: 1 4 2 0 0 0
#node: -1 0 0 500 7
#node: 0 1 -2 -540 -7
#node: -1 2 0 0 0
#node: 1 0 0 40 0
#calls-lost: edges beyond 3 -7
END
same_file got wanted 'a difference: functions are found by object, file and name, nodes by their paths'
for command in merge diff; do
    "$QUERN" $command p q | grep -v '^desc' >wanted
    cat p | "$QUERN" $command - q 2>err | grep -v '^desc' >got
    same_file got wanted "$command: from standard input"
    is "$(cat err)" '' 'without a word'
done
"$QUERN" diff p - <q | grep -v '^desc' >got
same_file got wanted 'the second, a file'
# A pipe by name, which cannot be read twice either.
mkfifo pipe || bail 'no pipe'
for command in merge 'diff' 'csv --by=inclusive'; do
    case $command in csv*) rest= ;; *) rest=q ;; esac
    # shellcheck disable=SC2086 # options, and one file or none
    "$QUERN" $command p $rest | grep -v '^desc' >wanted
    cat p >pipe &
    # shellcheck disable=SC2086
    "$QUERN" $command pipe $rest 2>err | grep -v '^desc' | sed 's/pipe/p/g' >got
    wait
    same_file got wanted "$command: calls of a named pipe"
done
for command in 'csv --by=call --crlf=no' 'annotate --by=calls'; do
    "$QUERN" $command p | sed 's/^p,/-,/; /^Invocation/d' >wanted
    cat p | "$QUERN" $command - 2>err | sed '/^Invocation/d' >got
    same_file got wanted "$command: from standard input"
    is "$(cat err) $(grep -c demo.c got | sed 's/[1-9].*/some/')" ' some' 'all of them'
done
"$QUERN" diff p q >d
"$QUERN" merge d d | sed -n '/^#edge/p' | head -n 1 >got
is "$(cat got)" '#edge: 0 17 1 -2 -600 -10' 'differences can be read'

"$QUERN" merge --mod-funcname='s/^(main|f)$/both/' --mod-filename='s/demo.h/demo.c/' p | sed -n '/^#fn/p; /^#inclusive/p; /^#edge/p; /^#call-file/p' >got
cat >wanted <<END
#fn: /src/demo.c${tab}both
#inclusive: 4 1500 20
#fn: ???${tab}g
#inclusive: 0 0 0
#edge: 0 17 0 2 400 6
#edge: 0 4 0 1 200 2
#edge: 0 4 1 0 0 0
END
same_file got wanted 'names that are changed are those of calls, too'

# ---- what not all have ----

"$QUERN" merge p head >out 2>err
is "$? $(cat err)" '0 quern merge: warning: calls are left out: head has none' 'calls of some are left out'
ok 'and nothing of them is there' sh -c '! grep -q "^#" out'
sed 's/^#calls: 3 3 3/#calls: 3 3 0/; /^#node/d' p >no-nodes
"$QUERN" diff p no-nodes >out 2>err
is "$? $(cat err)" '0 quern diff: warning: paths of calls are left out: no-nodes has none' 'paths of some are left out'
is "$(grep -c '^#edge' out) $(grep -c '^#node' out)" '3 0' 'and edges stay'
sed 's/^#call-events: Ir D1mr/#call-events: Ir Dr/' p >other
"$QUERN" merge p other >out 2>err
is "$? $(cat err)" '1 quern merge: other: events of calls don'\''t match those of the profiles before' 'other events'
sed 's/^#edge: 0 17 1 2 400 6/#edge: 0 17 1 9223372036854775807 400 6/' p >large
"$QUERN" merge p large >out 2>err
is "$? $(cat err)" '1 quern merge: large: a sum of calls does not fit in 64 bits' 'a sum that is too large'

sed 's/^cmd/desc: Regions:          solve\ncmd/' p >regions
printf '#regions: 1\n#region: solve\n#fl=/src/demo.c\n#fn=main\n#17 3 0\n#summary: 3 0\n' >>regions
"$QUERN" merge --region=solve regions >out 2>err
is "$? $(cat err) $(sed -n 's/^summary: //p' out) $(grep -c '^#edge' out)" '0 quern merge: warning: calls are left out: those of regions are not told apart by region 3 0 0' 'of a region'
"$QUERN" annotate --by=calls --region=solve regions >out 2>err
is "$? $(cat err)" '1 quern annotate: error: regions: calls are not told apart by region' 'annotate of a region'
"$QUERN" convert --to=callgrind regions >out 2>err
is "$? $(grep -c '^calls' out)" '0 2' 'the whole of it has calls'

# ---- damage ----

# refused WHAT MESSAGE SED: status 1, one line, no output.
refused() {
    sed "$3" p >bad
    rm -f none
    "$QUERN" merge -o none bad >out 2>err
    is "$? $(cat err)" "1 quern merge: $2" "$1"
    ok "$1: nothing is written" test ! -e none
}

# cut_off MESSAGE: all who only read what stands before the calls say that these are not whole
cut_off() {
    for command in annotate 'annotate --style=classic' csv 'plot top'; do
        # shellcheck disable=SC2086 # a command and its options
        "$QUERN" $command bad >out 2>err
        is "$? $(sed 's/^quern [a-z]*: \(error: \)*//; q' err)" "1 $1" "$command: $1"
    done
}
grep -n '#edge' p | tail -1 | cut -d: -f1 >last
head -n $(($(cat last) - 1)) p >bad
cut_off "bad:$(($(cat last) - 1)): the tables of calls are not whole, got 2 edges, wanted 3"
head -n "$(cat last)" p | head -c -3 >bad
cut_off "bad:$(cat last): the tables of calls are not whole, got 2 edges, wanted 3"
refused 'a head without numbers' 'bad:9: malformed head of the calls, got `#calls: 3`, wanted `#calls: FUNCTIONS EDGES NODES`' 's/^#calls: .*/#calls: 3/'
refused 'less functions' 'bad:27: the tables of calls are not whole, got 3 functions, wanted 4' 's/^#calls: 3/#calls: 4/'
refused 'less edges' 'bad:27: the tables of calls are not whole, got 3 edges, wanted 900000000' 's/^#calls: 3 3/#calls: 3 900000000/'
refused 'more nodes' 'bad:27: the tables of calls are not whole, got 3 nodes, wanted 2' 's/^#calls: 3 3 3/#calls: 3 3 2/'
refused 'no events' 'bad:10: calls without their events, got `ob: /src/demo`, wanted `#call-events:` first' '/^#call-events/d'
refused 'events twice' 'bad:11: `#call-events:` again, got `Ir`, wanted it once' 's/^#ob: .src.*/#call-events: Ir/'
refused 'a function without a file' 'bad:12: malformed function, got `main`, wanted FILE, a tab, NAME' "s/^#fn: .*${tab}main/#fn: main/"
refused 'a function without its cost' 'bad:13: a function without its inclusive cost, got `fn: /src/demo.c\tf`, wanted `#inclusive:` behind `#fn:`' '/^#inclusive: 1/d'
refused 'a cost of no function' 'bad:12: an inclusive cost of no function, got `1 900 12`, wanted `#fn:` before it' '12d; s,^#calls: 3,#calls: 2,'
refused 'too few counts' 'bad:13: malformed counts, got `1 900`, wanted a number for each of `#call-events:`' 's/^#inclusive: 1 900 12/#inclusive: 1 900/'
refused 'too many counts' 'bad:19: malformed counts, got `0 17 1 2 400 6 1`, wanted a number for each of `#call-events:`' 's/^#edge: 0 17.*/& 1/'
refused 'no number' 'bad:13: malformed counts, got `1 9x0 12`, wanted a number for each of `#call-events:`' 's/^#inclusive: 1 900/#inclusive: 1 9x0/'
refused 'a count beyond 64 bits' 'bad:13: malformed counts, got `1 9223372036854775808 12`, wanted a number for each of `#call-events:`' 's/^#inclusive: 1 900/#inclusive: 1 9223372036854775808/'
refused 'a caller that is none' 'bad:19: malformed edge, got `3 17 1 2 400 6`, wanted CALLER LINE CALLEE CALLS COUNTS, functions by number' 's/^#edge: 0 17/#edge: 3 17/'
refused 'a line beyond 32 bits' 'bad:19: malformed edge, got `0 4294967296 1 2 400 6`, wanted CALLER LINE CALLEE CALLS COUNTS, functions by number' 's/^#edge: 0 17/#edge: 0 4294967296/'
refused 'a parent that comes later' 'bad:24: malformed node, got `0 0 1 300 4`, wanted PARENT FUNCTION CALLS COUNTS, the parent before it' 's/^#node: -1 0/#node: 0 0/'
refused 'a node of no function' 'bad:25: malformed node, got `0 -1 3 600 8`, wanted PARENT FUNCTION CALLS COUNTS, the parent before it' 's/^#node: 0 1/#node: 0 -1/'
refused 'lost without a number' 'bad:27: malformed number of what was lost, got `edges`, wanted WHAT N' 's/^#calls-lost.*/#calls-lost: edges/'
refused 'text behind' 'bad:20: text after the summary, got `hello`, wanted the end of the file' 's/^#call-file: .src.demo.h/hello/'
head -n 12 p >short
"$QUERN" merge short >out 2>err
is "$? $(cat err)" '1 quern merge: short:12: the tables of calls are not whole, got 1 functions, wanted 3' 'a file that is cut short'
printf '#calls: 1 0 0\n#call-events: Ir\n#fn: a\0b\n' | cat head - >nul
"$QUERN" merge nul >out 2>err
is "$? $(cat err)" '1 quern merge: nul:11: malformed line, got `#fn: a`, wanted text without NUL bytes' 'a NUL byte'

# ---- to Callgrind's format ----

cat >rows <<'END'
desc: I1 cache: 32768 B
cmd: ./demo
events: Ir D1mr
fl=/src/demo.c
fn=main
17 250 4
fn=f
3 600 8
fl=/src/demo.h
fn=leaf (inlined in mid at /src/demo.c:9, in main at /src/demo.c:20)
4 50 0
fn=main
4 0 1
fn=alone
9 2 0
fl=/src/z.h
fn=alone
1 7 0
summary: 909 13
END
cat rows tables >r
"$QUERN" convert --to=callgrind r | sed '/^creator/d' >got
cat >wanted <<'END'
# callgrind format
version: 1
cmd: ./demo
part: 1

desc: I1 cache: 32768 B

positions: line
events: Ir D1mr
summary: 909 13

ob=(1) /src/demo
fl=(1) /src/demo.c
fn=(1) main
17 250 4
cfi=(1)
cfn=(2) f
calls=2 3
17 400 6
fi=(2) /src/demo.h
4 50 0
4 0 1
cfi=(1)
cfn=(2)
calls=1 3
4 200 2

ob=(1)
fl=(1)
fn=(2)
3 600 8

ob=(2) ???
fl=(3) /src/z.h
fn=(3) alone
1 7 0
fi=(2)
9 2 0

totals: 909 13
END
same_file got wanted 'one function whatever files its lines come from; what is inlined is its own; a call in another file'
is "$("$QUERN" convert --to=callgrind head | sed -n '/^fn/p; /^totals/p')" 'fn=(1) f
fn=(2) main
totals: 900 12' 'a profile without calls'
"$QUERN" convert --to=callgrind - <r >out 2>err
"$QUERN" convert --to=callgrind r >wanted
is "$? $(cat err) $(cmp out wanted)" '0  ' 'from standard input, too'
"$QUERN" convert --to=callgrind -o none bad >out 2>err
is "$? $(ls none 2>err2)" '1 ' 'of a damaged profile nothing is written'

# ---- Callgrind ----

if ! command -v callgrind_annotate >where; then
    absent 'valgrind is not installed' 33
    done_testing
fi

# of_annotate: of callgrind_annotate's tree: INCLUSIVE CALLED function; COUNTS CALLS caller callee. f'2 is f: costs of f itself are those of f
# without the mark, and edges of both are added. (A file in the folder it is called in, it has under two names: the larger of the costs.)
of_annotate() {
    awk '{ gsub(",", "", $1) }
        function name(text) { sub(/ .*/, "", text); sub(/.*:/, "", text); sub(/\047[0-9]+$/, "", text); return text }
        function times(text) { gsub(/[(),x]/, "", text); return text + 0 }
        $2 == "<" { from[++callers] = name($3); cost[callers] = $1; calls[callers] = times($4) }
        $2 == "*" { me = name($3); seen[me] = 1; if ($3 !~ /\047[0-9]+$/ && $1 > inclusive[me]) inclusive[me] = $1
            for (i = 1; i <= callers; i++) { sum[from[i] " " me] += cost[i]; n[from[i] " " me] += calls[i] }
            callers = 0 }
        END { for (f in seen) print "fn", f, inclusive[f]; for (e in sum) print "edge", e, n[e], sum[e] }' | LC_ALL=C sort
}
of_tables() {
    awk -F '[ \t]' '$1 == "#fn:" { fn[++fns] = $NF } $1 == "#inclusive:" { print "fn", fn[fns], $3 }
        $1 == "#edge:" { e = fn[$2 + 1] " " fn[$4 + 1]; n[e] += $5; sum[e] += $6 }
        END { for (e in sum) print "edge", e, n[e], sum[e] }' | LC_ALL=C sort
}
# lines KIND FILE: those of a whole guest program; of one with libc its own functions'.
lines() {
    [ $guest = mutual ] && grep -E "^$1 (main|fib|even|odd) " "$2" || grep "^$1 " "$2"
}
cat >mutual.c <<'END'
int even(unsigned n);
int odd(unsigned n) { return n && even(n - 1); }
int even(unsigned n) { return !n || odd(n - 1); }
int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(9) + even(20) + even(7) + odd(3) == 7; }
END
"$CC" -g -O0 -static -o mutual mutual.c 2>log || bail "cc: $(cat log)"
for guest in recursion sort calls mutual; do
    program=$top_builddir/tests/guest/$guest
    [ $guest != mutual ] || program=./mutual
    valgrind -q --tool=callgrind --collect-jumps=yes --callgrind-out-file=cg.$guest "$program" >log 2>&1
    [ -s cg.$guest ] || bail "callgrind: $(cat log)"
    # callgrind_annotate takes the lines of a header for functions of their own: no file has any of them here but guest.h.
    callgrind_annotate --inclusive=yes --tree=caller --threshold=100 --show-percs=no --auto=no cg.$guest 2>log | grep -v 'guest\.h:\(fill\|run_at_random\)' | of_annotate >annotated
    "$QUERN" convert -o p.$guest cg.$guest || bail 'no profile'
    of_tables <p.$guest >tables
    lines fn annotated >wanted; lines fn tables >got
    same_file got wanted "$guest: inclusive costs are callgrind_annotate's"
    lines edge annotated >wanted; lines edge tables >got
    same_file got wanted "$guest: edges are callgrind_annotate's"
    ok "$guest: there are some" test -s got

    # And back: callgrind_annotate reads what quern writes.
    "$QUERN" convert --to=callgrind -o back.$guest p.$guest || bail 'nothing written'
    callgrind_annotate --inclusive=yes --tree=caller --threshold=100 --show-percs=no --auto=no back.$guest 2>complaints | grep -v 'guest\.h:\(fill\|run_at_random\)' | of_annotate >annotated
    is "$(cat complaints)" '' "$guest: callgrind_annotate reads what is written without a word"
    lines edge annotated >got; lines edge tables >wanted
    same_file got wanted "$guest: and shows these edges"
    [ $guest != calls ] || { grep '^fn' annotated >got; grep '^fn' tables >wanted; same_file got wanted "$guest: and these inclusive costs"; }
    is "$(grep '^totals' back.$guest)" "$(sed -n 's/^totals: */totals: /p' cg.$guest)" "$guest: and these totals"
    "$QUERN" convert back.$guest | sed '/^#calls/,$d' >rows
    sed '/^#calls/,$d' p.$guest >wanted
    same_file rows wanted "$guest: rows come back as they were"
    "$QUERN" convert back.$guest | of_tables | grep '^edge' >got
    grep '^edge' tables >wanted
    same_file got wanted "$guest: and so do edges"
done
done_testing
