/* lib/run/kernel/memory.c - the address space: the engine's own ranges, and the guest's mmap family.
 *
 * The guest's calls behave as natively, with three exceptions: no mapping may overlap the engine; code of libraries is placed between
 * parts of the engine, within reach of the code cache, as far as there is room; and brk has an address range of its own.
 */
#include "base/format.h"
#include "guest/exec_map.h"
#include "run/kernel/kernel.h"
#include "tcache/tcache.h"

#define BRK_START 0x555556000000ull
#define BRK_MAX (1ull << 40)     /* bytes: the next thing in the address space is farther away */
#define BRK_PROBE (1u << 30)      /* bytes that must be free there */
#define ASLR_PAGES 0x2000u       /* --aslr=yes: up to 32 MiB of shift */

#define LOWEST (1u << 20)          /* nothing is placed below unless the program says so */
#define HUGE_PAGE (2u << 20)
#define USER_END (1ull << 47)

extern char _end[];

static uint64_t heap_next = QN_HEAP_BASE;
static uint64_t brk_start, brk_now;

#define LOW_MAX 300 /* a table for each scope, and what simulators and analyses need */
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

/* Maps where nothing is.  A kernel before 4.17, and qemu-user before 8.1, take the flag for none, and may choose another address. */
static long map_free(uint64_t at, uint64_t size, int prot, int flags)
{
    long r = map(at, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | flags, -1, 0);

    if (qn_sys_failed(r) || (uint64_t)r == at)
        return r;
    qn_sys2(__NR_munmap, r, (long)size);
    return -EEXIST;
}

void *qn_map_shared(uint64_t at, uint64_t size, int prot, int fd, uint64_t offset)
{
    long r = map(at, size, prot, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, offset);

    if (qn_sys_failed(r))
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot map the engine's memory");
    return (void *)r;
}

/* Another process of the engine may allocate at the same time (run/observe/beside.c). */
static uint64_t take_heap(uint64_t bytes) { return __atomic_fetch_add(&heap_next, bytes, __ATOMIC_SEQ_CST); }

static void *alloc_at(uint64_t at, uint64_t size)
{
    long r = map(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);

    return qn_sys_failed(r) ? NULL : (void *)r;
}

void *qn_engine_try_alloc(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, QN_PAGE);

    return alloc_at(take_heap(size), size);
}

void *qn_engine_try_alloc_dense(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, HUGE_PAGE), at = take_heap(size + HUGE_PAGE);
    void *p = alloc_at(qn_round_up(at, HUGE_PAGE), size);

    if (p)
        qn_sys3(__NR_madvise, (long)p, (long)size, MADV_HUGEPAGE);
    return p;
}

void qn_engine_leave_gap(uint64_t bytes) { take_heap(bytes); }

void *qn_engine_alloc(uint64_t bytes)
{
    void *p = qn_engine_try_alloc(bytes);

    if (!p)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "out of memory");
    return p;
}

void qn_guard(uint64_t start, uint64_t bytes) { qn_sys3(__NR_mprotect, (long)start, (long)bytes, 0); }

/* Allocates at the highest address in the range where the guest has no mapping. */
void *qn_engine_try_alloc_low(uint64_t bytes)
{
    uint64_t size = qn_round_up(bytes, QN_PAGE);

    for (uint64_t at = QN_LOW_TABLES_END - size; at >= QN_LOW_TABLES && nlow < LOW_MAX; at -= size) {
        long r = map_free(at, size, PROT_READ | PROT_WRITE, MAP_NORESERVE);

        if (qn_sys_failed(r))
            continue;
        low[nlow++] = (struct low_range){at, size};
        return (void *)r;
    }
    return NULL;
}

void *qn_engine_alloc_low(uint64_t bytes)
{
    void *p = qn_engine_try_alloc_low(bytes);

    if (!p)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "no room below 2 GiB for another table of indirect branches");
    return p;
}

static uint64_t random_pages(void)
{
    uint64_t value = 0;

    if (!qn_cfg()->aslr)
        return 0;
    qn_sys3(__NR_getrandom, (long)&value, sizeof value, 0);
    return value % ASLR_PAGES * QN_PAGE;
}

