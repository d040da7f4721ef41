/* lib/run/kernel/memory.c - the address space: the engine's own ranges, and the guest's mmap family.
 *
 * The guest's calls behave as natively, with three exceptions: no mapping may overlap the engine; code of libraries is placed between
 * parts of the engine, within reach of the code cache, as far as there is room; and brk has an address range of its own.
 */
#include "base/format.h"
#include "guest/exec_map.h"
#include "run/kernel/locked.h"
#include "run/kernel/maps.h"
#include "run/kernel/space_limits.h"
#include "run/observe/data/data.h"
#include "run/run.h"
#include "tcache/tcache.h"

enum { E_NOMEM = 12, E_FAULT = 14, E_EXIST = 17, E_INVAL = 22 };
enum { P_READ = 1, P_WRITE = 2, P_EXEC = 4, P_GROWSDOWN = 0x01000000 };
enum { M_SHARED = 1, M_PRIVATE = 2, M_FIXED = 0x10, M_ANON = 0x20, M_32BIT = 0x40, M_DENYWRITE = 0x800,
       M_NORESERVE = 0x4000, M_FIXED_NEW = 0x100000 };

enum { REMAP_MAYMOVE = 1, REMAP_FIXED = 2, REMAP_DONTUNMAP = 4 };

#define BRK_START 0x555556000000ull
#define BRK_MAX (1ull << 40)     /* bytes: the next thing in the address space is farther away */
#define ASLR_PAGES 0x2000u       /* --aslr=yes: up to 32 MiB of shift */

#define LOWEST (1u << 20)          /* nothing is placed below unless the program says so */
#define HUGE_PAGE (2u << 20)
#define ADVISE_HUGE_PAGES 14

extern char _end[];

static uint64_t heap_next = QN_HEAP_BASE;
static uint64_t brk_start, brk_now;

#define LOW_MAX 256
static struct low_range {
    uint64_t start, size;
} low[LOW_MAX]; /* made by qn_engine_alloc_low */
static unsigned nlow;

/* Where images are placed, one above the other. */
static uint64_t next_image = QN_CODE_BASE + QN_CODE_MAX;

#define IMAGES_MAX 1024
static struct low_range images[IMAGES_MAX];
static unsigned nimages;

static long map(uint64_t at, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
    return qn_sys6(__NR_mmap, (long)at, (long)size, prot, flags, fd, (long)offset);
}

void *qn_map_shared(uint64_t at, uint64_t size, int prot, int fd, uint64_t offset)
{
    long r = map(at, size, prot, M_SHARED | M_FIXED | M_NORESERVE, fd, offset);

    if (qn_sys_failed(r))
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot map the engine's memory");
    return (void *)r;
}

void *qn_engine_try_alloc(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, QN_PAGE);
    long r = map(heap_next, size, P_READ | P_WRITE, M_PRIVATE | M_ANON | M_FIXED | M_NORESERVE, -1, 0);

    if (qn_sys_failed(r))
        return NULL;
    heap_next += size;
    return (void *)r;
}

void *qn_engine_try_alloc_dense(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, HUGE_PAGE);
    void *p;

    heap_next = qn_round_up(heap_next, HUGE_PAGE);
    p = qn_engine_try_alloc(size);
    if (p)
        qn_sys3(__NR_madvise, (long)p, (long)size, ADVISE_HUGE_PAGES);
    return p;
}

void qn_engine_leave_gap(uint64_t bytes) { heap_next += bytes; }

void *qn_engine_alloc(uint64_t bytes)
{
    void *p = qn_engine_try_alloc(bytes);

    if (!p)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "out of memory");
    return p;
}

void qn_guard(uint64_t start, uint64_t bytes) { qn_sys3(__NR_mprotect, (long)start, (long)bytes, 0); }

/* Allocates at the highest address in the range where the guest has no mapping. */
void *qn_engine_alloc_low(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, QN_PAGE);

    for (uint64_t at = QN_LOW_TABLES_END - size; at >= QN_LOW_TABLES && nlow < LOW_MAX; at -= size) {
        long r = map(at, size, P_READ | P_WRITE, M_PRIVATE | M_ANON | M_FIXED_NEW | M_NORESERVE, -1, 0);

        if (qn_sys_failed(r))
            continue;
        low[nlow++] = (struct low_range){at, size};
        return (void *)r;
    }
    qn_die_fatal(QN_FATAL_RESOURCE, 0, "no room below 2 GiB for another table of indirect branches");
}

static uint64_t random_pages(void)
{
    uint64_t value = 0;

    if (!qn_cfg()->aslr)
        return 0;
    qn_sys3(__NR_getrandom, (long)&value, sizeof value, 0);
    return value % ASLR_PAGES * QN_PAGE;
}

