/* analysis/record.c - records every reference and branch, for `quern replay`.  Used by `quern trace`; engine only.
 *
 * Writes what emitted code logs (sim/contract.h) into memory that it shares with `quern trace` (lib/sim/record.h), which makes a trace of it:
 *
 *   mov $cell, %ebx ; mov (%rbx), %eax     DEFINE 1 401000, its items: a fetch of 5 bytes, one of 2, a read of 4
 *   ... runs                               block 1, 403000
 *
 * Nothing is simulated then, and it is the only analysis of the run. A forked child records nothing.
 *
 * Options: `record-ring` and `record-socket`, descriptors of the memory and of a socket that wakes whoever waits; `quern trace` opens them.
 * `record-code` (0): 1 writes the bytes of the instructions, too.
 * Storage: the memory, 2 MB; about a bit per reference in the trace.
 * Source: address traces as in A. J. Smith 1982 (see nextline); distances and varints are common practice. */
#include "base/syscall.h"
#include "sim/module.h"
#include "sim/record.h"
#include "sim/service.h"

#ifdef QN_SIM_HOSTED
#error "record runs in the engine only: a replay has its trace already"
#endif

#define ANALYSIS "record"
#define ANALYSIS_LOG 1
#define OWN_DESCRIPTORS 24   /* descriptors at the end of the table, which the program does not use */
enum { PROT_RW = 3, MAP_SHARED_FIXED = 0x11, WIPE_ON_FORK = 18, DUPFD_CLOEXEC = 1030, LIMIT_FILES = 7, PAGE = 4096,
       MSG_QUIET = 0x4040 /* MSG_NOSIGNAL | MSG_DONTWAIT */, INTERRUPTED = 4 };

static struct ring *ring;
static long socket_fd;
static uint64_t head;
static volatile uint64_t *is_ours; /* 0 in a forked child */

static void fail(const char *what) { sim_fail(sim.slot, ANALYSIS, "analysis_ref", head, what); }

/* Moves the descriptor to the end of the table, out of reach of programs that close all descriptors from 3 on. */
static long move_up(long low)
{
    uint64_t limit[2] = {1024, 1024};
    long high;

    qn_sys4(__NR_prlimit64, 0, LIMIT_FILES, 0, (long)limit);
    high = qn_sys3(__NR_fcntl, low, DUPFD_CLOEXEC, (long)limit[0] - OWN_DESCRIPTORS);
    qn_sys1(__NR_close, low);
    return high;
}

/* Stops the program because the reader has ended.  If it could not write the trace, it has printed why (tools/trace.c). */
static void stop(void)
{
    if (!RING_LOAD(ring->refused))
        fail("quern trace is gone");
    qn_engine_module_failed("");
}

/* Waits until the ring has room for n words. */
static void wait_for_room(uint32_t n)
{
    while (head + n - RING_LOAD(ring->tail) > RING_WORDS) {
        uint8_t byte;
        long got = 1;

        RING_STORE(ring->recorder_waits, 1);
        if (head + n - RING_LOAD(ring->tail) > RING_WORDS)
            got = qn_sys3(__NR_read, socket_fd, (long)&byte, 1);
        if (got <= 0 && got != -INTERRUPTED)
            stop();
    }
    if (RING_LOAD(ring->refused))
        stop();
}

static void analysis_log(const uint64_t *word, uint32_t n)
{
    uint64_t at = head % RING_WORDS, before_end = RING_WORDS - at < n ? RING_WORDS - at : n;

    if (!*is_ours)
        return;
    wait_for_room(n);
    memcpy(ring_words(ring) + at, word, before_end * sizeof *word);
    memcpy(ring_words(ring), word + before_end, (n - before_end) * sizeof *word);
    head += n;
    RING_STORE(ring->head, head);
    if (RING_LOAD(ring->reader_sleeps) && RING_TAKE(ring->reader_sleeps))
        qn_sys6(__NR_sendto, socket_fd, (long)"", 1, MSG_QUIET, 0, 0);
}

static void analysis_init(const struct sim_config *config)
{
    long shared = (long)sim_option(sim.slot, "record-ring", 1u << 30);

    (void)config;
    qn_sim_records_code = sim_option(sim.slot, "record-code", 0);
    socket_fd = move_up((long)sim_option(sim.slot, "record-socket", 1u << 30));
    ring = sim_alloc(RING_BYTES);
    if (qn_sys_failed(socket_fd) || qn_sys_failed(qn_sys6(__NR_mmap, (long)ring, RING_BYTES, PROT_RW, MAP_SHARED_FIXED, shared, 0)))
        fail("no ring to write to: use `quern trace`");
    qn_sys1(__NR_close, shared);
    is_ours = sim_alloc(PAGE);
    if (qn_sys_failed(qn_sys3(__NR_madvise, (long)is_ours, PAGE, WIPE_ON_FORK)))
        fail("no page that tells a child from its parent");
    *is_ours = 1;
}

static void analysis_ref(const struct sim_ref *ref) { (void)ref; }

static void analysis_finish(void) {}
