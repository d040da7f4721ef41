#!/bin/sh
# `quern valgrind --tool=callgrind`: the counts, calls and inclusive costs that Callgrind 3.19 writes, its options, what is refused, and requests
# of callgrind.h.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
guests=$top_builddir/tests/guest
HOME=$SCRATCH
export HOME
unset VALGRIND_OPTS
caches='--cache-sim=yes --I1=1024,2,64 --D1=2048,2,32 --LL=16384,4,64'

# callgrind NAME WORDS...: the file that quern writes
callgrind() {
    "$QUERN" valgrind --tool=callgrind -q --callgrind-out-file="$@"
}

# ---- options ----

"$QUERN" valgrind --tool=callgrind -q "$guests/calls" 2>err
is "$? $(cat err) $(ls callgrind.out.* | sed 's/[0-9]*$/PID/')" '0  callgrind.out.PID' 'the usual name'
is "$(sed -n 's/^events: //p' callgrind.out.*)" 'Ir' 'caches are simulated only if that is asked for'
whole=$(sed -n 's/^totals: //p' callgrind.out.*)
callgrind b --branch-sim=yes "$guests/calls"
is "$(sed -n 's/^events: //p' b)" 'Ir Bc Bcm Bi Bim' 'branches'
callgrind c --D1=2048,2,32 "$guests/calls"
is "$(sed -n 's/^events: //p' c | wc -w)" 9 'a cache that is named is simulated'
callgrind d --D1=2048,2,32 --cache-sim=no "$guests/calls"
is "$(sed -n 's/^events: //p; s/^totals: //p' d | tr '\n' ' ')" "Ir $whole " 'unless that is taken back'
callgrind e --compress-strings=no --compress-pos=no --combine-dumps=yes --separate-recs=3 --skip-plt=no --dump-line=yes --dump-instr=no --collect-jumps=no \
    --separate-threads=no "$guests/calls"
is "$(sed '/^pid/d' e)" "$(sed '/^pid/d' callgrind.out.*)" 'options that change how a file looks, and such as it has anyway'
is "$(sed -n 's/^pid: //p' callgrind.out.*)" "$(ls callgrind.out.* | sed 's/.*\.//')" 'the process is named'
callgrind old --simulate-cache=yes "$guests/calls"
is "$(sed -n 's/^events: //p' old | wc -w)" 9 'caches, by the name that the option had'
callgrind apart --separate-threads=yes "$guests/calls"
is "$(ls apart*) $(grep -c '^thread: 1$' apart-01)" 'apart-01 1' 'threads apart: the first'
is "$(sed '/^pid/d; /^thread/d' apart-01)" "$(sed '/^pid/d' callgrind.out.*)" '... is all of a program that has one'
callgrind parts --separate-threads=yes --dump-before=run_at_random "$guests/calls"
is "$(ls parts* | head -n 2 | tr '\n' ' ')" 'parts-01 parts.1-01 ' '... and its parts'
callgrind f --instr-atstart=no "$guests/calls" 2>err
is "$(sed -n 's/^totals: //p' f)" 0 'not from the start'
callgrind g --toggle-collect=run_at_random "$guests/calls"
callgrind h '--toggle-collect=run_at_*' "$guests/calls"
is "$(sed -n 's/^totals: //p' g)" "$("$QUERN" convert callgrind.out.* | awk '/^#fn/ { f = $NF } /^#inclusive/ && f == "run_at_random" { print $3 }')" 'only in a function: its inclusive cost'
is "$(sed -n 's/^totals: //p' h)" "$(sed -n 's/^totals: //p' g)" 'by a pattern'

# refused TEXT WORDS...
refused() {
    wanted=$1
    shift
    said=$("$QUERN" valgrind --tool=callgrind "$@" "$guests/calls" 2>&1)
    is "$? $said" "1 valgrind: $wanted" "$*"
}
refused 'Unknown option: --cachegrind-out-file=x' --cachegrind-out-file=x
refused "Bad option: --separate-recs=x: got 'x', wanted NUMBER" --separate-recs=x

