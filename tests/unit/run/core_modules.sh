#!/bin/sh
# --cores with modules by name: has each core a predictor, an I1, a TLB of its own?  What all cores count together is what replays of the references
# of each core alone count: awk takes the trace of a run with three cores apart.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >guest.c <<'END_OF_C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 4
enum { PAGES = 48, PAGE = 4096, FUNCTIONS = 8 };

static atomic_long sum;
static char *memory[THREADS];
typedef unsigned f(unsigned x);
#define F(n) static __attribute__((noinline)) unsigned f##n(unsigned x) { return x % (n + 2) ? x + n : x ^ n; }
F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
static f *const table[FUNCTIONS] = {f0, f1, f2, f3, f4, f5, f6, f7};

static void *work(void *p)
{
    long me = (long)p;
    unsigned x = 12345 + (unsigned)me;
    long n = 0;

    for (int i = 0; i < 3000; i++) {
        x = x * 1103515245 + 12345;
        if (x >> 16 & 1)
            n++;
        if (i % (me + 3) == 0)
            n += 3;
        n += table[(x >> 20) % (me + 2)](x);
        memory[me][(x >> 12) % PAGES * PAGE + x % PAGE] += 1;
        memory[(me + 1) % THREADS][(x >> 8) % 64] += 1;
        if (i % 100 == 0)
            sum += n;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++)
        memory[i] = aligned_alloc(PAGE, PAGES * PAGE);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END_OF_C
"$CC" -O1 -g -pthread -o guest guest.c || bail 'guest.c does not compile'

run() { # STATUS DESCRIPTION -- COMMAND
    wanted=$1
    what=$2
    shift 3
    "$@" >out 2>&1
    is "$?" "$wanted" "$what" || diag "$(tail -n 5 out)"
}
# totals FILE NAME...: the sums of these rows of the files
totals() {
    files=$1
    shift
    for name; do
        # shellcheck disable=SC2086
        awk -F, -v want="$name" '$1 == want || $1 == "\"" want "\"" { n += $2; there = 1 } END { printf "%s ", there ? n : "?" }' $files
    done
}

caches='--I1=2048,2,64 --D1=4096,2,64 --LL=1048576,16,64'
run 0 'a program of four threads on three cores, recorded' -- "$QUERN" trace -q -o all.trace --cores=3 --quantum=300 ./guest
# shellcheck disable=SC2086
run 0 '  as text' -- "$QUERN" replay --cores=3 $caches --outcomes=all.text --format=text all.trace
awk '/^# core/ { core = $3 + 0; turns++; next } /^#/ { next } { print >"core" core + 0 ".text" } END { print turns }' all.text >turns
ok "  with $(cat turns) turns" test "$(cat turns)" -gt 300

# each SIM NAMES [OPTION...]: the run, its replay, and the sum of replays of each core alone
each() {
    sim=$1
    names=$2
    alone=$3
    shift 3
    rm -f -- *.totals.csv
    # shellcheck disable=SC2086
    run 0 "$sim, three cores" -- "$QUERN" replay --check --cores=3 $caches --sim="$sim" "$@" --tables=cores all.trace
    # shellcheck disable=SC2086
    for core in 0 1 2; do
        run 0 "  what core $core did" -- "$QUERN" replay $caches --sim="$alone" "$@" --tables=core$core core$core.text
    done
    # shellcheck disable=SC2086
    together=$(totals cores.totals.csv $names)
    # shellcheck disable=SC2086
    is "$together" "$(totals 'core0.totals.csv core1.totals.csv core2.totals.csv' $names)" "  $names: as the three alone have together"
    # shellcheck disable=SC2086
    run 0 '  a run' -- "$QUERN" run -q --branch-sim=yes --cores=3 --quantum=each:300 $caches --sim="$sim" ${*:+"$@"} --out-file=p.prof ./guest
    # shellcheck disable=SC2086
    is "$(awk -v names="$names" '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { n = split(names, name, " "); for (i = 1; i <= n; i++) printf "%s ", $(at[name[i]]) }' p.prof)" \
        "$together" '  counts the same'
}
each default 'Bcm Bim' default
for bc in gshare tournament perceptron tage yags mpp; do
    each BC=$bc 'Bcm Bim' BC=$bc
done
each BC=2bcgskew,BI=ras 'Bcm Bim BI.returns BI.return-mispredicts' BC=2bcgskew,BI=ras
each BI=ittage 'Bcm Bim' BI=ittage
each BI=btb2 'Bim BI.late' BI=btb2 --sim-opt=btb2-sets=4
each I1=srrip 'I1mr' I1=srrip
each I1=random,BC=local 'I1mr Bcm' I1=random,BC=local
each D1=mesi+tlb 'D1.dtlb-misses D1.stlb-misses' D1=tlb --sim-opt=tlb-entries=8,stlb-entries=16,stlb-ways=4
each D1=dragon+tlb 'D1.dtlb-misses D1.stlb-misses' D1=tlb --sim-opt=tlb-entries=4,tlb-ways=2,stlb-entries=32,stlb-ways=4

# ---- in a run, each reference a second time without filters; an inclusive LL takes lines from all I1s; a walker reads page tables by the L2 ----

small='--I1=1024,2,64 --D1=2048,2,64 --LL=8192,4,64 --branch-sim=yes --quantum=300 --cores=3 --out-file=p.prof'
: >wrong
for sim in default I1=srrip,BC=gshare,BI=ras LL=inclusive LL=inclusive,I1=fifo D1=moesi+tlb; do
    # shellcheck disable=SC2086
    "$QUERN" run -q --check $small --sim=$sim ./guest >>out.check 2>&1 || echo "$sim: $?" >>wrong
done
# shellcheck disable=SC2086
"$QUERN" run -q --check $small --L2=4096,4,64 --sim=D1=mesi+tlb --sim-opt=tlb-entries=8,stlb-entries=16,stlb-ways=4,walker=1 ./guest >>out.check 2>&1 ||
    echo "walker: $?" >>wrong
ok '--check finds nothing' test ! -s wrong || diag "$(cat wrong; tail -n 5 out.check)"

# ---- without --cores ----

run 0 'four threads without --cores' -- "$QUERN" run --out-file=p.prof ./guest
is "$(sed -n 's/^==[0-9]*== Threads/Threads/p' out)" 'Threads: 5, which one set of caches serves in turn; --cores=5 gives them 5, kept coherent, and counts that repeat' \
    '  are told of it'
run 0 '  with it' -- "$QUERN" run --cores=5 --out-file=p.prof ./guest
is "$(grep -c 'Threads:' out)" 0 '  no more'

# ---- a machine with cores: its TLB and predictors, too ----

run 0 '--machine=skylake --cores=machine' -- "$QUERN" run --machine=skylake --cores=machine --out-file=p.prof ./guest
ok '  has the TLB of each core' grep -q 'D1.stlb-misses  *[1-9]' out
ok '  and tage, a predictor with fewer mispredicts than the default' sh -c 'grep -q "^desc: .*BC=tage" p.prof'
ok '  nothing of it is left out' sh -c '! grep -q "in place of the machine" out'
done_testing
