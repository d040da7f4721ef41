#!/bin/sh
# Do the command lines of those that call `valgrind` from scripts work with the one of quern's folder: iai's, iai-callgrind's and gungraun's
# with either tool, SQLite's speed-check.sh; what they read of it is what Valgrind's has.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
real=$(command -v valgrind)
cd "$SCRATCH" || bail "no $SCRATCH"
unset VALGRIND_OPTS
mkdir own theirs mine
ln -s "$QUERN" own/valgrind

cat >bench.c <<'END'
#include <stdio.h>
#include <string.h>
static volatile long a[4096];
__attribute__((noinline)) static void fibonacci(int n) { int i; a[0] = a[1] = 1; for (i = 2; i < n; i++) a[i % 4096] = a[(i - 1) % 4096] + a[(i - 2) % 4096]; }
int main(int argc, char **argv)
{
    int n = 1000, i;

    for (i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--iai-run"))
            n = 5000;
    fibonacci(n);
    puts("done");
    return 0;
}
END
$CC -g -O1 -o bench bench.c || bail 'cannot compile'

# both WORDS...: in a folder each, with the same words
both() {
    (cd mine && PATH=$SCRATCH/own:$PATH "$@" >out 2>err; echo $? >status)
    [ -z "$real" ] || (cd theirs && "$@" >out 2>err; echo $? >status)
}
# counts FILE: events; Ir, Dr, Dw of each line of the two functions of the program (what misses depends on the dynamic linker, which asks
# about the processor)
counts() { awk '/^events/ { sub(/ *$/, ""); print } /^fn=/ { ours = $0 == "fn=fibonacci" || $0 == "fn=main" } ours && /^[0-9]/ { print $1, $2, $5, $8 }' "$1"; }

# ---- iai: setarch -R valgrind --tool=cachegrind --I1=... --cachegrind-out-file=F BENCH --iai-run N ----

both setarch "$(uname -m)" -R valgrind --tool=cachegrind --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 --cachegrind-out-file=cachegrind.out.fib ../bench --iai-run 0
is "$(cat mine/status) $(cat mine/out)" '0 done' 'iai: runs'
# what iai reads: the events line and the summary line, by name
read_iai() { awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print ("Ir" in at), ("I1mr" in at), ("ILmr" in at), ("Dr" in at), ("D1mr" in at), ("DLmr" in at), ("Dw" in at), ("D1mw" in at), ("DLmw" in at) }' "$1"; }
is "$(read_iai mine/cachegrind.out.fib)" '1 1 1 1 1 1 1 1 1' 'iai: reads nine events by their names'
if [ -n "$real" ]; then
    is "$(counts mine/cachegrind.out.fib)" "$(counts theirs/cachegrind.out.fib)" 'iai: the counts of the benchmark are those of Valgrind'
else
    absent 'no Valgrind'
fi

# ---- iai-callgrind and gungraun with --tool=cachegrind ----

both valgrind --tool=cachegrind --cache-sim=yes --branch-sim=no --cachegrind-out-file=g.out --log-file=g.log --verbose --error-exitcode=201 --trace-children=yes --fair-sched=try -- ../bench --iai-run
is "$(cat mine/status) $(cat mine/out)" '0 done' 'gungraun: runs'
is "$(grep -c 'Command: ../bench --iai-run' mine/g.log)" 1 'gungraun: finds the command in the log'
is "$(sed -n 's/^==[0-9]*== \(I *refs\|D *refs\|LL refs\):.*/\1/p' mine/g.log | tr '\n' ,)" "I   refs,D   refs,LL refs," 'gungraun: finds the summary in the log'
if [ -n "$real" ]; then
    is "$(counts mine/g.out)" "$(counts theirs/g.out)" 'gungraun: the counts of the benchmark are those of Valgrind'
else
    absent 'no Valgrind'
fi

# ---- gungraun with its default tool: Callgrind, threads and processes apart, collection in one function only ----

both valgrind --tool=callgrind --verbose --fair-sched=try --trace-children=yes --error-exitcode=201 --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 \
    --cache-sim=yes --compress-strings=no --compress-pos=no --dump-line=yes --dump-instr=no --combine-dumps=no --separate-threads=yes \
    '--toggle-collect=*bonacci' --callgrind-out-file=callgrind.bench.out.#%p --log-file=callgrind.bench.log.#%p ../bench --iai-run
is "$(cat mine/status) $(cat mine/out)" '0 done' 'gungraun, Callgrind: runs'
# what it knows a file by: process, part and thread
read_head() { sed -n '/^events/q; s/^pid: .*/pid/p; s/^\(part\|thread\): /&/p' "$1" | tr '\n' ' '; }
is "$(cd mine && read_head callgrind.bench.out.#*-01)" 'pid part: 1 thread: 1 ' 'gungraun, Callgrind: process, part and thread'
summary() { sed -n 's/^events: *//p' "$1" | tr ' ' '\n' | sort | tr '\n' ' ' && sed -n 's/^summary: *\([0-9]*\) .*/\1/p' "$1"; } # by name
if [ -n "$real" ]; then
    is "$(cd mine && summary callgrind.bench.out.#*-01)" "$(cd theirs && summary callgrind.bench.out.#*-01)" "gungraun, Callgrind: events and instructions are Valgrind's"
else
    absent 'no Valgrind'
fi
cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
static void *work(void *unused) { return unused; }
int main(void) { pthread_t t; return pthread_create(&t, NULL, work, NULL) || pthread_join(t, NULL); }
END
$CC -g -O1 -pthread -o threads threads.c || bail 'cannot compile'
(cd mine && PATH=$SCRATCH/own:$PATH valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file=several ../threads >out 2>err; echo $? >status)
is "$(cat mine/status) $(ls mine/several*) $(cd mine && read_head several-01) $(grep -c 'all threads are in one profile' mine/err)" '0 mine/several-01 pid part: 1  1' \
    'several threads: one file of all, which a line says'

# ---- SQLite's speed-check.sh: valgrind --tool=cachegrind ./speedtest1 ... 2>&1 | tee -a summary; cg_annotate of cachegrind.out.* ----

(cd mine && PATH=$SCRATCH/own:$PATH && rm -f cachegrind.out.* && valgrind --tool=cachegrind ../bench speedtest1.db --size 5 2>&1 | tee -a summary.txt >/dev/null)
ok 'speed-check: one cachegrind.out.PID' test "$(ls mine/cachegrind.out.* | wc -l)" = 1
is "$(grep -c '^==[0-9]*== I  *refs: *[0-9,]*$' mine/summary.txt)" 1 'speed-check: grep of the instructions'
(cd mine && "$QUERN" annotate --auto=yes --context=40 cachegrind.out.* >cout 2>/dev/null || "$QUERN" annotate --context=40 cachegrind.out.* >cout)
ok 'speed-check: annotated with its sources' grep -q 'static void fibonacci' mine/cout
if [ -n "$real" ] && command -v cg_annotate >/dev/null; then
    (cd mine && cg_annotate --auto=yes --context=40 cachegrind.out.* >cg 2>cg.err)
    ok "speed-check: Valgrind's cg_annotate reads it, too" grep -q 'static void fibonacci' mine/cg
else
    absent 'no Valgrind'
fi
done_testing
