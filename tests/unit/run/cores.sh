#!/bin/sh
# --cores: twelve threaded programs whose coherence misses theory gives, under each protocol; do counts repeat exactly, whatever the machine does
# meanwhile; do two accounts of sharing that have no code in common agree; what is refused.
#
# Threads take turns of 1000 instructions, or up to a pause, so the numbers of turns and hand-overs are known.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >guest.c <<'END_OF_C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define LINE __attribute__((aligned(64)))
#define WORK static __attribute__((noinline)) void *

static long rounds LINE, stride;
static struct { volatile long n; } unpadded[THREADS] LINE;
static struct { volatile long n; char pad[56]; } padded[THREADS] LINE;
static atomic_long token LINE, lock LINE, next LINE, serving LINE, shared LINE;
static volatile long guarded LINE;
static int table[256] LINE;
static long parts[THREADS * 8] LINE, total;
static double a[48][48] LINE, b[48][48] LINE, c[48][48] LINE;

static void relax(void) { __builtin_ia32_pause(); }

/* A turn ends at a pause, after fewer instructions than it may have: never between the load and the store of one increment, where blocks
 * may end, too. */
WORK count_unpadded(void *p)
{
    for (long i = 0; i < rounds; i++) {
        if (i % 64 == 0)
            relax();
        unpadded[(long)p].n++;
    }
    return NULL;
}
WORK count_padded(void *p) { for (long i = 0; i < rounds; i++) padded[(long)p].n++; return NULL; }
WORK add_atomic(void *p) { for (long i = 0; i < rounds; i++) atomic_fetch_add(&shared, 1); return p; }

WORK fenced(void *p)
{
    for (long i = 0; i < rounds; i++) {
        __builtin_ia32_lfence();
        __builtin_ia32_mfence();
        __builtin_ia32_sfence();
    }
    return p;
}

/* Each of two threads waits for the token, and gives it to the other one. */
WORK pingpong(void *p)
{
    long me = (long)p;

    if (me > 1)
        return NULL;
    for (long i = 0; i < rounds; i++) {
        while (atomic_load_explicit(&token, memory_order_relaxed) != me)
            relax();
        atomic_store_explicit(&token, 1 - me, memory_order_relaxed);
    }
    return NULL;
}

/* Locks: the owner adds to a word in a line of its own. */
WORK tas(void *p)
{
    for (long i = 0; i < rounds; i++) {
        while (atomic_exchange(&lock, 1))
            relax();
        guarded++;
        atomic_store(&lock, 0);
        relax();
    }
    return p;
}

WORK ttas(void *p)
{
    for (long i = 0; i < rounds; i++) {
        while (atomic_load(&lock) || atomic_exchange(&lock, 1))
            relax();
        guarded++;
        atomic_store(&lock, 0);
        relax();
    }
    return p;
}

WORK ticket(void *p)
{
    for (long i = 0; i < rounds; i++) {
        long mine = atomic_fetch_add(&next, 1);

        while (atomic_load(&serving) != mine)
            relax();
        guarded++;
        atomic_store(&serving, mine + 1);
        relax();
    }
    return p;
}

static struct node { _Atomic(struct node *) next; atomic_int wait; } node[THREADS] LINE;
static _Atomic(struct node *) tail LINE;

WORK mcs(void *p)
{
    struct node *me = malloc(64 + sizeof *me);

    me = (struct node *)(((size_t)me + 63) & ~63ul);
    for (long i = 0; i < rounds; i++) {
        struct node *before;

        atomic_store(&me->next, NULL);
        atomic_store(&me->wait, 1);
        if ((before = atomic_exchange(&tail, me))) {
            atomic_store(&before->next, me);
            while (atomic_load(&me->wait))
                relax();
        }
        guarded++;
        relax(); /* the others come meanwhile */
        if (!atomic_load(&me->next)) {
            struct node *self = me;

            if (atomic_compare_exchange_strong(&tail, &self, NULL))
                continue;
            while (!atomic_load(&me->next))
                relax();
        }
        atomic_store(&atomic_load(&me->next)->wait, 0);
    }
    return p;
}

