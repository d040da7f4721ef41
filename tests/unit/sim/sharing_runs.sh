#!/bin/sh
# quern run --analysis=sharing: are the lines that threads share those of a model that knows times only and sees the same run, in the table
# beside the profile, in columns by line of source, by object, after SIGKILL, and in a forked process?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >counters.c <<'END_OF_C'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct { volatile long n; char pad[PAD - 8]; } counter[4] __attribute__((aligned(64)));
static volatile long *heap, total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all; /* so that whatever turns they get, each thread does a hundred steps after those of the others */
static int together = 1;

static void *count(void *arg)
{
    long k = (long)arg;

    for (long i = 0; i < 20000; i++) {
        counter[k].n++;
        heap[k]++;
        if (i % 100 == 0) {
            pthread_mutex_lock(&lock);
            total += i;
            pthread_mutex_unlock(&lock);
            if (together)
                pthread_barrier_wait(&all);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[4];

    pthread_barrier_init(&all, NULL, 4);
    heap = aligned_alloc(64, 64);
    for (long k = 0; k < 4; k++)
        pthread_create(&t[k], NULL, count, (void *)k);
    for (long k = 0; k < 4; k++)
        pthread_join(t[k], NULL);
    together = 0;
    if (argc > 1 && !strcmp(argv[1], "kill"))
        kill(getpid(), SIGKILL);
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        pid_t pid = fork();

        count((void *)(pid ? 0l : 1l));
        return pid ? wait(NULL) < 0 : 0;
    }
    return 0;
}
END_OF_C
${CC:-cc} -O1 -g -pthread -DPAD=8 -o together counters.c 2>cc.err || skip_all 'no program with threads can be compiled'
${CC:-cc} -O1 -g -pthread -DPAD=64 -o apart counters.c

# shared NAME OPTIONS... PROGRAM: NAME, NAME.sharing.csv, NAME.said
shared() {
    name=$1
    shift
    rm -f "$name" "$name".*
    "$QUERN" run --analysis=sharing --out-file="$name" "$@" 2>"$name.said" >/dev/null
}
# total EVENT <SAID
total() { sed -n "s/^==[0-9]*== AN\\.$1  *\([0-9,]*\) .*/\1/p" | tr -d ,; }
totals() { for event in true false cold upgrades; do total $event <"$1.said"; done | tr '\n' ' '; }
# sums TABLE: true, false, cold, upgrades by line of memory
sums() {
    awk -F, 'NR > 1 { t[$1] += $13; f[$1] += $14; c[$1] += $15; u[$1] += $16 }
        END { for (a in t) print substr(a, 3), t[a], f[a], c[a], u[a] }' "$1" | sort
}

# Both see the same run.  A line that nobody has written is in no table.
slow=$top_srcdir/tests/unit/sim/slow/sharing.c
beside() {
    "$QUERN" run --analysis="sharing,$slow" --out-file=both "$@" ./together >/dev/null 2>both.said || return 1
    is "$(totals both)" "$(sed -n 's/^==[0-9]*== AN: all //p' both.said) " "$what: the totals"
    sed -n 's/^==[0-9]*== AN: line //p' both.said | sort >wanted
    sums both.sharing.csv | awk '$3' >got
    [ -s wanted ] && [ "$(comm -23 wanted got)" = '' ]
}
what='beside the model'
ok '... each line of memory' beside
what='lines of 16 bytes'
ok '... each line of memory' beside --D1=4096,4,16
what='small blocks, no filter'
ok '... each line of memory' beside --block-max=2 --no-filter
is "$(total transfers <both.said)" "$(totals both | awk '{ print $1 + $2 + $3 + $4 }')" 'transfers are the sum'

shared of_together ./together
shared of_apart ./apart
table=of_together.sharing.csv
is "$(head -n 1 $table)" 'address,shared,thread,object,offset,file,function,line,reads,writes,read,written,true,false,cold,upgrades,with_thread,with_object,with_offset,with_file,with_line,apart,pad,of_rows' 'columns of the table'
is "$(awk -F, '{ print $NF }' $table | sed 1d | uniq)" "$(($(wc -l <$table) - 1))" 'each row tells how many there are'
counts() { awk -F, '$4 == "counter" && $7 == "count" { print $2, $3, $5, $9, $10, $11, $12 }' "$1"; }
is "$(counts $table)" 'false 1 0 20000 20000 0xff 0xff
false 2 8 20000 20000 0xff00 0xff00
false 3 16 20000 20000 0xff0000 0xff0000
false 4 24 20000 20000 0xff000000 0xff000000' 'four counters in one line: which thread did what to which bytes'
is "$(counts of_apart.sharing.csv)" '' '... a line for each: nothing is shared'
is "$(awk -F, '$4 == "total" { print $2 }' $table | uniq)" 'true' 'what a lock protects is shared truly'
ok 'false sharing is counted' [ "$(awk -F, '$4 == "counter" { n += $14 } END { print n }' $table)" -ge 500 ]
is "$(sums $table | awk '{ n += $2 + $3 + $4 + $5 } END { print n + 0 }')" "$(total transfers <of_together.said)" 'the table has all transfers'
ok 'the summary says what they depend on' grep -q 'AN: transfers depend on the turns that quern gave the threads' of_together.said
ok '... and counts lines' grep -q 'AN: lines of 64 bytes: [0-9]* of one thread only, [0-9]* that several only read' of_together.said

# The verdict, and that to do what it says ends the sharing.
verdict=': pad the elements of counter from 8 to 64 bytes'
ok 'the summary says what would end it' grep -q " counter+[0-9]* (thread [1-4], counters.c:19) and counter+[0-9]* (thread [1-4], counters.c:19) are 8 bytes apart in one line of 64, [0-9]* misses of false sharing ([0-9]* of these two threads)$verdict\$" of_together.said
set -- $(sed -n 's/.* counter+[0-9]* (thread \([1-4]\), .* counter+[0-9]* (thread \([1-4]\), .* \([0-9]*\) misses of false sharing (\([0-9]*\) of these.*/\1 \2 \3 \4/p' of_together.said)
is "$3 $4" "$(awk -F, -v a="$1" -v b="$2" '$4 == "counter" { all += $14; two += $3 == a || $3 == b ? $14 : 0 } END { print all, two }' $table)" '... with the misses of the line, and of the two threads that it names'
ok '... which it does' sh -c "! grep -q 'counter+' of_apart.said"
is "$(awk -F, '$4 == "counter" && $7 == "count" { print $3, $17, $19, $22, $23 }' $table)" '1 2 8 8 64
2 1 0 8 64
3 2 8 8 64
4 3 16 8 64' '... of each thread the nearest other one'
is "$(awk -F, '$4 == "total" { print $23 }' $table | uniq)" 0 '... no padding ends true sharing'

# Who takes lines from whom: each miss once.
takers=of_together.takers.csv
is "$(head -n 1 $takers)" 'count,of,shared,file,function,line,taker_file,taker_function,taker_line,of_rows' 'takers: columns of the table'
is "$(awk -F, '{ n[$3] += $1 } END { print n["true"] + 0, n["false"] + 0 }' $takers)" "$(totals of_together | cut -d' ' -f1,2)" \
    '... all misses of both kinds'
is "$(sed -n 2p $takers | cut -d, -f3,5,6,8,9)" 'false,count,19,count,19' '... most of them of the counters, which take the line from each other'
is "$(awk -F, 'NR > 1 { sum[$3, $4, $5, $6] += $1; of[$3, $4, $5, $6] = $2 } END { for (p in sum) bad += sum[p] != of[p]; print bad + 0 }' $takers)" 0 \
    '... `of` is the sum of a line of source'
ok '... the first one is in the summary' grep -q "counters.c:19 misses [0-9]* lines of [0-9]* that counters.c:19 had taken, by false sharing" of_together.said

# By line of source.
"$QUERN" csv --metadata=no --crlf=no --show=AN.false of_together >rows.csv
is "$(awk -F, 'NR > 1 { n += $NF } END { print n }' rows.csv)" "$(total false <of_together.said)" 'csv: misses by false sharing'
is "$(grep -F 'counters.c,count,19,' rows.csv | awk -F, '{ print $NF }')" "$(awk -F, '$7 == "count" && $8 == 19 { n += $14 } END { print n }' $table)" \
    '... of one line of source, as the table has it'
ok 'annotate shows them' eval '"$QUERN" annotate of_together | grep -q AN.false'

# Objects of the heap.
shared data --data=yes ./together
is "$(awk -F, '$4 ~ / at counters.c:37 \(main\)$/ { print $2, $3, $5, $12 }' data.sharing.csv)" 'false 1 0 0xff
false 2 8 0xff00
false 3 16 0xff0000
false 4 24 0xff000000' '--data=yes: a block of the heap, and where in it'
is "$(counts data.sharing.csv)" "$(counts $table)" '... symbols as before'

# It is told of data only: the rest of a run is simulated as without it, and comes to the same numbers.
by_line() {
    "$QUERN" run -q --branch-sim=yes --I1=1024,2,64 --D1=2048,2,64 --LL=16384,4,64 --out-file=plain "$@" >/dev/null 2>&1
    "$QUERN" csv --metadata=no --crlf=no --show=Ir,I1mr,ILmr,Dr,D1mr,DLmr,Dw,D1mw,DLmw,Bc,Bcm,Bi,Bim plain |
        awk -F, 'NR > 1 { for (i = NF - 12; i <= NF; i++) n[$3 "," $4 "," $5, i - NF] += $i; place[$3 "," $4 "," $5] = 1 }
            END { for (p in place) { line = p; for (i = -12; i <= 0; i++) line = line " " n[p, i]; print line } }' | sort
}
for program in 'sort -S 1M --parallel=1 counters.c' "$top_builddir/tests/guest/strings"; do
    command -v ${program%% *} >/dev/null || continue
    for options in --seed=1 --no-filter --block-max=3 --batch=always --sim=LL=inclusive; do
        by_line "$options" $program >wanted
        by_line "$options" --analysis=sharing $program >got
        ok "${program##*/}, $options: the counts of each line" eval '[ "$(wc -l <wanted)" -gt 10 ] && cmp got wanted'
    done
done

# One thread, SIGKILL, a forked process.
shared alone true
ok 'a program of one thread has no table' [ ! -e alone.sharing.csv ]
is "$(totals alone)" '0 0 0 0 ' '... and shares nothing'
shared killed ./together kill
is "$(counts killed.sharing.csv)" "$(counts $table)" 'after SIGKILL the table is there'
rm -f forked.*
"$QUERN" run -q --trace-children=yes --analysis=sharing --out-file=forked.%p ./together fork >/dev/null 2>&1
is "$(for f in forked.*.sharing.csv; do awk -F, '$4 == "counter" && $3 == 0 { print $5, $10 }' "$f"; done | sort)" '0 20000
8 20000' 'parent and child of a fork go on by themselves'
is "$(cat forked.*.sharing.csv | awk -F, '$4 == "counter" && $3 == 3 { print $5, $10 }')" '16 20000
16 20000' '... with what threads had done before'
done_testing