/* The kernel chooses no address for the guest between the engine's parts. */
void qn_memory_reserve(void)
{
    map(QN_HIGH_BASE, QN_HIGH_END - QN_HIGH_BASE, 0, M_PRIVATE | M_ANON | M_FIXED_NEW | M_NORESERVE, -1, 0); /* may fail without harm */
}

void qn_memory_init(void)
{
    next_image += random_pages();
    brk_start = brk_now = BRK_START + random_pages();
}

uint64_t qn_low_address(uint64_t size)
{
    uint64_t at = next_image;

    if (at >= QN_ENGINE_BASE || size > QN_ENGINE_BASE - at || nimages == IMAGES_MAX)
        return 0;
    images[nimages++] = (struct low_range){at, size};
    next_image = qn_round_up(at + size, QN_PAGE) + QN_PAGE; /* a guard page, so that an access after the end faults */
    return at;
}

/* ---- the engine's ranges ---- */

static bool overlaps(uint64_t a, uint64_t size, uint64_t start, uint64_t end)
{
    return a < end && a + size > start;
}

bool qn_is_engine_range(uint64_t start, uint64_t size)
{
    for (unsigned i = 0; i < nlow; i++)
        if (overlaps(start, size, low[i].start, low[i].start + low[i].size))
            return true;
    return overlaps(start, size, QN_COUNTERS_BASE, QN_COUNTERS_BASE + QN_ARENA_COUNTERS_SIZE) ||
           overlaps(start, size, QN_CODE_BASE, QN_CODE_BASE + QN_CODE_MAX) ||
           overlaps(start, size, QN_ENGINE_BASE, qn_round_up((uint64_t)(uintptr_t)_end, QN_PAGE)) ||
           overlaps(start, size, QN_HIGH_BASE, QN_HIGH_END);
}

/* Does the range begin or end outside of an image that it touches?  An image is mapped piece by piece at given addresses; a range that
 * goes beyond it was chosen by a program that expects nothing there. */
static bool crosses_image(uint64_t start, uint64_t size)
{
    for (unsigned i = 0; i < nimages; i++) {
        uint64_t from = images[i].start, to = from + images[i].size;

        if (overlaps(start, size, from, to) && (start < from || start + size > to) && qn_is_mapped(from))
            return true;
    }
    return false;
}

bool qn_refuses_address(uint64_t start, uint64_t size)
{
    static bool told;
    char text[160];

    if (!qn_is_engine_range(start, size) && !crosses_image(start, size))
        return false;
    if (!told) {
        qn_format(text, sizeof text, "memory at 0x%x: quern's own is at 0x%x to 0x%x and at 0x%x to 0x%x (doc/limits.md)", start, QN_COUNTERS_BASE,
                  QN_LOW_TABLES_END, QN_HIGH_BASE, QN_HIGH_END);
        qn_unsupported(text);
    }
    told = true;
    return true;
}

bool qn_is_mapped(uint64_t addr)
{
    return qn_sys3(__NR_msync, (long)qn_round_down(addr, QN_PAGE), QN_PAGE, 1) == 0;
}

/* ---- code that is mapped, unmapped or changed ---- */

void qn_code_changed(uint64_t start, uint64_t end)
{
    if (!qn_exec_overlaps(start, end))
        return;
    qn_tcache_invalidate(start, end);
    qn_arena->stats.smc_invalidations++;
}

static void note_access(uint64_t start, uint64_t size, int prot)
{
    uint64_t end = start + qn_round_up(size, QN_PAGE);

    qn_code_changed(start, end);
    if (prot & P_EXEC)
        qn_exec_add(start, end, (prot & P_WRITE) || qn_shared_overlaps(start, end)); /* shared: others may write */
    else
        qn_exec_remove(start, end);
}

void qn_note_mapping(uint64_t start, uint64_t size, int prot, bool shared)
{
    qn_shared_set(start, start + qn_round_up(size, QN_PAGE), shared);
    qn_data_unmapped(start, start + qn_round_up(size, QN_PAGE));
    if (qn_exec_overlaps(start, start + qn_round_up(size, QN_PAGE)))
        qn_frames_forget(start, start + qn_round_up(size, QN_PAGE));
    note_access(start, size, prot);
}

/* ---- the guest's calls ---- */

/* ld.so first maps a library's whole span, read-only and with MAP_DENYWRITE: this span is placed low. */
static bool wants_low(const long *a)
{
    bool file = (int)a[4] >= 0 && !(a[3] & M_ANON);

    return a[0] == 0 && file && !(a[3] & (M_FIXED | M_FIXED_NEW | M_32BIT)) && ((a[2] & P_EXEC) || (a[3] & M_DENYWRITE));
}