/* A bounded buffer of one element: a mutex and two conditions. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int has, item;

WORK buffer(void *p)
{
    long me = (long)p;

    if (me > 1)
        return NULL;
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        while (has == (me == 0))
            pthread_cond_wait(me ? &full : &empty, &mutex);
        if (me)
            total += item;
        else
            item = (int)i;
        has = me == 0;
        pthread_cond_signal(me ? &empty : &full);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

/* All read a table that one has written. */
WORK readers(void *p)
{
    long sum = 0;

    for (long i = 0; i < rounds; i++)
        sum += ((volatile int *)table)[i % 256];
    return (void *)(sum + (long)p);
}

/* Each sums every fourth element into a word: its own line (stride 8) or the one of all (stride 1). */
WORK sums(void *p)
{
    for (long i = (long)p; i < rounds; i += THREADS)
        ((volatile long *)parts)[(long)p * stride] += table[i % 256];
    return NULL;
}

WORK multiply(void *p)
{
    for (int i = (int)(long)p; i < 48; i += THREADS)
        for (int j = 0; j < 48; j++) {
            double s = 0;

            for (int k = 0; k < 48; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    return NULL;
}

static const struct { const char *name; void *(*work)(void *); long stride; } programs[] = {
    {"unpadded", count_unpadded, 0}, {"padded", count_padded, 0}, {"atomic", add_atomic, 0}, {"fenced", fenced, 0}, {"pingpong", pingpong, 0}, {"tas", tas, 0},
    {"ttas", ttas, 0}, {"ticket", ticket, 0}, {"mcs", mcs, 0}, {"buffer", buffer, 0}, {"readers", readers, 0}, {"sums", sums, 1},
    {"sums8", sums, 8}, {"multiply", multiply, 0},
};

static pthread_barrier_t barrier;
static unsigned n;

/* All are there before one begins. */
static void *begin(void *p)
{
    pthread_barrier_wait(&barrier);
    return programs[n].work(p);
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];

    while (strcmp(programs[n].name, argv[argc - 2]))
        n++;
    pthread_barrier_init(&barrier, NULL, THREADS);
    rounds = atol(argv[argc - 1]);
    stride = programs[n].stride;
    for (int i = 0; i < 256; i++)
        table[i] = i;
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, begin, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld %ld\n", guarded, total, (long)shared);
    return 0;
}
END_OF_C
"$CC" -O1 -g -pthread -o guest guest.c || bail 'guest.c does not compile'

# holds CONDITION DESCRIPTION
holds() { ok "$2" test "$1" = 1; }
# run STATUS DESCRIPTION -- COMMAND: output in `out`.
run() {
    wanted=$1
    what=$2
    shift 3
    "$@" >out 2>&1
    is "$?" "$wanted" "$what" || diag "$(tail -n 5 out)"
}
has() { ok "  it says: $1" grep -F -e "$1" out; }

rounds=2000
N=$((4 * rounds)) # of all threads

# count FUNCTION PROGRAM [OPTION...]: counts of what happens inside the function
count() {
    of=$1
    name=$2
    shift 2
    run 0 "$name${*:+ $*}: the program does what it does" -- \
        "$QUERN" run -q --toggle="$of" --cores=4 --quantum=1000 "$@" --out-file=p.prof ./guest "$name" $rounds
}
# e EVENT: its sum
e() {
    awk -v want="$1" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == want) at = i } /^summary:/ { print $at }' p.prof
}

