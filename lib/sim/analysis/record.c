/* analysis/record.c - writes every reference and branch to a file, for `quern replay`.  Used by `quern trace`; engine only.
 *
 * The file (--sim-opt=record-fd=N, opened by quern trace) is written through a window mapped from it, so that whatever ends the
 * program, all that happened before is there.  A forked child records nothing: there is one file and one order.
 * Format: sim/record.h.  Source: address traces as in A. J. Smith, Cache memories, ACM Computing Surveys 14(3), 1982.
 */
#include "base/syscall.h"
#include "sim/module.h"
#include "sim/record.h"

#ifdef QN_SIM_HOSTED
#error "record runs in the engine only: a replay has its trace already"
#endif

#define ANALYSIS "record"
#define WINDOW (16ull << 20) /* bytes */
#define OWN_DESCRIPTORS 24   /* from the end of the table: out of the program's reach */
enum { PROT_RW = 3, MAP_SHARED_FIXED = 0x11, DUPFD_CLOEXEC = 1030, LIMIT_FILES = 7 };

static long fd, owner;
static uint8_t *window, *at;
static uint64_t offset; /* of the window in the file */
static uint64_t last[RECORD_KINDS];

static void fail(const char *what) { sim_fail(sim.slot, ANALYSIS, "analysis_ref", offset, what); }

static void map_window(void)
{
    if (qn_sys_failed(qn_sys2(__NR_ftruncate, fd, (long)(offset + WINDOW))) ||
        qn_sys_failed(qn_sys6(__NR_mmap, (long)window, WINDOW, PROT_RW, MAP_SHARED_FIXED, fd, (long)offset)))
        fail("cannot write the trace");
}

/* A descriptor that the program cannot close by counting up. */
static long move_up(long low)
{
    uint64_t limit[2] = {1024, 1024};
    long high;

    qn_sys4(__NR_prlimit64, 0, LIMIT_FILES, 0, (long)limit);
    high = qn_sys3(__NR_fcntl, low, DUPFD_CLOEXEC, (long)limit[0] - OWN_DESCRIPTORS);
    qn_sys1(__NR_close, low);
    return high;
}

static void analysis_init(const struct sim_config *config)
{
    (void)config;
    fd = move_up((long)sim_option(sim.slot, "record-fd", 1u << 30));
    owner = qn_sys1(__NR_getpid, 0);
    if (qn_sys_failed(fd))
        fail("no descriptor to write to: use `quern trace`");
    at = window = sim_alloc(WINDOW);
    map_window();
    __builtin_memcpy(at, RECORD_MAGIC, RECORD_MAGIC_BYTES);
    at += RECORD_MAGIC_BYTES;
}

/* The next window begins on the page that we are in. */
static void advance(void)
{
    uint64_t used = (uint64_t)(at - window), whole = used & ~4095ull;

    if (qn_sys1(__NR_getpid, 0) != owner) {
        fd = -1;
        return;
    }
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

static void put_head(enum record_kind kind, unsigned code) { *at++ = (uint8_t)(kind | code << 3); }

static void put_address(enum record_kind kind, uint64_t addr)
{
    put(record_zigzag(addr - last[kind]));
    last[kind] = addr;
}

static void put_reference(const struct sim_ref *ref, enum record_kind kind)
{
    put_head(kind, ref->size < 32 ? ref->size : 0);
    if (ref->size >= 32)
        put(ref->size);
    put_address(kind, ref->addr);
}

static void put_jump(enum record_kind kind, unsigned code, const struct sim_ref *ref)
{
    put_head(kind, code);
    put_address(kind, ref->addr);
    put(record_zigzag(ref->target - ref->addr));
}

static void analysis_ref(const struct sim_ref *ref)
{
    if (fd < 0)
        return;
    switch (ref->kind) {
    case SIM_REF_COND:
        put_head(RECORD_COND, (ref->outcome & SIM_TAKEN) | (ref->backward ? 2 : 0));
        put_address(RECORD_COND, ref->addr);
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
    if (at > window + WINDOW - RECORD_BYTES_MAX)
        advance();
}

static void analysis_finish(void) {}
