/* analysis/record.c - records every reference and branch, for `quern replay`.  Used by `quern trace`; engine only.
 *
 * Writes every fetch, reference and branch, with calls and returns, to a file: what `quern trace` is made of. Engine only. The format
 * is in lib/sim/record.h: a byte for kind and size, then the distance from the last address of that kind as a varint.
 *
 *   mov $cell, %ebx at 401000, 5 bytes     29 80 c0 80 04      fetch, 5 bytes, +401000
 *   mov (%rbx), %eax                       11 0a               fetch, 2 bytes, +5
 *                                          22 80 c0 81 04      read, 4 bytes, +403000
 *
 * A forked child records nothing.
 *
 * `quern trace` has it write blocks and addresses instead (`record-ring`, `record-socket`: memory and a socket that it opens): nothing
 * is simulated then, and it is the only analysis of the run; lib/sim/record.h and lib/sim/record.h say how these become a trace.
 *
 * Options: `record-fd`, a descriptor to write to; `quern trace` opens it. `record-from` (0): so many instructions pass before the
 * first that is written; `record-count`: so many are written then (all); `record-code` (0): 1 writes the bytes of each instruction
 * once.
 * Storage: about two bytes per reference, less when compressed.
 * Source: address traces as in A. J. Smith 1982 (see nextline in level.md); distances and varints are common practice. */
#include "base/syscall.h"
#include "sim/module.h"
#include "sim/record.h"
#include "sim/service.h"

#ifdef QN_SIM_HOSTED
#error "record runs in the engine only: a replay has its trace already"
#endif

#define ANALYSIS "record"
#define ANALYSIS_LOG 1
#define WINDOW (16ull << 20) /* bytes */
#define OWN_DESCRIPTORS 24   /* descriptors at the end of the table, which the program does not use */
enum { PROT_RW = 3, MAP_SHARED_FIXED = 0x11, WIPE_ON_FORK = 18, DUPFD_CLOEXEC = 1030, LIMIT_FILE_SIZE = 1, LIMIT_FILES = 7,
       OPNOTSUPP = 95, PAGE = 4096,
       MSG_QUIET = 0x4040 /* MSG_NOSIGNAL | MSG_DONTWAIT */, INTERRUPTED = 4 };

#define CODE_SEEN (1u << 16)   /* entries of code_seen */
#define USER_END (1ull << 47)  /* the end of user addresses */

static long fd;
static uint64_t first, end;   /* the first instruction to record, from 0; the one after the last */
static uint64_t fetches;
static uint64_t *code_seen;   /* by a hash of the address: the address and bytes recorded last; NULL: bytes are not recorded */
static volatile uint64_t *is_ours; /* 0 in a forked child */
static uint8_t *window, *at;
static uint64_t offset; /* of the window in the file */
static uint64_t last[RECORD_KINDS];

static void fail(const char *what) { sim_fail(sim.slot, ANALYSIS, "analysis_ref", offset, what); }

/* Allocates the blocks of the window; if the file system cannot allocate, extends the file.  Checks the limit of file sizes first, beyond
 * which the kernel would send a signal. */
static bool take_room(void)
{
    uint64_t limit[2] = {0, 0};
    long got;

    qn_sys4(__NR_prlimit64, 0, LIMIT_FILE_SIZE, 0, (long)limit);
    if (limit[0] < offset + WINDOW)
        return false;
    got = qn_sys4(__NR_fallocate, fd, 0, (long)offset, WINDOW);
    if (got == -OPNOTSUPP)
        got = qn_sys2(__NR_ftruncate, fd, (long)(offset + WINDOW));
    return !qn_sys_failed(got);
}

static void map_window(void)
{
    if (!take_room())
        fail("no room for more of the trace: a full disk (TMPDIR names another), or a limit of file sizes");
    if (qn_sys_failed(qn_sys6(__NR_mmap, (long)window, WINDOW, PROT_RW, MAP_SHARED_FIXED, fd, (long)offset)))
        fail("cannot write the trace");
}

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

/* ---- into a ring ---- */

static struct ring *ring;
static long socket_fd;
static uint64_t head;

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

static void put_words(const struct qn_log_entry *entry, uint32_t n)
{
    struct qn_log_entry *words = ring_words(ring);

    if (!*is_ours)
        return;
    wait_for_room(n);
    for (uint32_t i = 0; i < n; i++)
        words[(head + i) % RING_WORDS] = entry[i];
    head += n;
    RING_STORE(ring->head, head);
    if (RING_LOAD(ring->reader_sleeps) && RING_TAKE(ring->reader_sleeps))
        qn_sys6(__NR_sendto, socket_fd, (long)"", 1, MSG_QUIET, 0, 0);
}

/* A reference with more bytes than fit beside the site: its word has the size in place of the site. */
static void put_big(uint64_t addr, uint32_t size, enum qn_log_kind kind, uint32_t counter)
{
    const struct qn_log_entry entry = {addr, size, (uint32_t)kind | QN_LOG_BIG};

    (void)counter;
    put_words(&entry, 1);
}

static void put_no_pass(uint64_t addr, uint32_t size) { (void)addr, (void)size; }

static const struct qn_log_consumer *analysis_log(void)
{
    static const struct qn_log_consumer consumer = {put_words, put_big, put_no_pass};

    return sim_option("AN", "record-ring", 0) ? &consumer : NULL;
}