count count_unpadded unpadded
is "$(e D1.false)" $((4 * (rounds / 64))) "four counters in a line: a miss of false sharing at each turn but each thread's first"
is "$(e D1.true)" 0 "  none of true sharing"
is "$(e D1.upgrades)" "$(($(e D1.false) + 3))" "  each is followed by an upgrade, and so are all cold misses but the first"
is "$(e D1.lost)" "$(e D1.taken)" "  what one takes another loses"
false_mesi=$(e D1.false)
count count_unpadded unpadded --coherence=msi
is "$(e D1.false) $(e D1.upgrades)" "$false_mesi $((false_mesi + 4))" "  msi: the first one has to upgrade, too"
count count_unpadded unpadded --coherence=moesi
is "$(e D1.false) $(e D1.written)" "$false_mesi 0" "  moesi: nothing is written back"
count count_unpadded unpadded --coherence=dragon
holds $(($(e D1.true) + $(e D1.false) == 0 && $(e D1.updates) > N / 2)) "  dragon: no miss, but $(e D1.updates) of $N writes are sent to the others"

count count_padded padded
is "$(e D1.true) $(e D1.false)" '0 0' 'four counters in lines of their own: no miss of either kind'

# ---- with an L2 for each core, which has what the D1 has no room for ----

count count_unpadded unpadded --D1=512,2,64 --L2=262144,8,64 --LL=1048576,16,64
is "$(e D1.false) $(e D1.upgrades)" "$false_mesi $((false_mesi + 3))" 'an L2 for each core: what one takes leaves D1 and L2, so that there are as many misses of false sharing'
holds $(($(e D2mr) >= false_mesi && $(e D2mr) <= false_mesi + 12)) "  each misses the L2 ($(e D2mr))"
: >wrong
for program in unpadded pingpong tas buffer multiply; do
    for protocol in msi mesi moesi dragon; do
        for sim in LL=default LL=inclusive; do
            "$QUERN" run -q --check --cores=4 --coherence=$protocol --I1=512,2,64 --D1=512,2,64 --L2=2048,4,64 --LL=4096,8,64 --sim=$sim --quantum=1000 \
                --out-file=p.prof ./guest $program 200 >>out.check 2>&1 || echo "$program $protocol $sim $?" >>wrong
        done
    done
done
ok '  --check finds nothing in five programs, four protocols, with an LL that is inclusive or not' test ! -s wrong || diag "$(cat wrong; tail -n 5 out.check)"
for sim in LL=default LL=inclusive LL=srrip; do
    caches="--I1=512,2,64 --D1=512,2,64 --L2=2048,4,64 --LL=4096,8,64 --sim=$sim"
    run 0 "one core, $sim" -- "$QUERN" run -q --cores=1 $caches --out-file=p.prof true
    counts=$(sed -n 's/^summary: *//p' p.prof | cut -d' ' -f1-12)
    run 0 '  without --cores' -- "$QUERN" run -q $caches --out-file=p.prof true
    is "$(sed -n 's/^summary: *//p' p.prof | cut -d' ' -f1-12)" "$counts" '  all misses of I1, D1, L2 and LL are the same'
done

count add_atomic atomic
turns=$(($(e Ir) / 1000))
holds $(($(e D1.true) >= turns - 4 && $(e D1.true) <= turns + turns / 50 + 4)) "one counter: a miss of true sharing at each turn ($(e D1.true), $turns turns)"
is "$(e D1.false) $(e D1.upgrades)" '0 0' '  which brings the line to be written'

is "$(e D1.locks) $(e D1.fences)" "$N 0" '  by as many locked instructions'
count fenced fenced
is "$(e D1.locks) $(e D1.fences)" "0 $((3 * N))" 'three fences in each round: counted, and no lock'

count pingpong pingpong
is "$(($(e D1.true) + $(e D1.false)))" $((2 * rounds - 2)) 'a token between two threads: a miss for each hand-over but the first of each'
is "$(e D1.false)" 0 '  of true sharing'
is "$(e D1.upgrades)" $((2 * rounds - 1)) '  and an upgrade'

