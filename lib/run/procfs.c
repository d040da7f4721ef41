/* lib/run/procfs.c - what a program finds about itself in /proc: its own, not the engine's.
 *
 *   cmdline, environ, auxv, stat, [heap] in maps     the kernel is told where the guest has them (prctl PR_SET_MM_MAP)
 *   exe                                              the guest's file is opened, or its name read, instead
 *   maps, smaps, numa_maps                           a copy without the engine's mappings, made when it is opened
 *   fd, fdinfo                                       the engine's descriptors are taken out of listings
 *
 * These are known by the names that programs use: /proc/self, /proc/thread-self, /proc/PID and task/TID below them, absolute.
 * Another process sees the engine, as does one that opens them relative to a descriptor.
 */
#include "run/procfs.h"

#include "base/format.h"
#include "run/run.h"

enum { E_INVAL = 22, PR_SET_MM_ = 35, PR_SET_MM_MAP_ = 14, O_CLOEXEC_ = 02000000, NAME_MAX_ = 96 };
#define PROC_MAGIC 0x9fa0 /* statfs: f_type */

/* ---- names ---- */

/* Behind the prefix, or NULL. */
static const char *skip(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return NULL;
    return text;
}

/* The same for a number; any one if `number` is negative. */
static const char *skip_number(const char *text, long number)
{
    long n = 0;
    const char *from = text;

    for (; *text >= '0' && *text <= '9'; text++)
        n = n * 10 + (*text - '0');
    return text == from || (number >= 0 && n != number) ? NULL : text;
}

/* "maps" of "/proc/self/maps", "/proc/4711/task/4712/maps"; NULL: nothing of this process. */
static const char *own_entry(const char *path)
{
    const char *p = skip(path, "/proc/"), *q;

    if (!p)
        return NULL;
    if (!(q = skip(p, "self")) && !(q = skip(p, "thread-self")) && !(q = skip_number(p, qn_sys1(__NR_getpid, 0))))
        return NULL;
    if ((p = skip(q, "/task/")) && (p = skip_number(p, -1)))
        q = p;
    return *q == '/' ? q + 1 : NULL;
}

enum qn_proc_entry qn_proc_entry(uint64_t path)
{
    char text[NAME_MAX_] = "";
    const char *entry = qn_copy_string(path, text, sizeof text) ? own_entry(text) : NULL;

    if (!entry)
        return QN_PROC_OTHER;
    return qn_streq(entry, "exe")                                                                    ? QN_PROC_EXE
           : qn_streq(entry, "maps") || qn_streq(entry, "smaps") || qn_streq(entry, "numa_maps") ? QN_PROC_MAPS
                                                                                                     : QN_PROC_OTHER;
}

/* ---- maps ---- */

static uint64_t hex(const char **p)
{
    uint64_t n = 0;

    for (;; ++*p) {
        unsigned c = (unsigned char)**p;

        if (c - '0' < 10)
            n = n << 4 | (c - '0');
        else if (c - 'a' < 6)
            n = n << 4 | (c - 'a' + 10);
        else
            return n;
    }
}

/* A line that begins with an address says whether what follows is shown: "7f00-7f01 rw-p ..." or, in numa_maps, "7f00 default". */
static bool shows(const char *line, bool before)
{
    const char *p = line;
    uint64_t start = hex(&p), end = start + 1;

    if (p == line || (*p != '-' && *p != ' '))
        return before;
    if (*p == '-') {
        p++;
        end = hex(&p);
    }
    return !qn_is_engine_range(start, end - start);
}

struct filter {
    char line[2 * QN_PAGE];
    size_t n;
    bool shown;
    long to;
};

static void take_byte(struct filter *f, char c)
{
    if (f->n < sizeof f->line - 1)
        f->line[f->n++] = c;
    if (c != '\n')
        return;
    f->line[f->n] = 0;
    f->shown = shows(f->line, f->shown);
    if (f->shown)
        qn_sys3(__NR_write, f->to, (long)f->line, (long)f->n);
    f->n = 0;
}

