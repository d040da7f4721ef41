/* lib/guest/load.c - loads a program: maps its segments and those of its interpreter, and builds its stack.  See load.h. */
#include "guest/load.h"

#include <elf.h>
#include <linux/errno.h>
#include <linux/mman.h>

#include "base/syscall.h"
#include "guest/exec_map.h"

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

    return qn_sys_failed(n) ? (int)-n : (uint64_t)n == size ? 0 : EIO;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Does a word begin in this line of which only the first part is known, and end? */
static bool has_word(const char *p, const char *last)
{
    while (p <= last && is_blank(*p))
        p++;
    while (p <= last && *p && !is_blank(*p))
        p++;
    return p <= last;
}

/* The kernel looks at as many bytes as `line` has (fs/binfmt_script.c). */
int qn_elf_read_script(int fd, struct qn_script *s)
{
    char line[sizeof s->arg] = {0};
    long n = qn_sys4(__NR_pread64, fd, (long)line, sizeof line, 0);
    char *p = line + 2, *end, *start;

    if (n < 3 || line[0] != '#' || line[1] != '!')
        return ENOEXEC;
    for (end = p; end < line + sizeof line - 1 && *end != '\n'; end++)
        ;
    if (*end != '\n' && !has_word(p, end))
        return ENOEXEC;
    while (end > p && is_blank(end[-1]))
        end--;
    *end = 0;
    while (is_blank(*p))
        p++;
    for (start = p; *p && !is_blank(*p); p++)
        ;
    if (p == start)
        return ENOEXEC;
    __builtin_memcpy(s->interp, start, (size_t)(p - start));
    s->interp[p - start] = 0;
    while (is_blank(*p))
        p++;
    s->has_arg = *p != 0;
    __builtin_memcpy(s->arg, p, (size_t)(end - p) + 1);
    return 0;
}

static int read_headers(int fd, struct load *l)
{
    int err = read_at(fd, &l->eh, sizeof l->eh, 0);

    if (err)
        return err == EIO ? ENOEXEC : err;
    if (__builtin_memcmp(l->eh.e_ident, ELFMAG, SELFMAG) || l->eh.e_machine != EM_X86_64 ||
        (l->eh.e_type != ET_EXEC && l->eh.e_type != ET_DYN))
        return ENOEXEC;
    if (l->eh.e_phentsize != sizeof(Elf64_Phdr) || l->eh.e_phnum == 0 || l->eh.e_phnum > PHDRS_MAX)
        return ENOEXEC;
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
            return ENOEXEC;
        if (p->p_vaddr < l->low)
            l->low = qn_round_down(p->p_vaddr, QN_PAGE);
        if (p->p_vaddr + p->p_memsz > l->high)
            l->high = p->p_vaddr + p->p_memsz;
    }
    return l->high ? 0 : ENOEXEC;
}