count tas tas
is "$(e D1.true)" $((2 * N - 8)) 'test and set: two lines, the lock and what it guards, move at each of 8000 turns'
holds $(($(e D1.locks) >= 2 * N && $(e D1.locks) <= 2 * N + N / 10)) "  two locked instructions take it and give it back ($(e D1.locks))"
is "$(e D1.upgrades)" $((N - 1)) '  the lock is asked for to be written, the word that it guards is read first'
count ttas ttas
is "$(e D1.true) $(e D1.upgrades)" "$((2 * N - 8)) $((2 * N - 2))" 'test, then test and set: the lock is read first, too'
count ticket ticket
is "$(e D1.true) $(e D1.upgrades)" "$((3 * N - 12)) $((2 * N - 2))" 'a ticket lock: three lines; the tickets are asked for to be written'
count mcs mcs
misses=$(($(e D1.true) + $(e D1.false)))
holds $((misses > 6 * N - 200 && misses < 6 * N)) "MCS: six lines move at each turn: the tail, the word, the own node twice, those of who was before and who comes next ($misses)"

count buffer buffer
is "$(e D1.false)" 0 'a buffer of one element, with a mutex and two conditions: no false sharing'
holds $(($(e D1.true) >= 6 * rounds - 30 && $(e D1.true) <= 6 * rounds)) "  three lines move at each of $((2 * rounds)) hand-overs: the mutex, the condition, the element ($(e D1.true))"

count readers readers
is "$(e D1.true) $(e D1.false) $(e D1.upgrades)" '0 0 0' 'a table that all read: nothing but cold misses'

count sums sums
turns=$(($(e Ir) / 1000))
holds $(($(e D1.true) == 0 && $(e D1.false) >= turns - 4 && $(e D1.false) <= turns + 4)) "a sum in four words of a line: false sharing at each turn ($(e D1.false), $turns turns)"
count sums sums8
is "$(e D1.true) $(e D1.false)" '0 0' '  in words a line apart: none'

count multiply multiply
is "$(e D1.true) $(e D1.false) $(e D1.upgrades)" '0 0 0' 'matrices multiplied by rows: a row is six lines, so that no line has two writers'

count add_atomic atomic --quantum=refs:1
is "$(e D1.true) $(e D1.upgrades)" "$((N - 4)) 0" "turns of one reference: each of $N increments misses but each thread's first"

# ---- counts repeat ----

differ=0
for program in unpadded padded atomic pingpong tas ttas ticket mcs buffer readers sums sums8 multiply; do
    for time in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        "$QUERN" run -q --cores=4 --quantum=1000 --branch-sim=yes --out-file=again.prof ./guest $program 100 >/dev/null 2>&1
        sed '/^cmd:/d; /^desc:/d' again.prof | cksum >>"sums.$program"
    done
    [ "$(sort -u "sums.$program" | wc -l)" -eq 1 ] || { differ=$((differ + 1)) && echo "# $program: $(sort "sums.$program" | uniq -c)"; }
done
is $differ 0 '13 programs, 20 times each: the whole profile is the same'

# ---- another account ----
# The analysis `sharing` takes each thread for a processor with a cache that never evicts; with a core for each thread, and large D1s, that is msi.

for program in unpadded atomic tas mcs buffer sums readers; do
    run 0 "$program, with --analysis=sharing" -- "$QUERN" run -q --branch-sim=yes --cores=8 --coherence=msi --D1=1048576,16,64 --quantum=1000 \
        --analysis=sharing --out-file=p.prof ./guest $program 300
    is "$(e D1.true) $(e D1.false)" "$(e AN.true) $(e AN.false)" '  true and false sharing are as the analysis says'
    both="$(e Dr) $(e D1mr) $(e D1mw) $(e D1.true) $(e D1.upgrades) $(e D1.lost) $(e Bcm) $(e Bim)"
    run 0 '  without it' -- "$QUERN" run -q --branch-sim=yes --cores=8 --coherence=msi --D1=1048576,16,64 --quantum=1000 --out-file=p.prof ./guest $program 300
    is "$(e Dr) $(e D1mr) $(e D1mw) $(e D1.true) $(e D1.upgrades) $(e D1.lost) $(e Bcm) $(e Bim)" "$both" '  and with the hit filter the counts are the same'
    run 0 '  without the filter' -- "$QUERN" run -q --no-filter --branch-sim=yes --cores=8 --coherence=msi --D1=1048576,16,64 --quantum=1000 --out-file=p.prof ./guest $program 300
    is "$(e Dr) $(e D1mr) $(e D1mw) $(e D1.true) $(e D1.upgrades) $(e D1.lost) $(e Bcm) $(e Bim)" "$both" '  and without'
