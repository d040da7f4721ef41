/* lib/run/kernel/procfs.c - the files about the guest in /proc: they describe the guest, not the engine.
 *
 *   cmdline, environ, auxv, stat, [heap] in maps     the kernel is told where the guest has them (prctl PR_SET_MM_MAP)
 *   exe                                              the guest's file is opened, or its name read, instead
 *   maps, smaps, numa_maps                           a copy without the engine's mappings, made when it is opened
 *   fd, fdinfo                                       the engine's descriptors are removed from listings
 *   status; /proc/stat, cpuinfo; online, possible,
 *   present in /sys/devices/system/cpu               with --processors=N: a copy that shows N processors
 *
 * The name may be relative, to the working directory or to a descriptor; self, thread-self, a number; task/TID below.  Of another
 * process that runs under quern, maps are shown without the engine's as well, and exe is what its arena says.
 */
#include "run/kernel/procfs.h"

#include "base/format.h"
#include "run/kernel/files.h"
#include "run/kernel/processors.h"
#include "run/kernel/thread.h"

#include <stddef.h>

enum { E_INVAL = 22, PR_SET_MM_ = 35, PR_SET_MM_MAP_ = 14, AT_FDCWD_ = -100 };
enum { O_WRONLY_ = 1, O_ACCMODE_ = 3, O_NONBLOCK_ = 04000, O_LARGEFILE_ = 0100000, O_CLOEXEC_ = 02000000, O_PATH_ = 010000000 };
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

static enum qn_proc_entry kind_of(const char *name)
{
    return qn_streq(name, "exe")                                                                    ? QN_PROC_EXE
           : qn_streq(name, "maps") || qn_streq(name, "smaps") || qn_streq(name, "numa_maps") ? QN_PROC_MAPS
           : qn_cfg()->processors && qn_streq(name, "status")                                      ? QN_PROC_STATUS
                                                                                                     : QN_PROC_OTHER;
}

/* Of files about the machine. */
static enum qn_proc_entry machine_kind_of(const char *path)
{
    static const struct { const char *path; enum qn_proc_entry kind; } files[] = {
        {"/proc/stat", QN_PROC_STAT}, {"/proc/cpuinfo", QN_PROC_CPUINFO}, {"/sys/devices/system/cpu/online", QN_PROC_RANGE},
        {"/sys/devices/system/cpu/possible", QN_PROC_RANGE}, {"/sys/devices/system/cpu/present", QN_PROC_RANGE},
    };

    for (unsigned i = 0; qn_cfg()->processors && i < sizeof files / sizeof *files; i++)
        if (qn_streq(path, files[i].path))
            return files[i].kind;
    return QN_PROC_OTHER;
}

static const char *last_part(const char *path)
{
    const char *last = path;

    for (; *path; path++)
        if (*path == '/')
            last = path + 1;
    return last;
}

/* The guest's string, with its directory in front if it is relative.  False: it is none, or too long to be one of ours. */
static bool whole_path(int dirfd, uint64_t path, char *text)
{
    char link[32];
    long n;

    if (!qn_copy_string(path, text, QN_PROC_PATH) || (!qn_cfg()->processors && kind_of(last_part(text)) == QN_PROC_OTHER))
        return false;
    if (text[0] == '/') {
        qn_normalise_path(text);
        return true;
    }
    if (dirfd == AT_FDCWD_)
        qn_format(link, sizeof link, "/proc/self/cwd");
    else
        qn_format(link, sizeof link, "/proc/self/fd/%d", dirfd);
    n = qn_sys3(__NR_readlink, (long)link, (long)text, QN_PROC_PATH - 1);
    if (n <= 0 || n == QN_PROC_PATH - 1 || text[0] != '/') /* "pipe:[7]" is no directory */
        return false;
    text[n++] = '/';
    if (!qn_copy_string(path, text + n, QN_PROC_PATH - (size_t)n))
        return false;
    qn_normalise_path(text);
    return true;
}

/* ---- whose it is ---- */

static long read_other(int32_t pid, uint64_t from, void *to, uint64_t size)
{
    struct { uint64_t base, len; } local = {(uint64_t)(uintptr_t)to, size}, remote = {from, size};

    return qn_sys6(__NR_process_vm_readv, pid, (long)&local, 1, (long)&remote, 1, 0);
}