/* The kernel chooses no address for the guest between the engine's parts.  qemu-user would record each page for seconds, and chooses addresses far
 * below. */
void qn_memory_reserve(void)
{
    if (!qn_kernel_is_emulated())
        map_free(QN_HIGH_BASE, QN_HIGH_END - QN_HIGH_BASE, 0, MAP_NORESERVE); /* may fail without harm */
}

/* Where brk begins.  At the usual place qemu's own memory may lie, which no list shows. */
static uint64_t place_brk(void)
{
    uint64_t start = BRK_START + random_pages(), at = start;

    for (; at > BRK_MAX; at -= BRK_MAX)
        if (!qn_sys_failed(map_free(at, BRK_PROBE, 0, MAP_NORESERVE)))
            return qn_sys2(__NR_munmap, (long)at, BRK_PROBE), at;
    return start;
}

void qn_memory_init(void)
{
    next_image += random_pages();
    brk_start = brk_now = place_brk();
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

/* The program has chosen the address: is it the engine's?  A message then says where quern lies. */
static bool refuses_address(uint64_t start, uint64_t size)
{
    static bool noted;
    char text[160];

    if (!qn_is_engine_range(start, size) && !crosses_image(start, size))
        return false;
    if (!noted) {
        qn_format(text, sizeof text, "memory at 0x%lx: quern's own is at 0x%llx to 0x%llx and at 0x%llx to 0x%llx (doc/limits.md)", start, QN_COUNTERS_BASE,
                  QN_LOW_TABLES_END, QN_HIGH_BASE, QN_HIGH_END);
        qn_unsupported(text);
    }
    noted = true;
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

/* Code for which the program has asked that a child does not get it, or gets zeros.  It then asks the kernel what is left (qn_learn_code). */
static uint64_t not_for_children, not_for_children_end;

void qn_code_advised(uint64_t start, uint64_t end, long advice)
{
    bool forks = advice == MADV_DONTFORK || advice == MADV_WIPEONFORK;

    if (forks && qn_exec_overlaps(start, end)) {
        not_for_children_end = not_for_children_end > end ? not_for_children_end : end;
        not_for_children = not_for_children && not_for_children < start ? not_for_children : start;
    }
    qn_code_changed(start, end); /* most advice changes nothing, but it is rarely about code */
}

void qn_memory_forked(void)
{
    qn_code_changed(not_for_children, not_for_children_end);
    qn_exec_remove(not_for_children, not_for_children_end);
}

static void note_access(uint64_t start, uint64_t size, int prot)
{
    uint64_t end = start + qn_round_up(size, QN_PAGE);

    qn_code_changed(start, end);
    if (prot & PROT_EXEC)
        qn_exec_add(start, end, (prot & PROT_WRITE) || qn_shared_overlaps(start, end)); /* shared: others may write */
    else
        qn_exec_remove(start, end);
}

static void note_mapping(uint64_t start, uint64_t size, int prot, bool shared)
{
    qn_shared_set(start, start + qn_round_up(size, QN_PAGE), shared);
    QN_TELL(unmapped, start, start + qn_round_up(size, QN_PAGE));
    note_access(start, size, prot);
}

/* ---- mlockall: locks the program's mappings in memory, but not the gigabytes that the engine has reserved ----
 *
 *   MCL_CURRENT     each of the program's mappings is locked by itself
 *   MCL_FUTURE      remembered; each new mapping is locked (MAP_LOCKED, or with MCL_ONFAULT by mlock2 afterwards)
 *
 * As in the kernel, nothing is locked if all together is more than the program may lock; a page that cannot be allocated is no error.
 * Not done: a segment that is attached later (shmat) is not locked.
 */

static long future;  /* MCL_FUTURE and MCL_ONFAULT, or 0 */
static long its_pid; /* the process that `future` is for: children do not inherit it */

struct locking {
    long call; /* mlock, mlock2 with MLOCK_ONFAULT, munlock */
    bool strict;
    long result;
};

static bool lock_mapping(void *data, const struct qn_mapping *m)
{
    struct locking *l = data;

    if (m->start < USER_END && !qn_is_engine_range(m->start, m->end - m->start))
        l->result = qn_sys3(l->call, (long)m->start, (long)(m->end - m->start), MLOCK_ONFAULT);
    return !l->strict || !l->result;
}

/* Makes the call for each mapping of the program.  With `strict`, stops at the first that fails, and returns its result. */
static long lock_all(long call, bool strict)
{
    struct locking l = {.call = call, .strict = strict};

    return qn_maps_each(lock_mapping, &l) ? l.result : -ENOMEM;
}

/* mlockall, munlockall */
long qn_sys_mlockall(long nr, const long *a)
{
    long flags = a[0], r;

    if (nr == __NR_munlockall) {
        future = 0;
        return qn_sys1(nr, 0);
    }
    if (!flags || flags & ~(long)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) || flags == MCL_ONFAULT)
        return -EINVAL;
    r = qn_sys3(__NR_mlock2, 0, 0, MLOCK_ONFAULT);
    if (r) /* the program may lock nothing at all */
        return r;
    if (flags & MCL_CURRENT) {
        r = lock_all(__NR_mlock2, true);
        if (r) {
            lock_all(__NR_munlock, false);
            return r;
        }
        if (!(flags & MCL_ONFAULT))
            lock_all(__NR_mlock, false);
    }
    future = flags & MCL_FUTURE ? flags & (MCL_FUTURE | MCL_ONFAULT) : 0;
    its_pid = qn_sys1(__NR_getpid, 0);
    return 0;
}

static long wanted_lock(void) { return future && its_pid == qn_sys1(__NR_getpid, 0) ? future : 0; }

static int locked_flag(void) { return wanted_lock() == MCL_FUTURE ? MAP_LOCKED : 0; }

static void lock_new(uint64_t start, uint64_t size)
{
    if (wanted_lock() == (MCL_FUTURE | MCL_ONFAULT))
        qn_sys3(__NR_mlock2, (long)start, (long)size, MLOCK_ONFAULT);
}

/* ---- the guest's calls ---- */

/* ld.so first maps a library's whole span, read-only and with MAP_DENYWRITE: this span is placed low. */
static bool wants_low(const long *a)
{
    bool file = (int)a[4] >= 0 && !(a[3] & MAP_ANONYMOUS);

    return a[0] == 0 && file && !(a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT)) && ((a[2] & PROT_EXEC) || (a[3] & MAP_DENYWRITE));
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
static uint64_t find_free_range(uint64_t size)
{
    uint64_t at = highest_gap(size);
    long r = at ? map_free(at, size, 0, MAP_NORESERVE) : -ENOMEM;

    return qn_sys_failed(r) ? 0 : (uint64_t)r;
}

static long map_guest(uint64_t at, const long *a)
{
    uint64_t size = (uint64_t)a[1];
    int flags = (int)a[3] | locked_flag();
    long r = map(at, size, (int)a[2], flags, (int)a[4], (uint64_t)a[5]);

    if (qn_sys_failed(r) || !qn_is_engine_range((uint64_t)r, size))
        return r;
    qn_sys2(__NR_munmap, r, (long)size);
    at = a[3] & MAP_32BIT ? 0 : find_free_range(size);
    if (!at)
        return -ENOMEM;
    r = map(at, size, (int)a[2], flags | MAP_FIXED, (int)a[4], (uint64_t)a[5]);
    if (qn_sys_failed(r))
        qn_sys2(__NR_munmap, (long)at, (long)size);
    return r;
}

/* A private mapping of a page that is not copied yet shows what is written to the file, too.  Of a file without a name, or in memory, no message at
 * the end of the run would tell. */
static bool is_nameless(const long *a)
{
    static const char in_memory[] = "/dev/shm/";
    char path[sizeof in_memory];
    struct stat st;

    if (a[3] & MAP_ANONYMOUS || (int)a[4] < 0)
        return false;
    if (!qn_sys2(__NR_fstat, (int)a[4], (long)&st) && !st.st_nlink)
        return true;
    return qn_proc_fd_path((int)a[4], path, sizeof path) > 0 && qn_streq(path, in_memory);
}

/* ---- memory that processes share: with --cores, each process has cores of its own, which are not kept coherent with the others' ---- */

static bool shares_memory, has_forked; /* the child's, too */

static void tell_shared(void)
{
    if (qn_cfg()->cores && shares_memory && has_forked)
        qn_unsupported("--cores with memory that processes share: each has its own cores, whose caches are not coherent with another process's");
}

static void note_shared(int prot, bool shared)
{
    if (!shared || !(prot & PROT_WRITE))
        return;
    shares_memory = true;
    tell_shared();
}

void qn_memory_forks(void)
{
    has_forked = true;
    tell_shared();
}

static bool is_data(long prot, long flags) { return prot & PROT_WRITE && !(flags & MAP_SHARED); }

long qn_sys_mmap(long nr, const long *a)
{
    uint64_t at = (uint64_t)a[0], size = (uint64_t)a[1];
    long r;

    (void)nr;
    if ((a[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE)) && refuses_address(at, size))
        return a[3] & MAP_FIXED_NOREPLACE ? -EEXIST : -ENOMEM;
    if (qn_is_engine_range(at, size)) /* the address is only a hint (V8 asks for random addresses) */
        at = 0;
    if (size && !qn_limits_allow(size, is_data(a[2], a[3]), at, a[3] & MAP_FIXED))
        return -ENOMEM;
    if (wants_low(a))
        at = qn_low_address(qn_round_up(size, QN_PAGE));
    r = map_guest(at, a);
    if (qn_sys_failed(r))
        return r;
    note_mapping((uint64_t)r, size, (int)a[2], a[3] & MAP_SHARED || is_nameless(a));
    note_shared((int)a[2], a[3] & MAP_SHARED);
    lock_new((uint64_t)r, size);
    if ((a[2] & PROT_EXEC) && (int)a[4] >= 0 && !(a[3] & MAP_ANONYMOUS))
        qn_message_file((int)a[4]);
    return r;
}

long qn_sys_munmap(long nr, const long *a)
{
    uint64_t start = (uint64_t)a[0], size = (uint64_t)a[1];
    long r;

    if (qn_is_engine_range(start, size))
        return -EINVAL;
    r = qn_sys2(nr, a[0], a[1]);
    if (!r)
        note_mapping(start, size, 0, false);
    return r;
}

/* Where the call begins to have an effect: with PROT_GROWSDOWN at the beginning of the mapping. */
static uint64_t protected_from(uint64_t start, long prot)
{
    static struct qn_mapping m;

    return prot & PROT_GROWSDOWN && qn_maps_find(start, &m) ? m.start : start;
}

/* mprotect, pkey_mprotect; a: address, size, protection, key */
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
    qn_sys3(__NR_mprotect, (long)qn_round_down(sp, QN_PAGE), QN_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC | PROT_GROWSDOWN);
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
    uint64_t size = (uint64_t)a[2], at = find_free_range(size);
    long moved = -ENOMEM;

    if (at)
        moved = qn_sys6(__NR_mremap, (long)r, (long)size, (long)size, MREMAP_MAYMOVE | MREMAP_FIXED, (long)at, 0);
    if (!qn_sys_failed(moved))
        return moved;
    if (at)
        qn_sys2(__NR_munmap, (long)at, (long)size);
    qn_sys6(__NR_mremap, (long)r, (long)size, a[1], MREMAP_MAYMOVE | MREMAP_FIXED, a[0], 0); /* undoes the call */
    return moved;
}