done

# Who takes lines from whom: in ping-pong, the read that waits misses what the store behind it has taken.
reads=$(grep -n 'while (atomic_load_explicit(&token' guest.c | cut -d: -f1)
run 0 'pingpong, with --analysis=sharing' -- "$QUERN" run -q --cores=2 --analysis=sharing --out-file=p.prof ./guest pingpong $rounds
is "$(sed -n 2p p.prof.takers.csv | cut -d, -f1,2,3,6,9)" "$((2 * rounds - 2)),$((2 * rounds - 2)),true,$reads,$((reads + 2))" \
    '  the read misses what the store has taken, in each round, by true sharing'
is "$(sed 1d p.prof.D1.cores.csv | cut -d, -f1,3 | tr '\n' ' ')" '0,1 1,0 ' '  each core takes lines from the other'
is "$(awk -F, 'NR > 1 { n += $2 } END { print n }' p.prof.D1.cores.csv)" "$(e D1.taken)" '  ... all that were taken'

"$QUERN" run -q --toggle=pingpong --cores=4 --out-file=p.prof ./guest pingpong $rounds >out
is "$(sed 1d p.prof.D1.cores.csv | cut -d, -f1,3 | tr '\n' ' ')" '1,2 2,1 ' '  counted inside the function only: two threads, each from its core'

# ---- a recorded trace ----

caches='--I1=1024,2,64 --D1=1024,2,64 --L2=8192,4,64 --LL=65536,8,64'
for program in unpadded pingpong mcs buffer multiply; do
    for protocol in mesi dragon; do
        run 0 "$program, $protocol, turns one by one" -- "$QUERN" run --cores=4 --quantum=each:1000 --coherence=$protocol --branch-sim=yes $caches --out-file=p.prof \
            ./guest $program 500
        sed 's/^==[0-9]*== //' out | grep -E '^(I|D|L|B|M).*[0-9]' | grep -v -e cache -e rate -e locks -e fences >wanted
        run 0 '  recorded' -- "$QUERN" trace -q -o cores.trace --cores=4 --quantum=1000 ./guest $program 500
        run 0 '  and replayed' -- "$QUERN" replay --check --cores=4 --coherence=$protocol $caches cores.trace
        grep -E '^(I|D|L|B|M).*[0-9]' out | grep -v -e rate >got
        ok '  has all counts of the run, those of branches and of the bus, too' sh -c 'test "$(wc -l <wanted)" -ge 25 && cmp -s wanted got' || diag "$(diff wanted got)"
    done
done
run 0 'from the middle' -- "$QUERN" trace -q -o part.trace --from=200000 --count=50000 --cores=4 --quantum=1000 ./guest unpadded 5000
run 0 '  it has several cores' -- "$QUERN" replay --cores=4 --tables=part part.trace
ok '  which take lines from each other' test "$(sed 1d part.D1.cores.csv | wc -l)" -gt 1
run 1 'replay --cores=2' -- "$QUERN" replay --cores=2 cores.trace
has 'runs, wanted --cores of as many as in the recorded run'
run 2 '--coherence without --cores' -- "$QUERN" replay --coherence=msi cores.trace
has '--coherence: needs --cores'

# ---- report ----

