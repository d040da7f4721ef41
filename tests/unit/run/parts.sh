#!/bin/sh
# CALLGRIND_DUMP_STATS and CALLGRIND_ZERO_STATS: are the parts of a run those of Callgrind 3.19, and all parts together the run?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/tap/freestanding.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
HOME=$SCRATCH
export HOME
unset VALGRIND_OPTS
if ! echo '#include <valgrind/callgrind.h>' | "$CC" -E - >preprocessed 2>&1; then
    absent_all 'no callgrind.h' 28
fi

# Without libc: it does the same under Valgrind.  The functions that ask do nothing else.
cat >parts.c <<'END'
#include <valgrind/callgrind.h>
#include "guest.h"
#define FUNCTION __attribute__((noinline, used)) static void
static volatile int cell, table[4096];
FUNCTION work(int n)
{
    while (n-- > 0)
        table[n * 16 & 4095] += cell++;
}
FUNCTION both(int n)
{
    work(n);
    work(n / 2);
}
FUNCTION dump(void)
{
    CALLGRIND_DUMP_STATS;
}
FUNCTION named(void)
{
    CALLGRIND_DUMP_STATS_AT("third");
}
FUNCTION zero(void)
{
#ifdef ZERO
    CALLGRIND_ZERO_STATS;
#endif
}
FUNCTION deep(int n)
{
    work(n);
    dump();
    work(n + 1);
}
FUNCTION run(void)
{
    work(1000);
    dump();
    both(100);
    zero();
    both(50);
    named();
    deep(3);
    work(10);
}
static int guest_main(void)
{
    run();
    return 0;
}
END
"$CC" $freestanding -I"$top_srcdir/tests/guest" -DZERO -o zeroes parts.c 2>log || bail "cc: $(cat log)"
"$CC" $freestanding -I"$top_srcdir/tests/guest" -o parts parts.c 2>log || bail "cc: $(cat log)"
caches='--I1=1024,2,64 --D1=2048,2,32 --LL=16384,4,64'
csv() { "$QUERN" csv --metadata=no --crlf=no --show=Ir,Dr,Dw,I1mr,D1mr,D1mw,ILmr,DLmr,DLmw "$@" | sed '1d; s/^[^,]*,//' | LC_ALL=C sort; }

# ---- Callgrind ----

if valgrind --version 2>/dev/null | grep -q '^valgrind-3\.19\.'; then
    "$QUERN" valgrind --tool=callgrind -q $caches --callgrind-out-file=q ./zeroes 2>err
    is "$? $(cat err)" '0 ' 'a program that divides its run'
    valgrind -q --tool=callgrind $caches --callgrind-out-file=v ./zeroes >log 2>&1 || bail "callgrind: $(cat log)"
    is "$(echo q q.*)" "$(echo v v.* | sed 's/v/q/g')" 'as many files as Callgrind writes'
    # Callgrind counts the block that asks for the next part, and not the block in which a program ends.
    for part in .1 .2 .3 ''; do
        for tool in q v; do
            "$QUERN" convert -o profile.$tool $tool$part
            csv --by=line profile.$tool >rows.$tool
            csv --by=call profile.$tool >calls.$tool
            grep ',named,' rows.$tool >>askers.$tool
            grep -v ',dump,\|,named,\|,zero,\|,guest_start,' rows.$tool >others.$tool
        done
        same_file others.q others.v "part '$part': nine counts of each line"
        same_file calls.q calls.v "part '$part': each call with its line, number and nine inclusive costs"
    done
    for tool in q v; do
        awk -F, '{ for (i = 5; i <= NF; i++) n[$3 " " $4 " " i] += $i } END { for (i in n) print i, n[i] }' askers.$tool | LC_ALL=C sort >sum.$tool
    done
    same_file sum.q sum.v 'the lines that ask, of both parts together'
    is "$(sed -n 's/^desc: Trigger: *//p' q.1 q.2 q.3 q | tr '\n' ';')" 'Client Request;Client Request: third;Client Request;' 'what ended a part'
else
    absent 'no Valgrind 3.19' 12
fi

# ---- together ----

# With --interval a run cannot be divided, so that one profile has all.
for options in '--calls=paths' '--data=yes --analysis=3c' '--branch-sim=yes' '--batch=always' '--batch=never --dump-instr=yes' '--cache-sim=no --calls=yes'; do
    rm -f got got.* whole
    "$QUERN" run -q $caches $options --out-file=got ./parts || bail 'quern'
    "$QUERN" run -q $caches $options --out-file=whole --interval=1000000000 ./parts 2>said || bail 'quern'
    "$QUERN" merge -o merged got.1 got.2 got.3 got 2>err
    is "$? $(cat err)" '0 ' "parts can be added ($options)"
    "$QUERN" merge -o alone whole
    for file in merged alone; do
        for by in line call inclusive data; do
            "$QUERN" csv --by=$by --metadata=no --crlf=no $file 2>log | sed 's/^[^,]*,//'
        done | LC_ALL=C sort >$file.counts
        case $options in *paths) "$QUERN" convert --to=folded $file | LC_ALL=C sort >>$file.counts ;; esac
    done
    same_file merged.counts alone.counts 'together they are the run'
done
ok 'which a line says' grep -q 'not supported with --interval, the profile has all of the run$' said
is "$(grep -c . said)" 1 '... once'
"$QUERN" run --out-file=got ./parts 2>err
is "$(grep -c 'Parts of the run: 3, in files of their own; what follows was counted since\.$' err)" 1 'the summary is that of the last part, and says so'

# ---- processes ----

cat >forks.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
#include <valgrind/callgrind.h>
static volatile int cell;
static __attribute__((noinline)) void work(int n) { while (n-- > 0) cell++; }
int main(void)
{
    pid_t child;

    work(1000);
    CALLGRIND_DUMP_STATS;
    work(100);
    child = fork();
    if (child)
        waitpid(child, 0, 0);
    else
        work(10);
    CALLGRIND_DUMP_STATS;
    work(1);
    return 0;
}
END
"$CC" -O1 -g -o forks forks.c 2>log || bail "cc: $(cat log)"
"$QUERN" run -q --out-file=forked ./forks || bail 'quern'
# writes FILE: how often work() has written to cell
writes() { "$QUERN" csv --by=function --metadata=no --crlf=no --show=Dw "$1" | awk -F, '$(NF - 1) == "work" { print $NF }'; }
for file in forked*; do
    writes "$file"
done | sort -n | tr '\n' ' ' >got
is "$(cat got)" '1 1 100 110 1000 ' 'a new process goes on in the part that its parent was in, and writes parts of its own'
done_testing