long qn_proc_open_maps(const char *path, long flags)
{
    static struct filter f;
    static char part[QN_PAGE];
    long from = qn_sys3(__NR_open, (long)path, O_CLOEXEC_, 0), n;

    if (qn_sys_failed(from))
        return from;
    f = (struct filter){.shown = true, .to = qn_sys2(__NR_memfd_create, (long)"maps", (flags & O_CLOEXEC_) != 0)};
    while (!qn_sys_failed(f.to) && (n = qn_sys3(__NR_read, from, (long)part, sizeof part)) > 0)
        for (long i = 0; i < n; i++)
            take_byte(&f, part[i]);
    qn_sys1(__NR_close, from);
    if (!qn_sys_failed(f.to))
        qn_sys3(__NR_lseek, f.to, 0, 0);
    return f.to;
}

/* ---- descriptors ---- */

struct entry { /* struct linux_dirent64 */
    uint64_t ino;
    int64_t off;
    uint16_t len;
    uint8_t type;
    char name[];
} __attribute__((packed));

static bool in_proc(long fd)
{
    uint64_t statfs[15];

    return !qn_sys2(__NR_fstatfs, fd, (long)statfs) && statfs[0] == PROC_MAGIC;
}

static bool names_engine(const struct entry *e)
{
    const char *end = skip_number(e->name, -1);
    long n = 0;

    if (!end || *end)
        return false;
    for (const char *p = e->name; *p; p++)
        n = n * 10 + (*p - '0');
    return qn_is_engine_fd(n);
}

long qn_proc_list(long fd, uint64_t buffer, long bytes)
{
    uint8_t *p = (uint8_t *)(uintptr_t)buffer;
    long at = 0;

    while (at < bytes) {
        const struct entry *e = (const struct entry *)(p + at);
        uint16_t len = e->len;

        if (!names_engine(e) || !in_proc(fd)) {
            at += len;
            continue;
        }
        __builtin_memmove(p + at, p + at + len, (size_t)(bytes - at - len));
        bytes -= len;
    }
    return bytes;
}

/* ---- what the kernel prints itself ---- */

struct mm_map { /* struct prctl_mm_map */
    uint64_t start_code, end_code, start_data, end_data, start_brk, brk, start_stack, arg_start, arg_end, env_start, env_end, auxv;
    uint32_t auxv_size, exe_fd;
};

/* First byte of the first of these strings, first behind the last; all lie side by side. */
static uint64_t *strings(uint64_t *p, uint64_t *start, uint64_t *end)
{
    *start = *end = *p;
    for (; *p; p++)
        *end = *p + qn_strlen((const char *)(uintptr_t)*p) + 1;
    return p + 1;
}

/* Where it refuses (an old kernel, or one without checkpoints) all stays as it was. */
void qn_proc_publish(uint64_t sp, const struct qn_image *image)
{
    uint64_t *p = (uint64_t *)(uintptr_t)sp + 1, code = qn_round_down(image->phdr, QN_PAGE);
    struct mm_map m = {.start_code = code, .end_code = code + QN_PAGE, .start_data = code, .end_data = code + QN_PAGE,
                       .start_brk = (uint64_t)qn_sys_brk(0), .start_stack = sp, .exe_fd = 0xffffffffu};

    m.brk = m.start_brk + QN_PAGE; /* more than nothing, so that the heap has its name */
    p = strings(p, &m.arg_start, &m.arg_end);
    p = strings(p, &m.env_start, &m.env_end);
    m.auxv = (uint64_t)(uintptr_t)p;
    while (p[0])
        p += 2;
    m.auxv_size = (uint32_t)((uint64_t)(uintptr_t)(p + 2) - m.auxv);
    if (m.arg_start && m.env_start)
        qn_sys6(__NR_prctl, PR_SET_MM_, PR_SET_MM_MAP_, (long)&m, sizeof m, 0, 0);
}
