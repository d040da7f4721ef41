#!/bin/sh
# Does a module learn which thread makes a reference (sim_thread of sim/module.h), whether it sees all references, misses only, branches, or
# instructions; in every order of threads, in a forked process, and when threads end and others begin?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# Thread k (from 1 on, in the order of creation) writes two bytes (k + 1) * 3000 times to a line of its own, each time 100 lines farther on, so
# that it misses; and it does as many conditional branches at marks.
cat >guest.c <<'END_OF_C'
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 4
static char room[8 << 20];

static void *work(void *arg)
{
    long k = (long)arg, n = (k + 1) * 3000;
    volatile char *at = room + (k << 20);

    for (long i = 0; i < n; i++) {
        *(volatile uint16_t *)(at + i * 6400 % (1 << 20)) = 1;
        if (i % 700 == 0)
            sched_yield();
    }
    return NULL;
}

static void all(long first)
{
    pthread_t t[THREADS];

    for (long k = 0; k < THREADS; k++)
        if (pthread_create(&t[k], NULL, work, (void *)(first + k)))
            exit(2);
    for (long k = 0; k < THREADS; k++)
        pthread_join(t[k], NULL);
}

static void *forks(void *none)
{
    pid_t pid = fork();

    work((void *)(pid ? 5l : 6l));
    return pid ? (waitpid(pid, NULL, 0), none) : (exit(0), none);
}

int main(int argc, char **argv)
{
    pthread_t t;

    (void)argv;
    if (argc > 1) {
        all(0);
        pthread_create(&t, NULL, forks, NULL);
        pthread_join(t, NULL);
        return 0;
    }
    all(1);
    work((void *)0);
    return 0;
}
END_OF_C
${CC:-cc} -O1 -pthread -o guest guest.c 2>cc.err || skip_all 'no program with threads can be compiled'

# A module that counts writes of two bytes by thread: seen, missed, or done by instructions.
module() {
    cat <<END_OF_C
#include "sim/module.h"
#define ANALYSIS "threads"
#define WANTS_THREAD 1
#define WANTS_PC 1
$1
static uint64_t *writes;
static void analysis_init(const struct sim_config *c)
{
    (void)c;
    writes = sim_cells(16);
    for (unsigned i = 0; i < 16; i++)
        sim_row(&(struct sim_term){.cells = writes + i, .n = 1, .times = 1}, 1, "AN: thread %u: %%U", i);
}
static void count(unsigned kind, uint32_t size)
{
    if (kind == SIM_WRITE && size == 2 && sim_thread < 16)
        writes[sim_thread]++;
}
static void analysis_finish(void) {}
$2
END_OF_C
}
module '' 'static void analysis_ref(const struct sim_ref *r) { count(r->kind, r->size); }' >seen.c
module '#define ANALYSIS_RECORDS SIM_MISSES' 'static void analysis_observe(const struct sim_record *r, uint32_t n)
{
    for (; n--; r++)
        if (r->what & SIM_L1_MISS)
            count(r->kind, r->size);
}' >missed.c
module '#define ANALYSIS_OBSERVES 1' 'static void analysis_insn(const struct sim_insn *r)
{
    for (unsigned i = 0; i < r->accesses; i++)
        count(r->access[i].kind, r->access[i].size);
}' >done.c

by_thread() { sed -n 's/^==[0-9]*== AN: thread \([1-8]\): /\1 /p' | head -n "$1"; }

# counts MODULE OPTIONS...
counts() {
    module=$1
    shift
    "$QUERN" run --D1=1024,2,64 --analysis="$module" --out-file=profile "$@" ./guest 2>&1 >/dev/null | by_thread 5
}
wanted='1 6000
2 9000
3 12000
4 15000
5 0'

is "$(counts seen.c)" "$wanted" 'by a module that sees each reference'
is "$(counts seen.c --block-max=1)" "$wanted" '... small blocks'
is "$(counts missed.c)" "$wanted" 'by one that is told of misses'
is "$(counts missed.c --batch=always)" "$wanted" '... many at a time'
is "$(counts missed.c --no-filter)" "$wanted" '... without a filter'
is "$(counts missed.c --sim=D1=srrip)" "$wanted" '... with another module in the D1'
is "$(counts missed.c --sim=D1=lfu)" "$wanted" '... one that sees every reference, many at a time'
is "$(counts done.c)" "$wanted" 'by one that observes instructions'
is "$(counts done.c --no-filter)" "$wanted" '... one by one'

# A policy may ask as well.
cat >policy.c <<'END_OF_C'
#include "sim/module.h"
#define POLICY "bythread"
#define WANTS_THREAD 1
static uint64_t *fills;
#define POLICY_INIT 1
static const char *policy_init(void)
{
    fills = sim_cells(16);
    for (unsigned i = 0; i < 16; i++)
        sim_row(&(struct sim_term){.cells = fills + i, .n = 1, .times = 1}, 1, "AN: thread %u: %%U", i);
    return NULL;
}
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static bool policy_settled(unsigned set, unsigned way) { return (void)set, (void)way, false; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way, fills[sim_thread % 16]++; }
static unsigned policy_victim(unsigned set) { return set % sim.ways; }
END_OF_C
policy() { "$QUERN" run --D1=1024,2,64 --sim=D1=policy.c --out-file=profile "$@" ./guest 2>&1 >/dev/null | by_thread 4 |
    awk '$2 >= 3000 * ($1 + 1) && $2 < 3000 * ($1 + 1) + 2000 { print $1 }'; }
is "$(policy)" '1
2
3
4' 'by a policy'
is "$(policy --batch=always)" '1
2
3
4' '... many at a time'

# Threads that end leave their numbers alone; a forked process goes on with that of the thread that forked.
"$QUERN" run --trace-children=yes --D1=1024,2,64 --analysis=seen.c --out-file=profile.%p ./guest fork 2>both >/dev/null
is "$(by_thread 20 <both | sort -n | uniq | awk '$2 { print }')" '1 3000
2 6000
3 9000
4 12000
5 18000
5 21000' 'threads, and two processes after a thread forked'

# Who has not asked is not linked; a replay has no threads.
sed '/WANTS_THREAD/d' seen.c >silent.c
ok 'a module that does not ask is refused' eval '! "$QUERN" run --analysis=silent.c --out-file=profile ./guest'
"$QUERN" trace -q -o trace ./guest >/dev/null 2>&1 || bail 'no recording'
"$QUERN" replay --sim=AN=seen.c trace >out 2>err
is "$?" 1 'a replay refuses one that does'
is "$(cat err)" "quern: replay: trace: traces do not say which thread runs, which a module wants to know; use quern run" '... with a line'
done_testing