# ---- requests ----

cat >asks.c <<'END'
#include "valgrind.h"
#ifdef PLAIN
#undef VALGRIND_DO_CLIENT_REQUEST_STMT
#define VALGRIND_DO_CLIENT_REQUEST_STMT(...) (void)0
#endif
enum { DUMP = 'C' << 24 | 'T' << 16, ZERO, TOGGLE };
static volatile int cell;
static __attribute__((noinline)) void work(int n) { while (n-- > 0) cell++; }
int main(int argc, char **argv)
{
    (void)argv;
    work(1000);
    VALGRIND_DO_CLIENT_REQUEST_STMT(TOGGLE, 0, 0, 0, 0, 0);
    work(10);
    VALGRIND_DO_CLIENT_REQUEST_STMT(TOGGLE, 0, 0, 0, 0, 0);
    if (argc > 1) {
        VALGRIND_DO_CLIENT_REQUEST_STMT(ZERO, 0, 0, 0, 0, 0);
        VALGRIND_DO_CLIENT_REQUEST_STMT(DUMP, 0, 0, 0, 0, 0);
    }
    return 0;
}
END
if echo '#include <valgrind/valgrind.h>' | "$CC" -E - >preprocessed 2>&1; then
    sed -i 's/"valgrind.h"/<valgrind\/valgrind.h>/' asks.c
    "$CC" -g -O1 -static -o asks asks.c 2>log || bail "cc: $(cat log)"
    # of_work FILE: what is counted in work()
    of_work() { "$QUERN" convert "$1" | awk '/^fn=/ { mine = $0 == "fn=work" } mine && /^[0-9]/ { n += $2 } END { print n + 0 }'; }
    callgrind j ./asks
    callgrind k --collect-atstart=no ./asks
    callgrind l ./asks parts
    "$CC" -g -O1 -static -DPLAIN -o plain asks.c 2>log || bail "cc: $(cat log)"
    callgrind m ./plain
    ok 'TOGGLE: off, on; from off: on, off' test "$(of_work j)" -gt $((50 * $(of_work k)))
    is "$(($(of_work j) + $(of_work k)))" "$(of_work m)" 'and together they are all'
    is "$(of_work l.1) $(of_work l)" '0 0' 'ZERO, DUMP: tests/unit/run/parts.sh'
else
    absent 'no valgrind.h' 3
fi

# ---- Callgrind ----

if ! valgrind --version 2>/dev/null | grep -q '^valgrind-3\.19\.'; then
    absent 'no Valgrind 3.19' 6
    done_testing
    exit
fi
# Callgrind does not count the block in which a program ends: here three instructions of guest_start's line.
for guest in recursion sort calls; do
    valgrind -q --tool=callgrind $caches --callgrind-out-file=v.$guest "$guests/$guest" >log 2>&1 || bail "callgrind: $(cat log)"
    callgrind q.$guest $caches "$guests/$guest" || bail 'quern'
    for tool in v q; do
        "$QUERN" convert -o $tool.profile $tool.$guest
        "$QUERN" csv --by=line --metadata=no --crlf=no --show=Ir,Dr,Dw,I1mr,D1mr,D1mw,ILmr,DLmr,DLmw $tool.profile | sed '1d; s/^[^,]*,//' | LC_ALL=C sort >$tool.rows
        "$QUERN" csv --by=call --metadata=no --crlf=no --show=Ir,Dr,Dw,I1mr,D1mr,D1mw,ILmr,DLmr,DLmw $tool.profile | sed '1d; s/^[^,]*,//' | LC_ALL=C sort >$tool.calls
    done
    sed 's/\(guest_start,95\),5,/\1,2,/' q.rows >q.less
    same_file q.less v.rows "$guest: nine counts of each line"
    same_file q.calls v.calls "$guest: each call with its line, number and nine inclusive costs"
done
done_testing
