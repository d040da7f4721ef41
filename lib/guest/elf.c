/* lib/guest/elf.c - see elf.h. */
#include "guest/elf.h"

#include <elf.h>

#include "base/syscall.h"
#include "guest/exec_map.h"

enum { E_NOEXEC = 8, E_ACCES = 13, E_IO = 5, E_INVAL = 22 };
enum { P_READ = 1, P_WRITE = 2, P_EXEC = 4 };
enum { MAP_PRIV = 2, MAP_FIX = 0x10, MAP_ANON = 0x20, MAP_FIX_NEW = 0x100000 };
#define PHDRS_MAX 64

struct load {
    Elf64_Ehdr eh;
    Elf64_Phdr ph[PHDRS_MAX];
    char interp[QN_PATH_MAX];
    uint64_t bias, low, high;
};

static int read_at(int fd, void *buf, uint64_t size, uint64_t offset)
{
    long n = qn_sys4(__NR_pread64, fd, (long)buf, (long)size, (long)offset);

    return qn_sys_failed(n) ? (int)-n : (uint64_t)n == size ? 0 : E_IO;
}

int qn_elf_read_script(int fd, struct qn_script *s)
{
    char line[512];
    long n = qn_sys4(__NR_pread64, fd, (long)line, sizeof line - 1, 0);
    char *p = line + 2, *end, *start;

    if (n < 3 || line[0] != '#' || line[1] != '!')
        return E_NOEXEC;
    for (end = p; end < line + n && *end != '\n'; end++)
        ;
    while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = 0;
    while (*p == ' ' || *p == '\t')
        p++;
    for (start = p; *p && *p != ' ' && *p != '\t'; p++)
        ;
    if (p == start || p - start >= (long)sizeof s->interp)
        return E_NOEXEC;
    __builtin_memcpy(s->interp, start, (size_t)(p - start));
    s->interp[p - start] = 0;
    while (*p == ' ' || *p == '\t')
        p++;
    s->has_arg = *p != 0;
    if (end - p >= (long)sizeof s->arg)
        return E_NOEXEC;
    __builtin_memcpy(s->arg, p, (size_t)(end - p) + 1);
    return 0;
}

static int read_headers(int fd, struct load *l)
{
    int err = read_at(fd, &l->eh, sizeof l->eh, 0);

    if (err)
        return err == E_IO ? E_NOEXEC : err;
    if (__builtin_memcmp(l->eh.e_ident, ELFMAG, SELFMAG) || l->eh.e_machine != EM_X86_64 ||
        (l->eh.e_type != ET_EXEC && l->eh.e_type != ET_DYN))
        return E_NOEXEC;
    if (l->eh.e_phentsize != sizeof(Elf64_Phdr) || l->eh.e_phnum == 0 || l->eh.e_phnum > PHDRS_MAX)
        return E_NOEXEC;
    return read_at(fd, l->ph, l->eh.e_phnum * sizeof l->ph[0], l->eh.e_phoff);
}

static int measure(struct load *l)
{
    l->low = ~0ull;
    l->high = 0;
    for (unsigned i = 0; i < l->eh.e_phnum; i++) {
        const Elf64_Phdr *p = &l->ph[i];

        if (p->p_type != PT_LOAD)
            continue;
        if (p->p_filesz > p->p_memsz || p->p_vaddr + p->p_memsz < p->p_vaddr || p->p_vaddr + p->p_memsz >= 1ull << 47 ||
            (p->p_vaddr ^ p->p_offset) % QN_PAGE)
            return E_NOEXEC;
        if (p->p_vaddr < l->low)
            l->low = qn_round_down(p->p_vaddr, QN_PAGE);
        if (p->p_vaddr + p->p_memsz > l->high)
            l->high = p->p_vaddr + p->p_memsz;
    }
    return l->high ? 0 : E_NOEXEC;
}

static int read_interp(int fd, struct load *l)
{
    l->interp[0] = 0;
    for (unsigned i = 0; i < l->eh.e_phnum; i++) {
        const Elf64_Phdr *p = &l->ph[i];

        if (p->p_type != PT_INTERP)
            continue;
        if (p->p_filesz < 2 || p->p_filesz > QN_PATH_MAX)
            return E_NOEXEC;
        if (read_at(fd, l->interp, p->p_filesz, p->p_offset))
            return E_IO;
        l->interp[p->p_filesz - 1] = 0;
    }
    return 0;
}

static long map(uint64_t at, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
    return qn_sys6(__NR_mmap, (long)at, (long)size, prot, flags, fd, (long)offset);
}

static void zero_tail(uint64_t from, uint64_t to)
{
    for (uint8_t *p = (uint8_t *)(uintptr_t)from; p < (uint8_t *)(uintptr_t)to; p++)
        *(volatile uint8_t *)p = 0;
}