const char *qn_proc_program(int32_t pid)
{
    static char text[QN_PATH_MAX];
    char link[32];
    uint32_t exe = 0;
    long n;

    qn_format(link, sizeof link, "/proc/%d/exe", pid);
    n = qn_sys3(__NR_readlink, (long)link, (long)text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    if (n <= 0 || !qn_streq(text, qn_arena_text(qn_cfg()->engine_path)))
        return NULL;
    if (read_other(pid, QN_ARENA_ALIAS_BASE + offsetof(struct qn_arena_header, exe), &exe, sizeof exe) != sizeof exe || !exe)
        return NULL;
    n = read_other(pid, QN_ARENA_ALIAS_BASE + QN_ARENA_STRINGS_OFF + exe, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? text : NULL;
}

bool qn_proc_is_own(int32_t id)
{
    const struct qn_thread *t = qn_thread_of(id);

    return id == (int32_t)qn_sys1(__NR_getpid, 0) || (t && t->pid == qn_self->pid);
}

enum qn_proc_entry qn_proc_find(int dirfd, uint64_t path, struct qn_proc_file *f)
{
    const char *p, *q;
    enum qn_proc_entry entry;
    uint64_t number;

    if (!whole_path(dirfd, path, f->path))
        return QN_PROC_OTHER;
    if ((entry = machine_kind_of(f->path)) != QN_PROC_OTHER || !(p = skip(f->path, "/proc/")))
        return entry;
    f->exe = qn_arena_text(qn_arena->exe);
    if (!(q = skip(p, "self")) && !(q = skip(p, "thread-self"))) {
        q = qn_parse_decimal(p, &number);
        if (q == p || (!qn_proc_is_own((int32_t)number) && !(f->exe = qn_proc_program((int32_t)number))))
            return QN_PROC_OTHER;
    }
    if ((p = skip(q, "/task/")) && qn_parse_decimal(p, &number) != p)
        q = qn_parse_decimal(p, &number);
    return *q == '/' ? kind_of(q + 1) : QN_PROC_OTHER;
}

/* ---- maps ---- */

/* Is this line shown?  A line that begins with an address decides for itself and those below it, up to the next such line:
 * "7f00-7f01 rw-p ..." or, in numa_maps, "7f00 default". */
static bool shows(const char *line, bool before)
{
    uint64_t start, end;
    const char *p = qn_parse_hex(line, &start);

    if (p == line || (*p != '-' && *p != ' '))
        return before;
    if (*p == '-')
        qn_parse_hex(p + 1, &end);
    else
        end = start + 1;
    return !qn_is_engine_range(start, end - start);
}

/* ---- copies ---- */

struct filter {
    char line[2 * QN_PAGE];
    size_t n;
    bool shown;
    bool first;       /* cpuinfo: the first processor's lines are not over */
    uint32_t as;      /* cpuinfo: the number that it gets */
    uint64_t allowed; /* status: the processors of the thread */
    long to;
    void (*take)(struct filter *);
};

static void write_line(const struct filter *f, const char *line) { qn_sys3(__NR_write, f->to, (long)line, (long)qn_strlen(line)); }

static void take_map(struct filter *f)
{
    f->shown = shows(f->line, f->shown);
    if (f->shown)
        write_line(f, f->line);
}

/* /proc/stat: "cpu0 ..." N times, and no other "cpu1 ...". */
static void take_stat(struct filter *f)
{
    const char *number = skip(f->line, "cpu"), *rest;
    char name[16];
    uint64_t which;

    if (!number || (rest = qn_parse_decimal(number, &which)) == number) {
        write_line(f, f->line);
        return;
    }
    for (uint32_t i = 0; which == 0 && i < qn_cfg()->processors; i++) {
        qn_format(name, sizeof name, "cpu%u", i);
        write_line(f, name);
        write_line(f, rest);
    }
}

/* /proc/cpuinfo: the first processor as number `as` of one package. */
static void take_cpuinfo(struct filter *f)
{
    static const struct { const char *begin; bool all; } numbers[] = {
        {"processor\t: ", false}, {"siblings\t: ", true}, {"core id\t\t: ", false}, {"cpu cores\t: ", true}, {"apicid\t\t: ", false},
        {"initial apicid\t: ", false},
    };
    char number[16];

    if (!f->first)
        return;
    f->first = f->line[0] != '\n';
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (skip(f->line, numbers[i].begin)) {
            qn_format(number, sizeof number, "%u\n", numbers[i].all ? qn_cfg()->processors : f->as);
            write_line(f, numbers[i].begin);
            write_line(f, number);
            return;
        }
    write_line(f, f->line);
}

/* "/proc/7/task/8/status" -> 8; 0: this thread */
static int32_t thread_in(const char *path)
{
    uint64_t id = qn_streq(path, "/proc/self/status") ? (uint64_t)qn_self->pid : 0;

    for (const char *p = path; *p; p++)
        if (*p == '/' && p[1] >= '0' && p[1] <= '9')
            qn_parse_decimal(p + 1, &id);
    return (int32_t)id;
}

/* /proc/PID/status. */
static void take_status(struct filter *f)
{
    static const char mask[] = "Cpus_allowed:\t", list[] = "Cpus_allowed_list:\t";
    char text[QN_PROCESSORS_TEXT];

    if (skip(f->line, mask))
        qn_processors_mask(text, f->allowed);
    else if (skip(f->line, list))
        qn_processors_list(text, f->allowed);
    else {
        write_line(f, f->line);
        return;
    }
    write_line(f, skip(f->line, mask) ? mask : list);
    write_line(f, text);
    write_line(f, "\n");
}

/* A line that is too long is taken in parts. */
static void take_byte(struct filter *f, char c)
{
    f->line[f->n++] = c;
    if (c != '\n' && f->n < sizeof f->line - 1)
        return;
    f->line[f->n] = 0;
    f->take(f);
    f->n = 0;
}

static void filter_file(struct filter *f, long from)
{
    static char part[QN_PAGE];
    long n;

    while ((n = qn_sys3(__NR_read, from, (long)part, sizeof part)) > 0)
        for (long i = 0; i < n; i++)
            take_byte(f, part[i]);
}

/* Copies the file `from`, as the program is to see it, into a file in memory; its descriptor, or -errno. */
static long copy_file(enum qn_proc_entry entry, const char *path, long from)
{
    static struct filter f;
    uint32_t times = entry == QN_PROC_CPUINFO ? qn_cfg()->processors : 1;
    char text[QN_PROCESSORS_TEXT];

    f = (struct filter){.shown = true, .to = qn_sys2(__NR_memfd_create, (long)last_part(path), 1)};
    f.take = entry == QN_PROC_MAPS ? take_map : entry == QN_PROC_STAT ? take_stat : entry == QN_PROC_CPUINFO ? take_cpuinfo : take_status;
    if (qn_sys_failed(f.to))
        return f.to;
    if (entry == QN_PROC_RANGE) {
        qn_processors_list(text, qn_processors_all());
        write_line(&f, text);
        write_line(&f, "\n");
        return f.to;
    }
    f.allowed = qn_processors_of(thread_in(path));
    for (; f.as < times; f.as++) {
        f.first = true;
        qn_sys3(__NR_lseek, from, 0, 0);
        filter_file(&f, from);
    }
    return f.to;
}

/* Replaces fd by the copy, opened for reading, at its beginning, as the file itself would be. */
static long put_in_place(long copy, long fd, long flags)
{
    char name[32];
    long again;

    qn_sys2(__NR_fchmod, copy, 0444);
    qn_format(name, sizeof name, "/proc/self/fd/%d", (int)copy);
    again = qn_sys3(__NR_open, (long)name, flags & (O_CLOEXEC_ | O_NONBLOCK_ | O_LARGEFILE_), 0);
    qn_sys1(__NR_close, copy);
    if (qn_sys_failed(again))
        return again;
    fd = qn_sys3(__NR_dup3, again, fd, flags & O_CLOEXEC_);
    qn_sys1(__NR_close, again);
    return fd;
}

/* Lets the kernel open the file first, so that the descriptor's number and errors are right; the limit may leave no descriptor for the copy. */
long qn_proc_open_copy(enum qn_proc_entry entry, const char *path, long flags)
{
    long fd = qn_sys3(__NR_open, (long)path, flags, 0), copy;
    struct qn_limit before;

    if (qn_sys_failed(fd) || (flags & O_PATH_) || (flags & O_ACCMODE_) == O_WRONLY_)
        return fd;
    qn_files_go_beyond(&before);
    copy = copy_file(entry, path, fd);
    if (!qn_sys_failed(copy))
        copy = put_in_place(copy, fd, flags);
    qn_files_go_back(&before);
    if (qn_sys_failed(copy))
        qn_sys1(__NR_close, fd);
    return copy;
}

/* ---- descriptors ---- */

struct entry { /* struct linux_dirent64 */
    uint64_t ino;
    int64_t off;
    uint16_t len;
    uint8_t type;
    char name[];
} __attribute__((packed));

bool qn_proc_holds(long fd)
{
    uint64_t statfs[15];

    return !qn_sys2(__NR_fstatfs, fd, (long)statfs) && statfs[0] == PROC_MAGIC;
}

static bool names_engine(const struct entry *e)
{
    uint64_t number;
    const char *end = qn_parse_decimal(e->name, &number);

    return end != e->name && !*end && qn_is_engine_fd((long)number);
}

/* Works in a copy, because the guest's memory may be unmapped meanwhile. */
long qn_proc_list(uint64_t buffer, long bytes)
{
    static uint8_t copy[QN_PROC_LIST];
    long at = 0, all = bytes;

    if (bytes > (long)sizeof copy || !qn_read_guest(buffer, copy, (uint64_t)bytes))
        return bytes;
    while (at < bytes) {
        const struct entry *e = (const struct entry *)(copy + at);
        uint16_t len = e->len;

        if (len < sizeof *e || len > bytes - at) /* another thread has written there meanwhile */
            break;
        if (!names_engine(e)) {
            at += len;
            continue;
        }
        __builtin_memmove(copy + at, copy + at + len, (size_t)(bytes - at - len));
        bytes -= len;
    }
    return bytes == all || qn_write_guest(buffer, copy, (uint64_t)bytes) ? bytes : all;
}

/* ---- files that the kernel fills in by itself ---- */

struct mm_map { /* struct prctl_mm_map */
    uint64_t start_code, end_code, start_data, end_data, start_brk, brk, start_stack, arg_start, arg_end, env_start, env_end, auxv;
    uint32_t auxv_size, exe_fd;
};

/* The range of these strings, which lie side by side; returns what follows the list of pointers. */
static uint64_t *strings(uint64_t *p, uint64_t *start, uint64_t *end)
{
    *start = *end = *p;
    for (; *p; p++)
        *end = *p + qn_strlen((const char *)(uintptr_t)*p) + 1;
    return p + 1;
}

/* If the kernel refuses (an old one, or one without checkpoints), these files describe the engine. */
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
