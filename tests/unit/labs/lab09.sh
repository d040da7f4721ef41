#!/bin/sh
# Lab 9: do the solution, the starter and typical mistakes get what they deserve?  Does the handout work?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/labs/labs.inc"

lab 9 38
full_marks
nothing_yet
only=counters
wrong share.c 's/part\[me\].count\[counter\] += /__atomic_fetch_add(\&part->count[counter], amount, __ATOMIC_RELAXED); return; amount = /' '1 2' 'counters: one for all threads'
wrong share.c 's/} __attribute__((aligned(LINE)));$/} __attribute__((aligned(4)));/; s/unsigned count\[COUNTERS\]/unsigned count[COUNTERS + 1]/' '1 2' 'counters: a line and a bit for each thread'
wrong share.c 's/unsigned count\[COUNTERS\]/struct { unsigned one; } __attribute__((aligned(LINE))) count[COUNTERS]/; s/count\[counter\]/&.one/' '2' 'counters: a line for each of them'
wrong share.c 's/me < THREADS/me < THREADS - 13/' '1 2' 'counters: not all threads are summed'
only=queue
wrong share.c 's/} put __attribute__((aligned(LINE))), take __attribute__((aligned(LINE)));/} put, take;/' '1 2' 'queue: what each side keeps, in one line'
wrong share.c '/^int queue_take/,/^}/s/if (q->take.mine == q->take.other) {/if (1) {/' '2' 'queue: the taker asks each time'
wrong share.c '/^int queue_put/,/^}/s/if (q->put.mine - q->put.other == CAPACITY) {/if (1) {/' '2' 'queue: the other side does'
wrong share.c 's/q->take.mine++ % CAPACITY/(q->take.mine++ + 1) % CAPACITY/' '1 2' 'queue: the wrong value'
wrong share.c 's/__atomic_store_n(&q->take.told/if (q->take.mine % 16 == 0)\n        &/' '1 2' 'queue: room is told of by sixteens'
wrong share.c 's/#define CAPACITY 64/#define CAPACITY 32/' '1 2' 'queue: half as long'
only=lock
wrong share.c '/^unsigned lock_enter/,/^}/s/struct node \*mine.*/while (__atomic_exchange_n(\&l->node[0].waits, 1, __ATOMIC_ACQUIRE)) while (__atomic_load_n(\&l->node[0].waits, __ATOMIC_RELAXED)) __builtin_ia32_pause(); return l->entries++;\n    &/; /^void lock_leave/,/^}/s/    if (!next) {/    __atomic_store_n(\&l->node[0].waits, 0, __ATOMIC_RELEASE); return;\n&/' \
    '1 2' 'lock: who looks only reads, but does not wait in turn'
wrong share.c '/^unsigned lock_enter/,/^}/s/struct node \*mine.*/unsigned ticket = __atomic_fetch_add(\&l->node[0].waits, 1, __ATOMIC_RELAXED); while (__atomic_load_n(\&l->node[1].waits, __ATOMIC_ACQUIRE) != ticket) __builtin_ia32_pause(); return ticket;\n    &/; /^void lock_leave/,/^}/s/    if (!next) {/    __atomic_store_n(\&l->node[1].waits, l->node[1].waits + 1, __ATOMIC_RELEASE); return;\n&/' \
    '2' 'lock: numbers, and all look at one'
wrong share.c 's/__builtin_ia32_pause();/;/' '1 2' 'lock: who waits does not say so'
wrong share.c 's/} __attribute__((aligned(LINE)));$/} __attribute__((aligned(8)));/; s/__attribute__((aligned(LINE)));/__attribute__((aligned(8)));/' '1 2' 'lock: the places of those who wait, in one line'
wrong share.c '/^void lock_leave/,/^}/s/next->waits, 0/next->waits, 1/' '1 2' 'lock: the next one is not told'
wrong share.c 's/before = __atomic_exchange_n(&l->last, mine, __ATOMIC_ACQ_REL);/before = l->last; mine->waits += 0 * me; for (volatile int i = 0; i < 40; i++) ; l->last = mine;/' '1 2' 'lock: two get in'
wrong share.c '/^void lock_leave/,/^}/s/while (!(next = __atomic_load_n(&mine->next, __ATOMIC_ACQUIRE)))/if (!(next = __atomic_load_n(\&mine->next, __ATOMIC_ACQUIRE))) return;/; /^void lock_leave/,/^}/s/__builtin_ia32_pause();//' '1' 'lock: who leaves does not wait for one who has just come'
only=msi
wrong msi.c 's/SIM_BUS_UPGRADE, MODIFIED/SIM_BUS_NONE, MODIFIED/' '1 2 3' 'msi: a write to a Shared line asks nobody'
wrong msi.c 's/\[SHARED\]   = {\[SIM_BUS_READ\] = {SHARED, 0}}/[SHARED] = {[SIM_BUS_READ] = {SHARED, SIM_SUPPLIES}}/' '3' 'msi: Shared copies supply'
wrong msi.c 's/SIM_SUPPLIES | SIM_WRITES_BACK/SIM_SUPPLIES/' '3' 'msi: nothing is written back when another core reads'
wrong msi.c 's/{SHARED, SIM_SUPPLIES | SIM_WRITES_BACK}/{INVALID, SIM_SUPPLIES | SIM_WRITES_BACK}/' '1 2' 'msi: a read takes the line'
wrong msi.c 's/COHERENCE_DIRTY (1u << MODIFIED)/COHERENCE_DIRTY (1u << SHARED)/' '3' 'msi: what is dirty'
wrong msi.c 's/SIM_BUS_READ, SHARED, SHARED/SIM_BUS_READ, SHARED, MODIFIED/' '1 2 3' 'msi: alone is Modified'
only=
handout
done_testing