run 0 'report --cores=4' -- "$QUERN" report -q --cores=4 -o unpadded.report ./guest unpadded 100000
ok '  says first that threads share a line falsely' grep -q 'threads write to a line of memory that they share falsely' unpadded.report/index.html
run 0 'of counters in lines of their own' -- "$QUERN" report -q --cores=4 -o padded.report ./guest padded 100000
ok '  it says nothing of the kind' sh -c '! grep -q "share falsely" padded.report/index.html && ! grep -q "one cache serves them all" padded.report/index.html'

# ---- what the program sees, a protocol of one's own, what is refused ----

cat >sees.c <<'END_OF_C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static void *pinned(void *p)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((long)p, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    CPU_ZERO(&set);
    pthread_getaffinity_np(pthread_self(), sizeof set, &set);
    printf("%ld:%d:%d ", (long)p, sched_getcpu(), CPU_COUNT(&set));
    return NULL;
}

int main(void)
{
    pthread_t t;

    printf("%ld %d ", sysconf(_SC_NPROCESSORS_ONLN), sched_getcpu());
    for (long i = 3; i >= 0; i--) {
        pthread_create(&t, NULL, pinned, (void *)i);
        pthread_join(t, NULL);
    }
    return 0;
}
END_OF_C
"$CC" -O1 -pthread -o sees sees.c || bail "sees.c does not compile"
is "$("$QUERN" run -q --cores=4 --out-file=p.prof ./sees)" '4 0 3:3:1 2:2:1 1:1:1 0:0:1 ' 'the program sees four processors, and its threads run where they want to'

is "$("$QUERN" run -q --cores=4 --pin=3,2 --out-file=p.prof ./sees)" '4 3 3:2:1 2:3:1 1:2:1 0:3:1 ' '--pin: they run where it says'
is "$("$QUERN" run -q --cores=threads --out-file=p.prof ./sees)" '16 0 3:3:1 2:2:1 1:1:1 0:0:1 ' '--cores=threads: sixteen processors'
run 0 '  four threads' -- "$QUERN" run -q --cores=threads --quantum=refs:100 --out-file=p.prof ./guest unpadded 300
is "$(sed 1d p.prof.D1.cores.csv | cut -d, -f1 | sort -u | tr '\n' ' ')" '0 1 2 3 4 ' '  have a core each, beside that of main'
run 0 '  again' -- "$QUERN" run -q --cores=threads --quantum=refs:100 --out-file=again.prof ./guest unpadded 300
is "$(sed '/^cmd:/d' p.prof | cksum)" "$(sed '/^cmd:/d' again.prof | cksum)" '  ... with the same counts'

cat >follow.c <<'END_OF_C'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void *where(void *p) { return printf("%d ", sched_getcpu()) ? p : NULL; }

int main(void)
{
    pthread_t t[20];

    for (int i = 0; i < 20; i++) {
        pthread_create(&t[0], NULL, where, NULL);
        pthread_join(t[0], NULL);
    }
    for (int i = 0; i < 20; i++)
        pthread_create(&t[i], NULL, where, NULL);
    for (int i = 0; i < 20; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END_OF_C
"$CC" -O1 -pthread -o follow follow.c || bail "follow.c does not compile"
"$QUERN" run -q --cores=threads --quantum=10000000 --out-file=p.prof ./follow >out
is "$(cut -d' ' -f1-20 out)" "$(yes 1 | head -n 20 | tr '\n' ' ' | sed 's/ $//')" '  a thread that follows another one has its core'
is "$(cut -d' ' -f21- out | tr ' ' '\n' | sort -nu | tr '\n' ' ')" "$(seq 1 15 | tr '\n' ' ' | sed 's/^/ /')" '  twenty at a time share those that main has not' || diag "$(cat out)"

# A process that forks while its threads wait for each other: nobody of the child waits.
cat >forks.c <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static atomic_int end;

static void *contend(void *p)
{
    while (!atomic_load(&end)) {
        pthread_mutex_lock(&mutex);
        for (volatile int i = 0; i < 2000; i++)
            ;
        pthread_mutex_unlock(&mutex);
    }
    return p;
}

static void *meet(void *p)
{
    for (int i = 0; i < 20; i++)
        pthread_barrier_wait(&barrier);
    return p;
}

static void all(void *(*work)(void *), int n, pthread_t *t)
{
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, work, NULL);
}

int main(void)
{
    pthread_t t[3], u[4];
    int status, bad = 0;

    all(contend, 3, t);
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            pthread_mutex_init(&mutex, NULL);
            pthread_barrier_init(&barrier, NULL, 4);
            all(meet, 4, u);
            for (int k = 0; k < 4; k++)
                pthread_join(u[k], NULL);
            _exit(7);
        }
        bad += waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 7;
    }
    atomic_store(&end, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return bad;
}
END_OF_C
"$CC" -O1 -pthread -o forks forks.c || bail "forks.c does not compile"
run 0 'forks while threads wait for each other' -- "$QUERN" run -q --cores=3 --quantum=500 --out-file=p.%p.prof ./forks