struct gaps {
    uint64_t size;   /* bytes wanted */
    uint64_t found;  /* the highest address so far; 0 = none */
    uint64_t before; /* end of the mapping before */
};

static bool take_gap(void *data, const struct qn_mapping *m)
{
    struct gaps *g = data;
    uint64_t top = m->start < QN_HIGH_BASE ? m->start : QN_HIGH_BASE;

    if (top > g->before && top - g->before >= g->size && !qn_is_engine_range(top - g->size, g->size))
        g->found = top - g->size;
    g->before = m->end;
    return true;
}

/* The highest address below the engine's ranges that has room, as the kernel would choose it; 0 = none. */
static uint64_t highest_gap(uint64_t size)
{
    struct gaps g = {.size = qn_round_up(size, QN_PAGE), .before = LOWEST};

    return qn_maps_each(take_gap, &g) ? g.found : qn_round_down(QN_HIGH_BASE - size, HUGE_PAGE);
}

/* The kernel has chosen an address between the engine's ranges: reserves a range below them.  0 = there is no room. */
uint64_t qn_find_free_range(uint64_t size)
{
    uint64_t at = highest_gap(size);
    long r = at ? map(at, size, 0, M_PRIVATE | M_ANON | M_NORESERVE | M_FIXED_NEW, -1, 0) : -E_NOMEM;

    return qn_sys_failed(r) ? 0 : (uint64_t)r;
}

static long map_guest(uint64_t at, const long *a)
{
    uint64_t size = (uint64_t)a[1];
    int flags = (int)a[3] | qn_locked_flag();
    long r = map(at, size, (int)a[2], flags, (int)a[4], (uint64_t)a[5]);

    if (qn_sys_failed(r) || !qn_is_engine_range((uint64_t)r, size))
        return r;
    qn_sys2(__NR_munmap, r, (long)size);
    at = a[3] & M_32BIT ? 0 : qn_find_free_range(size);
    if (!at)
        return -E_NOMEM;
    r = map(at, size, (int)a[2], flags | M_FIXED, (int)a[4], (uint64_t)a[5]);
    if (qn_sys_failed(r))
        qn_sys2(__NR_munmap, (long)at, (long)size);
    return r;
}

/* Of a file in memory a private mapping shows what is written to the file, too, as its page has not been copied yet. */
static bool is_memfd(const long *a)
{
    static const char name[] = "/memfd:";
    char link[32], path[sizeof name - 1];

    if (a[3] & M_ANON || (int)a[4] < 0)
        return false;
    qn_format(link, sizeof link, "/proc/self/fd/%d", (int)a[4]);
    return qn_sys3(__NR_readlink, (long)link, (long)path, sizeof path) == sizeof path && !__builtin_memcmp(path, name, sizeof path);
}

static bool is_data(long prot, long flags) { return prot & P_WRITE && !(flags & M_SHARED); }

long qn_sys_mmap(const long *a)
{
    uint64_t at = (uint64_t)a[0], size = (uint64_t)a[1];
    long r;

    if ((a[3] & (M_FIXED | M_FIXED_NEW)) && qn_refuses_address(at, size))
        return a[3] & M_FIXED_NEW ? -E_EXIST : -E_NOMEM;
    if (qn_is_engine_range(at, size)) /* the address is only a hint (V8 asks for random addresses) */
        at = 0;
    if (size && !qn_space_allows(size, is_data(a[2], a[3]), at, a[3] & M_FIXED))
        return -E_NOMEM;
    if (wants_low(a))
        at = qn_low_address(qn_round_up(size, QN_PAGE));
    r = map_guest(at, a);
    if (qn_sys_failed(r))
        return r;
    qn_note_mapping((uint64_t)r, size, (int)a[2], a[3] & M_SHARED || is_memfd(a));
    qn_locked_note((uint64_t)r, size);
    if ((a[2] & P_EXEC) && (int)a[4] >= 0 && !(a[3] & M_ANON))
        qn_message_file((int)a[4]);
    return r;
}

long qn_sys_munmap(uint64_t start, uint64_t size)
{
    long r;

    if (qn_is_engine_range(start, size))
        return -E_INVAL;
    r = qn_sys2(__NR_munmap, (long)start, (long)size);
    if (!r)
        qn_note_mapping(start, size, 0, false);
    return r;
}

/* Where the call begins to have an effect: with PROT_GROWSDOWN at the beginning of the mapping. */
static uint64_t protected_from(uint64_t start, long prot)
{
    static struct qn_mapping m;

    return prot & P_GROWSDOWN && qn_maps_find(start, &m) ? m.start : start;
}