static int map_segment(int fd, const struct load *l, const Elf64_Phdr *p)
{
    int prot = (p->p_flags & PF_R ? P_READ : 0) | (p->p_flags & PF_W ? P_WRITE : 0) | (p->p_flags & PF_X ? P_EXEC : 0);
    uint64_t start = l->bias + p->p_vaddr, at = qn_round_down(start, QN_PAGE);
    uint64_t file_end = start + p->p_filesz, map_end = qn_round_up(file_end, QN_PAGE);
    uint64_t end = qn_round_up(start + p->p_memsz, QN_PAGE);
    long r = 0;

    if (p->p_filesz)
        r = map(at, file_end - at, prot, MAP_PRIV | MAP_FIX, fd, qn_round_down(p->p_offset, QN_PAGE));
    else
        map_end = at;
    if (!qn_sys_failed(r) && end > map_end) /* writable whatever the segment is, as the kernel's */
        r = map(map_end, end - map_end, P_READ | P_WRITE | (prot & P_EXEC), MAP_PRIV | MAP_FIX | MAP_ANON, -1, 0);
    if (qn_sys_failed(r))
        return (int)-r;
    if (prot & P_EXEC) {
        qn_exec_add(at, map_end, prot & P_WRITE);
        qn_exec_add(map_end, end, true);
    }
    if (p->p_memsz > p->p_filesz && p->p_filesz && (prot & P_WRITE)) /* as the kernel: writable segments only */
        zero_tail(file_end, map_end); /* to the end of the page: ld.so allocates there */
    return 0;
}

/* Reserve the whole span first, so that nothing else gets between the segments. */
static int map_all(int fd, struct load *l, const struct qn_elf_base *base)
{
    uint64_t span = qn_round_up(l->high, QN_PAGE) - l->low, want = l->low;
    int fixed = l->eh.e_type == ET_EXEC;
    long r;

    if (!fixed)
        want = base->low_address(span);
    r = map(want, span, 0, MAP_PRIV | MAP_ANON | (fixed ? MAP_FIX_NEW : 0), -1, 0);
    if (qn_sys_failed(r))
        return (int)-r;
    if (fixed && (uint64_t)r != want)
        return E_NOEXEC;
    l->bias = (uint64_t)r - l->low;
    for (unsigned i = 0; i < l->eh.e_phnum; i++) {
        int err = l->ph[i].p_type == PT_LOAD ? map_segment(fd, l, &l->ph[i]) : 0;

        if (err)
            return err;
    }
    return 0;
}

static int load_one(int fd, struct load *l, const struct qn_elf_base *base)
{
    int err = read_headers(fd, l);

    if (!err)
        err = measure(l);
    if (!err)
        err = read_interp(fd, l);
    return err ? err : map_all(fd, l, base);
}

static uint64_t phdr_address(const struct load *l)
{
    for (unsigned i = 0; i < l->eh.e_phnum; i++) {
        const Elf64_Phdr *p = &l->ph[i];

        if (p->p_type == PT_LOAD && p->p_offset <= l->eh.e_phoff && l->eh.e_phoff < p->p_offset + p->p_filesz)
            return l->bias + p->p_vaddr + (l->eh.e_phoff - p->p_offset);
    }
    return 0;
}

static bool wants_exec_stack(const struct load *l)
{
    for (unsigned i = 0; i < l->eh.e_phnum; i++)
        if (l->ph[i].p_type == PT_GNU_STACK)
            return l->ph[i].p_flags & PF_X;
    return false; /* no header: so for 64-bit programs since Linux 5.8 */
}

static int load_interp(const char *path, const struct qn_elf_base *base, struct qn_image *image)
{
    static struct load l;
    long fd = qn_sys4(__NR_openat, -100, (long)path, 02000000, 0);
    int err;

    if (qn_sys_failed(fd))
        return (int)-fd;
    err = load_one((int)fd, &l, base);
    qn_sys1(__NR_close, fd);
    image->interp_base = l.bias + l.low;
    image->entry = l.bias + l.eh.e_entry;
    return err;
}

/* Where the segments lie, before they are mapped, or after. */
static struct qn_image extent(const struct load *l)
{
    return (struct qn_image){.start = l->bias + l->low, .end = qn_round_up(l->bias + l->high, QN_PAGE), .fixed = l->eh.e_type == ET_EXEC};
}

int qn_elf_check(int fd, struct qn_image *image)
{
    static struct load l;
    int err = read_headers(fd, &l);

    if (!err)
        err = measure(&l);
    *image = extent(&l);
    return err;
}

int qn_elf_load(int fd, const struct qn_elf_base *base, struct qn_image *image)
{
    static struct load l;
    int err = load_one(fd, &l, base);

    *image = extent(&l);
    if (err)
        return err;
    image->entry = image->program_entry = l.bias + l.eh.e_entry;
    image->phdr = phdr_address(&l);
    image->phnum = l.eh.e_phnum;
    image->exec_stack = wants_exec_stack(&l);
    return l.interp[0] ? load_interp(l.interp, base, image) : 0;
}