# futex_wait (Linux 6.7): who waits so is woken by FUTEX_WAKE.  A program that finds that there is no such call waits by FUTEX_WAIT.
cat >new_wait.c <<'END_OF_C'
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NR_FUTEX_WAIT = 455, U32_PRIVATE = 2 | 128 };

static int word;

static void *wait_for(void *p)
{
    if (syscall(NR_FUTEX_WAIT, &word, 0ul, ~0u, U32_PRIVATE, NULL, 0))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
    return p;
}

int main(void)
{
    pthread_t t;

    pthread_create(&t, NULL, wait_for, NULL);
    for (int i = 0; i < 10000 && syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1) == 0; i++)
        usleep(1000);
    _exit(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1) != 0 || pthread_join(t, NULL));
}
END_OF_C
"$CC" -O1 -pthread -o new_wait new_wait.c || bail "new_wait.c does not compile"
run 0 'a thread that waits by futex_wait is woken' -- "$QUERN" run -q --cores=2 --out-file=p.prof ./new_wait

# Processes have cores of their own.  Memory that they share is named.
cat >shares.c <<'END_OF_C'
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    volatile long *n = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (argc > 1 ? MAP_PRIVATE : MAP_SHARED), -1, 0);
    pid_t pid = fork();

    for (int i = 0; i < 1000; i++)
        ++*n;
    if (pid == 0)
        _exit(0);
    return argv[0] == NULL || wait(NULL) != pid;
}
END_OF_C
"$CC" -O1 -o shares shares.c || bail "shares.c does not compile"
run 0 'a child writes to memory that it shares, with --cores' -- "$QUERN" run --cores=2 --out-file=shared.prof ./shares
is "$(grep -c -e '--cores with memory that processes share' out)" 1 '  one line says that their cores are not coherent'
ok '  so does the profile' grep -q '^desc: Unsupported: *--cores with memory that processes share' shared.prof
run 0 'a child with memory of its own' -- "$QUERN" run --cores=2 --out-file=shared.prof ./shares private
is "$(grep -c 'processes share' out)" 0 '  nothing is said'
run 0 'without --cores' -- "$QUERN" run --out-file=shared.prof ./shares
is "$(grep -c 'processes share' out)" 0 '  nothing is said'

sed 's/"mesi"/"mine"/; s/^ \* /&Mine: /' "$top_srcdir/lib/sim/coherence/mesi.c" >mine.c
run 0 'turns shorter than a block of instructions' -- "$QUERN" run -q --cores=3 --quantum=3 --out-file=p.prof ./guest padded 1
# --check: each reference is simulated a second time without filters, and what must hold of all cores is looked at after it.
for program in unpadded pingpong tas buffer multiply; do
    for protocol in msi mesi moesi dragon; do
        "$QUERN" run -q --check --cores=4 --coherence=$protocol --D1=1024,2,64 --quantum=1000 --branch-sim=yes --out-file=p.prof ./guest $program 200 \
            >>out.check 2>&1 || echo "$program $protocol $?" >>wrong
    done