long qn_sys_mremap(long nr, const long *a)
{
    const struct qn_tree_node *range = qn_exec_find((uint64_t)a[0]);
    bool exec = range != NULL, writable = range && range->flag, shared = qn_shared_overlaps((uint64_t)a[0], (uint64_t)a[0] + 1);
    long r;

    if (qn_is_engine_range((uint64_t)a[0], (uint64_t)a[1]) ||
        ((a[3] & MREMAP_FIXED) && refuses_address((uint64_t)a[4], (uint64_t)a[2])))
        return qn_is_engine_range((uint64_t)a[0], 1) ? -EFAULT : -EINVAL;
    if (a[2] > a[1] && !qn_limits_allow((uint64_t)(a[2] - a[1]), !shared, 0, false))
        return -ENOMEM;
    r = qn_sys6(nr, a[0], a[1], a[2], a[3], a[4], 0);
    if (!qn_sys_failed(r) && qn_is_engine_range((uint64_t)r, (uint64_t)a[2]))
        r = move_out((uint64_t)r, a);
    if (qn_sys_failed(r))
        return r;
    note_mapping((uint64_t)a[0], (uint64_t)a[1], 0, shared && (!a[1] || (a[3] & MREMAP_DONTUNMAP)));
    note_mapping((uint64_t)r, (uint64_t)a[2], exec ? PROT_EXEC | (writable ? PROT_WRITE : 0) : 0, shared);
    return r;
}