/* nr: mprotect, or pkey_mprotect; a: address, size, protection, key */
long qn_sys_mprotect(long nr, const long *a)
{
    uint64_t start = (uint64_t)a[0], size = (uint64_t)a[1], from = protected_from(start, a[2]);
    bool ours = qn_is_engine_range(start, size);
    /* For the engine's range, makes the call for page 0 instead, where nothing is mapped, as natively at this address. */
    long r = qn_sys4(nr, ours ? (long)(start % QN_PAGE) : a[0], a[1], a[2], a[3]);

    if (!r && !ours)
        note_access(from, start + size - from, (int)a[2]);
    return r;
}

/* A program and its interpreter are loaded; the stack becomes executable, if the program asks for that, as far as it will ever grow. */
void qn_make_stack_executable(uint64_t sp)
{
    qn_sys3(__NR_mprotect, (long)qn_round_down(sp, QN_PAGE), QN_PAGE, P_READ | P_WRITE | P_EXEC | P_GROWSDOWN);
}

/* The kernel knows of code that no call has named: in stacks, which grow, and in what READ_IMPLIES_EXEC makes executable.  false: there is
 * no code at pc. */
bool qn_learn_code(uint64_t pc)
{
    static struct qn_mapping m;

    if (qn_is_engine_range(pc, 1) || !qn_maps_find(pc, &m) || !(m.flags & QN_MAPS_EXEC))
        return false;
    return qn_exec_fill(pc, m.start, m.end, m.flags & (QN_MAPS_WRITE | QN_MAPS_SHARED));
}

/* The kernel has moved the mapping between the engine's ranges: moves it out. */
static long move_out(uint64_t r, const long *a)
{
    uint64_t size = (uint64_t)a[2], at = qn_find_free_range(size);
    long moved = -E_NOMEM;

    if (at)
        moved = qn_sys6(__NR_mremap, (long)r, (long)size, (long)size, REMAP_MAYMOVE | REMAP_FIXED, (long)at, 0);
    if (!qn_sys_failed(moved))
        return moved;
    if (at)
        qn_sys2(__NR_munmap, (long)at, (long)size);
    qn_sys6(__NR_mremap, (long)r, (long)size, a[1], REMAP_MAYMOVE | REMAP_FIXED, a[0], 0); /* undoes the call */
    return moved;
}

long qn_sys_mremap(const long *a)
{
    const struct qn_tree_node *range = qn_exec_find((uint64_t)a[0]);
    bool exec = range != NULL, writable = range && range->flag, shared = qn_shared_overlaps((uint64_t)a[0], (uint64_t)a[0] + 1);
    long r;

    if (qn_is_engine_range((uint64_t)a[0], (uint64_t)a[1]) ||
        ((a[3] & REMAP_FIXED) && qn_refuses_address((uint64_t)a[4], (uint64_t)a[2])))
        return qn_is_engine_range((uint64_t)a[0], 1) ? -E_FAULT : -E_INVAL;
    if (a[2] > a[1] && !qn_space_allows((uint64_t)(a[2] - a[1]), !shared, 0, false))
        return -E_NOMEM;
    r = qn_sys6(__NR_mremap, a[0], a[1], a[2], a[3], a[4], 0);
    if (!qn_sys_failed(r) && qn_is_engine_range((uint64_t)r, (uint64_t)a[2]))
        r = move_out((uint64_t)r, a);
    if (qn_sys_failed(r))
        return r;
    qn_note_mapping((uint64_t)a[0], (uint64_t)a[1], 0, shared && (!a[1] || (a[3] & REMAP_DONTUNMAP)));
    qn_note_mapping((uint64_t)r, (uint64_t)a[2], exec ? P_EXEC | (writable ? P_WRITE : 0) : 0, shared);
    return r;
}

bool qn_is_brk(uint64_t addr) { return addr - brk_start < qn_round_up(brk_now, QN_PAGE) - brk_start; }

long qn_sys_brk(uint64_t wanted)
{
    uint64_t now_page = qn_round_up(brk_now, QN_PAGE), wanted_page = qn_round_up(wanted, QN_PAGE);

    if (wanted < brk_start || wanted > brk_start + BRK_MAX)
        return (long)brk_now;
    if (wanted_page > now_page && !qn_space_allows(wanted_page - now_page, true, 0, false))
        return (long)brk_now;
    if (wanted_page > now_page) {
        long r = map(now_page, wanted_page - now_page, P_READ | P_WRITE, M_PRIVATE | M_ANON | M_FIXED_NEW | qn_locked_flag(), -1, 0);

        if (qn_sys_failed(r))
            return (long)brk_now;
        qn_locked_note(now_page, wanted_page - now_page);
    } else if (wanted_page < now_page) {
        qn_sys2(__NR_munmap, (long)wanted_page, (long)(now_page - wanted_page));
    }
    brk_now = wanted;
    return (long)brk_now;
}