static void open_ours(void)
{
    is_ours = sim_alloc(PAGE);
    if (qn_sys_failed(qn_sys3(__NR_madvise, (long)is_ours, PAGE, WIPE_ON_FORK)))
        fail("no page that tells a child from its parent");
    *is_ours = 1;
}

static void open_ring(void)
{
    long shared = (long)sim_option(sim.slot, "record-ring", 0);

    socket_fd = move_up((long)sim_option(sim.slot, "record-socket", 1u << 30));
    ring = sim_alloc(RING_BYTES);
    if (qn_sys_failed(socket_fd) || qn_sys_failed(qn_sys6(__NR_mmap, (long)ring, RING_BYTES, PROT_RW, MAP_SHARED_FIXED, shared, 0)))
        fail("no ring to write to: use `quern trace`");
    qn_sys1(__NR_close, shared);
    open_ours();
}

/* ---- at the start ---- */

static void analysis_init(const struct sim_config *config)
{
    (void)config;
    if (analysis_log()) {
        open_ring();
        return;
    }
    first = sim_option(sim.slot, "record-from", 0);
    end = first + sim_option(sim.slot, "record-count", ~0ull - first);
    if (sim_option(sim.slot, "record-code", 0))
        code_seen = sim_alloc(2 * CODE_SEEN * sizeof *code_seen);
    fd = move_up((long)sim_option(sim.slot, "record-fd", 1u << 30));
    if (qn_sys_failed(fd))
        fail("no descriptor to write to: use `quern trace`");
    at = window = sim_alloc(WINDOW);
    open_ours();
    map_window();
    __builtin_memcpy(at, RECORD_MAGIC, RECORD_MAGIC_BYTES);
    at += RECORD_MAGIC_BYTES;
}

/* Maps the next window; it begins at the current page. */
static void advance(void)
{
    uint64_t used = (uint64_t)(at - window), whole = used & ~4095ull;

    offset += whole;
    map_window();
    at = window + (used - whole);
}

static void put(uint64_t v)
{
    for (; v >= 128; v >>= 7)
        *at++ = (uint8_t)(v | 128);
    *at++ = (uint8_t)v;
}

/* Reserves the first byte of a record, which is written last. */
static uint8_t *put_place(void) { return at++; }

static void put_head(uint8_t *head, enum record_kind kind, unsigned code)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the compiler must write the first byte last; the processor keeps the order */
    *head = (uint8_t)(kind | code << 3);
}

static void put_address(enum record_kind kind, uint64_t addr)
{
    put(record_zigzag(addr - last[kind]));
    last[kind] = addr;
}

/* Records the bytes of an instruction, if they differ from those recorded last for its address. */
static void put_code(const struct sim_ref *ref)
{
    uint64_t *seen = code_seen + 2 * ((ref->addr ^ ref->addr >> 16) % CODE_SEEN), bytes[2] = {0, 0};
    uint8_t *head;

    if (ref->size > RECORD_CODE_MAX || ref->addr >= USER_END)
        return;
    __builtin_memcpy(bytes, (const void *)ref->addr, ref->size);
    bytes[0] ^= bytes[1] * 0x9e3779b97f4a7c15ull;
    if (seen[0] == ref->addr && seen[1] == bytes[0])
        return;
    seen[0] = ref->addr;
    seen[1] = bytes[0];
    head = put_place();
    put(ref->size);
    __builtin_memcpy(at, (const void *)ref->addr, ref->size);
    at += ref->size;
    put_head(head, RECORD_STACK, RECORD_CODE);
}

static void put_reference(const struct sim_ref *ref, enum record_kind kind)
{
    uint8_t *head = put_place();

    if (ref->size >= 32)
        put(ref->size);
    put_address(kind, ref->addr);
    put_head(head, kind, ref->size < 32 ? ref->size : 0);
}

static void put_jump(enum record_kind kind, unsigned code, const struct sim_ref *ref)
{
    uint8_t *head = put_place();

    put_address(kind, ref->addr);
    put(record_zigzag(ref->target - ref->addr));
    put_head(head, kind, code);
}

static void put_conditional(const struct sim_ref *ref)
{
    uint8_t *head = put_place();

    put_address(RECORD_COND, ref->addr);
    put_head(head, RECORD_COND, (ref->outcome & SIM_TAKEN) | (ref->backward ? 2 : 0));
}

/* Does this reference belong to an instruction from first to end - 1? */
static bool is_wanted(const struct sim_ref *ref)
{
    if (ref->kind == SIM_REF_FETCH)
        fetches++;
    return fetches > first && fetches <= end;
}

static void analysis_ref(const struct sim_ref *ref)
{
    if (!*is_ours || !is_wanted(ref))
        return;
    if (code_seen && ref->kind == SIM_REF_FETCH)
        put_code(ref);
    switch (ref->kind) {
    case SIM_REF_COND:
        put_conditional(ref);
        break;
    case SIM_REF_INDIRECT:
        put_jump(RECORD_INDIRECT, 0, ref);
        break;
    case SIM_REF_CALL:
    case SIM_REF_RETURN:
        put_jump(RECORD_STACK, ref->kind == SIM_REF_RETURN, ref);
        break;
    default:
        put_reference(ref, ref->kind == SIM_REF_FETCH ? RECORD_FETCH : (enum record_kind)(RECORD_READ + ref->kind));
    }
    if (at > window + WINDOW - 2 * RECORD_BYTES_MAX)
        advance();
}

static void analysis_finish(void) {}