bool qn_is_brk(uint64_t addr) { return addr - brk_start < qn_round_up(brk_now, QN_PAGE) - brk_start; }

long qn_sys_brk(long nr, const long *a)
{
    uint64_t wanted = (uint64_t)a[0], now_page = qn_round_up(brk_now, QN_PAGE), wanted_page = qn_round_up(wanted, QN_PAGE);

    (void)nr;
    if (wanted < brk_start || wanted > brk_start + BRK_MAX)
        return (long)brk_now;
    if (wanted_page > now_page && !qn_limits_allow(wanted_page - now_page, true, 0, false))
        return (long)brk_now;
    if (wanted_page > now_page) {
        long r = map_free(now_page, wanted_page - now_page, PROT_READ | PROT_WRITE, locked_flag());

        if (qn_sys_failed(r))
            return (long)brk_now;
        lock_new(now_page, wanted_page - now_page);
    } else if (wanted_page < now_page) {
        qn_sys2(__NR_munmap, (long)wanted_page, (long)(now_page - wanted_page));
    }
    brk_now = wanted;
    return (long)brk_now;
}

/* ---- shmat, shmdt: as mmap and munmap, but only the kernel knows the size ---- */

enum { SHM_RDONLY_ = 010000, SHM_RND_ = 020000, SHM_EXEC_ = 0100000, IPC_STAT_ = 2 };
#define DS_WORDS 14 /* struct shmid64_ds: */
#define DS_SIZE 6   /* the segment's size */