static int read_interp(int fd, struct load *l)
{
    l->interp[0] = 0;
    for (unsigned i = 0; i < l->eh.e_phnum; i++) {
        const Elf64_Phdr *p = &l->ph[i];

        if (p->p_type != PT_INTERP)
            continue;
        if (p->p_filesz < 2 || p->p_filesz > QN_PATH_MAX)
            return ENOEXEC;
        if (read_at(fd, l->interp, p->p_filesz, p->p_offset))
            return EIO;
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
    int prot = (p->p_flags & PF_R ? PROT_READ : 0) | (p->p_flags & PF_W ? PROT_WRITE : 0) | (p->p_flags & PF_X ? PROT_EXEC : 0);
    uint64_t start = l->bias + p->p_vaddr, at = qn_round_down(start, QN_PAGE);
    uint64_t file_end = start + p->p_filesz, map_end = qn_round_up(file_end, QN_PAGE);
    uint64_t end = qn_round_up(start + p->p_memsz, QN_PAGE);
    long r = 0;

    if (p->p_filesz)
        r = map(at, file_end - at, prot, MAP_PRIVATE | MAP_FIXED, fd, qn_round_down(p->p_offset, QN_PAGE));
    else
        map_end = at;
    if (!qn_sys_failed(r) && end > map_end) /* writable whatever the segment is, as the kernel's */
        r = map(map_end, end - map_end, PROT_READ | PROT_WRITE | (prot & PROT_EXEC), MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    if (qn_sys_failed(r))
        return (int)-r;
    if (prot & PROT_EXEC) {
        qn_exec_add(at, map_end, prot & PROT_WRITE);
        qn_exec_add(map_end, end, true);
    }
    if (p->p_memsz > p->p_filesz && p->p_filesz && (prot & PROT_WRITE)) /* as the kernel: writable segments only */
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
    r = map(want, span, 0, MAP_PRIVATE | MAP_ANONYMOUS | (fixed ? MAP_FIXED_NOREPLACE : 0), -1, 0);
    if (qn_sys_failed(r))
        return (int)-r;
    if (fixed && (uint64_t)r != want)
        return ENOEXEC;
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

/* ---- stack ---- */

enum { /* auxv types, linux/auxvec.h */
    AUX_NULL = 0, AUX_IGNORE = 1, AUX_PHDR = 3, AUX_PHENT = 4, AUX_PHNUM = 5, AUX_BASE = 7, AUX_ENTRY = 9, AUX_PLATFORM = 15,
    AUX_HWCAP = 16, AUX_RANDOM = 25, AUX_HWCAP2 = 26, AUX_RSEQ_SIZE = 27, AUX_RSEQ_ALIGN = 28, AUX_EXECFN = 31, AUX_VDSO = 33
};
#define STACK_ALIGN 16
#define STACK_STEP (64 * 1024ull) /* the kernel has mapped 128 KiB below its own stack pointer */
#define PHENT_SIZE 56
#define RANDOM_BYTES 16

struct parts {
    uint64_t argc, *argv, *envp, *auxv;
    uint64_t nenv, naux;
};

static struct parts split(uint64_t *sp)
{
    struct parts p = {.argc = sp[0], .argv = sp + 1, .envp = sp + sp[0] + 2};

    while (p.envp[p.nenv])
        p.nenv++;
    p.auxv = p.envp + p.nenv + 1;
    while (p.auxv[2 * p.naux])
        p.naux++;
    return p;
}

/* Value of an auxv entry of the kernel's stack, 0 if absent. */
static uint64_t find_auxv(const uint64_t *sp, uint64_t type)
{
    struct parts p = split((uint64_t *)(uintptr_t)sp);

    for (uint64_t i = 0; i < p.naux; i++)
        if (p.auxv[2 * i] == type)
            return p.auxv[2 * i + 1];
    return 0;
}

/* A small generator (xorshift64*, Marsaglia 2003, Vigna 2014): the bytes only have to look random. */
static void fill_random(uint8_t *bytes, uint64_t seed)
{
    uint64_t x = seed * 2 + 1;

    for (unsigned i = 0; i < 16; i++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        bytes[i] = (uint8_t)((x * 0x2545f4914f6cdd1dull) >> 56);
    }
}

static uint64_t aux_value(uint64_t type, uint64_t old, const struct qn_image *image, const struct qn_start *start)
{
    switch (type) {
    case AUX_PHDR: return image->phdr;
    case AUX_PHENT: return PHENT_SIZE;
    case AUX_PHNUM: return image->phnum;
    case AUX_BASE: return image->interp_base;
    case AUX_ENTRY: return image->program_entry;
    case AUX_EXECFN: return (uint64_t)(uintptr_t)start->execfn;
    case AUX_HWCAP: return start->hwcap(1, old);
    case AUX_HWCAP2: return start->hwcap(2, old);
    default: return old;
    }
}

static bool hidden(uint64_t type, const struct qn_start *start)
{
    return type == AUX_RSEQ_SIZE || type == AUX_RSEQ_ALIGN || (type == AUX_VDSO && start->hide_vdso);
}

/* ---- strings ----
 *
 * The kernel puts the engine's own path and arguments among them, so where a string of the guest lies, and with it how many
 * instructions a vectorised strlen takes, would depend on where quern is installed.  Copied to the beginning of a step, in a
 * fixed order, they lie where the guest's own arguments and environment put them, always. */

struct strings {
    uint8_t *at; /* NULL: they stay where they are */
};

static uint64_t count_bytes(const char *text)
{
    uint64_t n = 0;

    while (text[n])
        n++;
    return n + 1;
}

static uint64_t copy_bytes(struct strings *s, const void *bytes, uint64_t n)
{
    uint8_t *to = s->at;

    if (!to)
        return (uint64_t)(uintptr_t)bytes;
    __builtin_memcpy(to, bytes, n);
    s->at = to + n;
    return (uint64_t)(uintptr_t)to;
}

static uint64_t copy_string(struct strings *s, const char *text) { return copy_bytes(s, text, count_bytes(text)); }

static uint64_t total_bytes(const struct parts *p, const struct qn_start *start)
{
    uint64_t n = RANDOM_BYTES + count_bytes(start->execfn);

    for (uint64_t i = 0; start->argv[i]; i++)
        n += count_bytes(start->argv[i]);
    for (uint64_t i = 0; i < p->nenv; i++)
        n += count_bytes((const char *)(uintptr_t)p->envp[i]);
    for (uint64_t i = 0; i < p->naux; i++)
        n += p->auxv[2 * i] == AUX_PLATFORM ? count_bytes((const char *)(uintptr_t)p->auxv[2 * i + 1]) : 0;
    return n;
}

static uint64_t *put_auxv(uint64_t *to, const struct parts *p, const struct qn_image *image, const struct qn_start *start,
                          struct strings *strings)
{
    for (uint64_t i = 0; i < p->naux; i++) {
        uint64_t type = p->auxv[2 * i], value = p->auxv[2 * i + 1];

        if (hidden(type, start))
            continue;
        if (type == AUX_RANDOM && start->fixed_random)
            fill_random((uint8_t *)(uintptr_t)value, start->seed);
        if (type == AUX_RANDOM)
            value = copy_bytes(strings, (const void *)(uintptr_t)value, RANDOM_BYTES);
        else if (type == AUX_PLATFORM || type == AUX_EXECFN)
            value = copy_string(strings, (const char *)(uintptr_t)aux_value(type, value, image, start));
        else
            value = aux_value(type, value, image, start);
        *to++ = type;
        *to++ = value;
    }
    *to++ = AUX_NULL;
    *to++ = 0;
    return to;
}

uint64_t qn_stack_build(uint64_t *kernel_sp, const struct qn_image *image, const struct qn_start *start, uint64_t *vdso)
{
    struct parts p = split(kernel_sp);
    uint64_t argc = 0, words, sp = (uint64_t)(uintptr_t)kernel_sp, *to;
    struct strings strings = {NULL};
    bool steps = start->fixed_random && !start->tight;

    while (start->argv[argc])
        argc++;
    *vdso = find_auxv(kernel_sp, AUX_VDSO);
    words = 1 + argc + 1 + p.nenv + 1 + 2 * (p.naux + 1);
    if (steps) { /* addresses are not to vary */
        sp = (sp - total_bytes(&p, start)) & ~(STACK_STEP - 1);
        strings.at = (uint8_t *)(uintptr_t)sp;
    }
    sp = (sp - words * 8) & ~(steps ? STACK_STEP - 1 : (uint64_t)(STACK_ALIGN - 1));
    to = (uint64_t *)(uintptr_t)sp;
    *to++ = argc;
    for (uint64_t i = 0; i < argc; i++)
        *to++ = copy_string(&strings, start->argv[i]);
    *to++ = 0;
    for (uint64_t i = 0; i < p.nenv; i++)
        *to++ = copy_string(&strings, (const char *)(uintptr_t)p.envp[i]);
    *to++ = 0;
    put_auxv(to, &p, image, start, &strings);
    return sp;
}