done
ok '--check finds nothing in five programs under four protocols' test ! -s wrong || diag "$(cat wrong; tail -n 5 out.check)"
# wrong_table MESSAGE SED: MESI with this change is found out.
wrong_table() {
    sed 's/"mesi"/"wrong"/; '"$2" "$top_srcdir/lib/sim/coherence/mesi.c" >wrong.c
    run 70 "--check of a wrong table: $2" -- "$QUERN" run -q --check --cores=4 --coherence=wrong.c --D1=1024,2,64 --quantum=1000 --out-file=p.prof ./guest pingpong $rounds
    has "$1"
}
wrong_table 'may write to a line without asking, though another one has it' '/^    .EXCLUSIVE. *= {.SIM_BUS_READ./s/{SHARED,/{EXCLUSIVE,/'
wrong_table 'does not have what was written last' 's/SIM_SUPPLIES | SIM_WRITES_BACK/SIM_SUPPLIES/'

run 0 'a protocol in a file' -- "$QUERN" run -q --toggle=pingpong --cores=4 --quantum=1000 --coherence=mine.c --out-file=p.prof ./guest pingpong $rounds
is "$(e D1.true) $(e D1.upgrades)" "$((2 * rounds - 2)) $((2 * rounds - 1))" '  counts as MESI does'
run 0 'each line that a core brings in is on the bus once, whoever supplies it' -- \
    "$QUERN" run --toggle=pingpong --cores=4 --quantum=1000 --coherence=mesi --out-file=p.prof ./guest pingpong $rounds
has "D1.bus-bytes $((64 * ($(e D1mr) + $(e D1mw))))  bytes"
run 0 'a module in I1' -- "$QUERN" run --cores=4 --quantum=1000 --I1=64,1,64 --sim=I1=fifo --out-file=p.prof ./guest tas $rounds
ok '  has the evictions of all cores: a miss each, but for the first of a core' \
    test "$(sed -n 's/.*I1.evictions \([0-9]*\) .*/\1/p' out)" -ge $(($(e I1mr) - 4))
refused() {
    says=$1
    shift
    run 2 "refused: $*" -- "$QUERN" run "$@" ./guest padded 1
    has "$says"
}
run 0 'one core, with another module in D1' -- "$QUERN" run -q --cores=1 --sim=D1=srrip --out-file=p.prof ./guest unpadded 20000
refused 'at most 64' --cores=65
refused '--quantum: needs --cores' --quantum=1000
refused '--coherence: needs --cores' --coherence=msi
refused '1 to 2147483647 instructions' --cores=2 --quantum=0
refused 'wanted N or refs:N, or each: before it' --cores=2 --quantum=refs:
refused 'wanted N, threads or machine' --cores=many
refused '--pin: needs --cores' --pin=1
refused '--pin: got core 2, wanted one of 0 to 1' --cores=2 --pin=0,2
refused 'up to 64 numbers of cores' --cores=2 --pin=0,,1
refused 'got L2 lines of 128 bytes, wanted 64 as in the D1' --cores=2 --D1=1024,2,64 --L2=65536,8,128 --LL=1048576,16,128
refused 'not with a module in slot L2' --cores=2 --L2=65536,8,64 --LL=1048576,16,64 --sim=L2=srrip
refused 'not with another module in slot D1' --cores=2 --coherence=msi --sim=D1=moesi
refused '--sim=D1=srrip: not with --cores' --cores=2 --sim=D1=srrip
refused '--sim=D1=srrip+tlb: not with --cores' --cores=2 --sim=D1=srrip+tlb
refused '--sim=LL=exclusive: not with --cores: it holds what the levels above give up' --cores=2 --sim=LL=exclusive
done_testing