static uint64_t segment_size(long id)
{
    uint64_t ds[DS_WORDS] = {0};

    return qn_sys3(__NR_shmctl, id, IPC_STAT_, (long)ds) ? 0 : ds[DS_SIZE];
}

/* a: identifier, address or 0, flags */
long qn_sys_shmat(long nr, const long *a)
{
    uint64_t size = segment_size(a[0]), wish = (uint64_t)a[1], at;
    int prot = (a[2] & SHM_EXEC_ ? PROT_EXEC : 0) | (a[2] & SHM_RDONLY_ ? 0 : PROT_WRITE);
    long r;

    if (a[2] & SHM_RND_)
        wish = qn_round_down(wish, QN_PAGE);
    if (wish && refuses_address(wish, size ? size : QN_PAGE))
        return -EINVAL;
    if (!qn_limits_allow(size, false, 0, false))
        return -ENOMEM;
    r = qn_sys3(nr, a[0], (long)wish, a[2]);
    if (!qn_sys_failed(r) && qn_is_engine_range((uint64_t)r, size)) {
        qn_sys1(__NR_shmdt, r);
        at = find_free_range(size);
        qn_sys2(__NR_munmap, (long)at, (long)size);
        r = at ? qn_sys3(nr, a[0], (long)at, a[2]) : -ENOMEM;
    }
    if (!qn_sys_failed(r))
        note_mapping((uint64_t)r, size, prot, true);
    note_shared(prot, !qn_sys_failed(r));
    return r;
}

long qn_sys_shmdt(long nr, const long *a)
{
    uint64_t at = (uint64_t)a[0], end = qn_shared_end(at);
    long r;

    if (qn_is_engine_range(at, 1))
        return -EINVAL;
    r = qn_sys1(nr, a[0]);
    if (!r && end)
        note_mapping(at, end - at, 0, false);
    return r;
}
