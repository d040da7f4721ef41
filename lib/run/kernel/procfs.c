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
#include <stddef.h>

#include "base/format.h"
#include "run/kernel/kernel.h"

enum entry { OTHER, EXE, MAPS, STATUS, STAT, CPUINFO, RANGE /* of processors */ };

#define PATH_BYTES 512   /* of a name, with its NUL */
#define LIST_BYTES 65536u /* of a listing, most at a time */

struct proc_file {
    char path[PATH_BYTES]; /* from the root */
    const char *exe;       /* the program of the process that the file describes */
};

/* ---- small files ---- */

long qn_proc_read(const char *path, char *text, size_t size)
{
    long fd = qn_sys3(__NR_open, (long)path, O_CLOEXEC, 0), n = fd;

    if (!qn_sys_failed(fd)) {
        n = qn_sys3(__NR_read, fd, (long)text, (long)size - 1);
        qn_sys1(__NR_close, fd);
    }
    text[n > 0 ? n : 0] = 0;
    return n;
}

static long read_link(const char *path, char *to, size_t size)
{
    long n = qn_sys3(__NR_readlink, (long)path, (long)to, (long)size - 1);

    to[n > 0 ? n : 0] = 0;
    return n;
}

long qn_proc_fd_path(int fd, char *to, size_t size)
{
    char link[32];

    qn_format(link, sizeof link, "/proc/self/fd/%d", fd);
    return read_link(link, to, size);
}

char qn_proc_state(uint32_t tid)
{
    char path[64], text[128];
    long n;

    qn_format(path, sizeof path, "/proc/%u/stat", tid);
    n = qn_proc_read(path, text, sizeof text);
    if (qn_sys_failed(n))
        return qn_sys2(__NR_tkill, tid, 0) == -ESRCH ? 0 : 'R';
    for (; n > 2; n--) /* "4711 (name) R ..." */
        if (text[n - 3] == ')')
            return text[n - 1];
    return 'R';
}

long qn_proc_transfer(long nr, int32_t pid, uint64_t at, void *here, uint64_t size)
{
    struct { uint64_t base, len; } local = {(uint64_t)(uintptr_t)here, size}, remote = {at, size};

    return qn_sys6(nr, pid, (long)&local, 1, (long)&remote, 1, 0);
}

/* ---- mappings of this process, the engine's included ----
 *
 *   "7f00-7f01 r-xp 00000000 fe:00 42   /bin/true"        a line of /proc/self/maps
 *
 * One mapping is asked for by its address (PROCMAP_QUERY, Linux 6.11), so that the answer takes no longer if there are many; older kernels
 * have only the list.
 */

#define PROCMAP_QUERY_ 0xc0686611u

struct query { /* struct procmap_query */
    uint64_t size, flags, address, start, end, vma_flags, page_size, offset, ino;
    uint32_t major, minor, name_size, build_id_size;
    uint64_t name, build_id;
};
_Static_assert(sizeof(struct query) == 104, "linux/fs.h");

static long open_maps(void) { return qn_sys4(__NR_openat, -100, (long)"/proc/self/maps", O_CLOEXEC, 0); }

static uint64_t device(uint64_t major, uint64_t minor) { return major << 20 | minor; }

static const char *skip_field(const char *s)
{
    while (*s && *s != ' ')
        s++;
    while (*s == ' ')
        s++;
    return s;
}

static void parse(const char *line, struct qn_mapping *m)
{
    uint64_t major, minor;
    const char *s = qn_parse_hex(line, &m->start);

    s = skip_field(qn_parse_hex(s + 1, &m->end));
    m->flags = (s[0] == 'r' ? QN_MAPS_READ : 0u) | (s[1] == 'w' ? QN_MAPS_WRITE : 0u) | (s[2] == 'x' ? QN_MAPS_EXEC : 0u) |
               (s[3] == 's' ? QN_MAPS_SHARED : 0u);
    s = qn_parse_hex(skip_field(s), &m->offset);
    s = qn_parse_hex(skip_field(s), &major);
    s = qn_parse_hex(s + 1, &minor);
    m->dev = device(major, minor);
    s = qn_parse_decimal(skip_field(s), &m->ino);
    while (*s == ' ')
        s++;
    qn_format(m->path, sizeof m->path, "%s", s);
}

bool qn_maps_each(bool (*see)(void *data, const struct qn_mapping *m), void *data)
{
    static char buf[65536];
    static struct qn_mapping m;
    long fd = open_maps(), n;
    size_t have = 0;
    bool more = !qn_sys_failed(fd);

    while (more && (n = qn_sys3(__NR_read, fd, (long)buf + (long)have, (long)(sizeof buf - 1 - have))) > 0) {
        char *line = buf, *end;

        have += (size_t)n;
        buf[have] = 0;
        for (end = line; more && *end; end++) {
            if (*end != '\n')
                continue;
            *end = 0;
            parse(line, &m);
            more = see(data, &m);
            line = end + 1;
        }
        have -= (size_t)(line - buf);
        __builtin_memmove(buf, line, have);
    }
    if (!qn_sys_failed(fd))
        qn_sys1(__NR_close, fd);
    return !qn_sys_failed(fd);
}

struct search {
    uint64_t address;
    struct qn_mapping *found;
    bool done;
};

static bool compare(void *data, const struct qn_mapping *m)
{
    struct search *s = data;

    s->done = m->start <= s->address && s->address < m->end;
    if (s->done)
        *s->found = *m;
    return m->end <= s->address;
}

/* 1: found; 0: there is none; -1: the kernel cannot be asked so. */
static int query(uint64_t address, struct qn_mapping *m)
{
    struct query q = {.size = sizeof q, .address = address, .name = (uint64_t)(uintptr_t)m->path, .name_size = sizeof m->path};
    long fd = open_maps(), r;

    if (qn_sys_failed(fd))
        return -1;
    r = qn_sys3(__NR_ioctl, fd, PROCMAP_QUERY_, (long)&q);
    qn_sys1(__NR_close, fd);
    if (r)
        return r == -2 ? 0 : -1; /* ENOENT */
    if (!q.name_size)
        m->path[0] = 0;
    m->start = q.start, m->end = q.end, m->offset = q.offset, m->ino = q.ino;
    m->dev = device(q.major, q.minor);
    m->flags = (unsigned)q.vma_flags & (QN_MAPS_READ | QN_MAPS_WRITE | QN_MAPS_EXEC | QN_MAPS_SHARED);
    return 1;
}

bool qn_maps_find(uint64_t address, struct qn_mapping *m)
{
    struct search s = {.address = address, .found = m};
    int found = query(address, m);

    if (found >= 0)
        return found;
    return qn_maps_each(compare, &s) && s.done;
}

#define PROC_MAGIC 0x9fa0 /* statfs: f_type */

/* ---- which file a name leads to ---- */

/* Behind the prefix, or NULL. */
static const char *skip(const char *text, const char *prefix)
{
    while (*prefix)
        if (*text++ != *prefix++)
            return NULL;
    return text;
}

static enum entry kind_of(const char *name)
{
    return qn_streq(name, "exe")                                                                    ? EXE
           : qn_streq(name, "maps") || qn_streq(name, "smaps") || qn_streq(name, "numa_maps") ? MAPS
           : qn_cfg()->processors && qn_streq(name, "status")                                      ? STATUS
                                                                                                     : OTHER;
}

/* Of files about the machine. */
static enum entry machine_kind_of(const char *path)
{
    static const struct { const char *path; enum entry kind; } files[] = {
        {"/proc/stat", STAT}, {"/proc/cpuinfo", CPUINFO}, {"/sys/devices/system/cpu/online", RANGE},
        {"/sys/devices/system/cpu/possible", RANGE}, {"/sys/devices/system/cpu/present", RANGE},
    };

    for (unsigned i = 0; qn_cfg()->processors && i < sizeof files / sizeof *files; i++)
        if (qn_streq(path, files[i].path))
            return files[i].kind;
    return OTHER;
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
    long n;

    if (!qn_copy_string(path, text, PATH_BYTES) || (!qn_cfg()->processors && kind_of(last_part(text)) == OTHER))
        return false;
    if (text[0] == '/') {
        qn_normalise_path(text);
        return true;
    }
    n = dirfd == AT_FDCWD ? read_link("/proc/self/cwd", text, PATH_BYTES) : qn_proc_fd_path(dirfd, text, PATH_BYTES);
    if (n <= 0 || n == PATH_BYTES - 1 || text[0] != '/') /* "pipe:[7]" is no directory */
        return false;
    text[n++] = '/';
    if (!qn_copy_string(path, text + n, PATH_BYTES - (size_t)n))
        return false;
    qn_normalise_path(text);
    return true;
}

/* ---- whose it is ---- */

const char *qn_proc_program(int32_t pid)
{
    static char text[QN_PATH_MAX];
    char link[32];
    uint32_t exe = 0;
    long n;

    qn_format(link, sizeof link, "/proc/%d/exe", pid);
    if (read_link(link, text, sizeof text) <= 0 || !qn_streq(text, qn_arena_text(qn_cfg()->engine_path)))
        return NULL;
    if (qn_proc_transfer(__NR_process_vm_readv, pid, QN_ARENA_ALIAS_BASE + offsetof(struct qn_arena_header, exe), &exe, sizeof exe) != sizeof exe || !exe)
        return NULL;
    n = qn_proc_transfer(__NR_process_vm_readv, pid, QN_ARENA_ALIAS_BASE + QN_ARENA_STRINGS_OFF + exe, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return n > 0 ? text : NULL;
}

bool qn_proc_is_own(int32_t id)
{
    const struct qn_thread *t = qn_thread_of(id);

    return id == (int32_t)qn_sys1(__NR_getpid, 0) || (t && t->pid == qn_self->pid);
}

/* The kind of file that the guest's string names, for this process or another one under quern. */
static enum entry find(int dirfd, uint64_t path, struct proc_file *f)
{
    const char *p, *q;
    enum entry entry;
    uint64_t number;

    if (!whole_path(dirfd, path, f->path))
        return OTHER;
    if ((entry = machine_kind_of(f->path)) != OTHER || !(p = skip(f->path, "/proc/")))
        return entry;
    f->exe = qn_arena_text(qn_arena->exe);
    if (!(q = skip(p, "self")) && !(q = skip(p, "thread-self"))) {
        q = qn_parse_decimal(p, &number);
        if (q == p || (!qn_proc_is_own((int32_t)number) && !(f->exe = qn_proc_program((int32_t)number))))
            return OTHER;
    }
    if ((p = skip(q, "/task/")) && qn_parse_decimal(p, &number) != p)
        q = qn_parse_decimal(p, &number);
    return *q == '/' ? kind_of(q + 1) : OTHER;
}

const char *qn_proc_exe(int dirfd, uint64_t path)
{
    static struct proc_file f;

    return find(dirfd, path, &f) == EXE ? f.exe : NULL;
}

/* ---- copies of files, without the engine ---- */

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
static long copy_file(enum entry entry, const char *path, long from)
{
    static struct filter f;
    uint32_t times = entry == CPUINFO ? qn_cfg()->processors : 1;
    char text[QN_PROCESSORS_TEXT];

    f = (struct filter){.shown = true, .to = qn_sys2(__NR_memfd_create, (long)last_part(path), 1)};
    f.take = entry == MAPS ? take_map : entry == STAT ? take_stat : entry == CPUINFO ? take_cpuinfo : take_status;
    if (qn_sys_failed(f.to))
        return f.to;
    if (entry == RANGE) {
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
    again = qn_sys3(__NR_open, (long)name, flags & (O_CLOEXEC | O_NONBLOCK | O_LARGEFILE), 0);
    qn_sys1(__NR_close, copy);
    if (qn_sys_failed(again))
        return again;
    fd = qn_sys3(__NR_dup3, again, fd, flags & O_CLOEXEC);
    qn_sys1(__NR_close, again);
    return fd;
}

/* Lets the kernel open the file first, so that the descriptor's number and errors are right; the limit may leave no descriptor for the copy. */
static long open_file_copy(enum entry entry, const char *path, long flags)
{
    long fd = qn_sys3(__NR_open, (long)path, flags, 0), copy;
    struct qn_limit before;

    if (qn_sys_failed(fd) || (flags & O_PATH) || (flags & O_ACCMODE) == O_WRONLY)
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

struct listed { /* struct linux_dirent64 */
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

static bool names_engine(const struct listed *e)
{
    uint64_t number;
    const char *end = qn_parse_decimal(e->name, &number);

    return end != e->name && !*end && qn_is_engine_fd((long)number);
}

/* Works in a copy, because the guest's memory may be unmapped meanwhile. */
static long hide_descriptors(uint64_t buffer, long bytes)
{
    static uint8_t copy[LIST_BYTES];
    long at = 0, all = bytes;

    if (bytes > (long)sizeof copy || !qn_read_guest(buffer, copy, (uint64_t)bytes))
        return bytes;
    while (at < bytes) {
        const struct listed *e = (const struct listed *)(copy + at);
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

/* The range of these strings, which lie side by side; returns what follows the list of pointers. */
static uint64_t *strings(uint64_t *p, __u64 *start, __u64 *end)
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
    struct prctl_mm_map m = {.start_code = code, .end_code = code + QN_PAGE, .start_data = code, .end_data = code + QN_PAGE,
                       .start_brk = (uint64_t)qn_sys_brk(__NR_brk, (const long[1]){0}), .start_stack = sp, .exe_fd = 0xffffffffu};

    m.brk = m.start_brk + QN_PAGE; /* more than nothing, so that the heap has its name */
    p = strings(p, &m.arg_start, &m.arg_end);
    p = strings(p, &m.env_start, &m.env_end);
    m.auxv = (void *)p;
    while (p[0])
        p += 2;
    m.auxv_size = (uint32_t)((uint64_t)(uintptr_t)(p + 2) - (uint64_t)(uintptr_t)m.auxv);
    if (!m.env_start)
        m.env_start = m.env_end = m.arg_end;
    if (m.arg_start)
        qn_sys6(__NR_prctl, PR_SET_MM, PR_SET_MM_MAP, (long)&m, sizeof m, 0, 0);
}

/* ---- the guest's system calls: those that take names, and that which lists them ---- */

static long read_exe_link(const char *exe, uint64_t buf, uint64_t size)
{
    uint64_t len = qn_strlen(exe);

    if ((long)size <= 0)
        return -EINVAL;
    len = len < size ? len : size;
    return qn_write_guest(buf, exe, len) ? (long)len : -EFAULT;
}

long qn_sys_readlink(long nr, const long *a)
{
    bool at = nr == __NR_readlinkat;
    struct proc_file f;

    if (find(at ? (int)a[0] : AT_FDCWD, (uint64_t)a[at], &f) == EXE)
        return read_exe_link(f.exe, (uint64_t)a[1 + at], (uint64_t)a[2 + at]);
    return qn_syscall_pass(nr, a);
}

/* The same call with another name. */
static long renamed(long nr, const long *a, unsigned path, const char *name)
{
    long b[6];

    __builtin_memcpy(b, a, sizeof b);
    b[path] = (long)name;
    return qn_syscall_pass(nr, b);
}

/* Makes the call; the file opened may be the memory of a process (external_writes.c). */
static long open_other(long nr, const long *a, uint64_t flags)
{
    long fd = qn_syscall_pass(nr, a);

    if (!qn_sys_failed(fd) && (flags & O_ACCMODE))
        qn_external_writes_opened(fd);
    return fd;
}

long qn_sys_open(long nr, const long *a)
{
    unsigned path = nr == __NR_openat || nr == __NR_openat2;
    struct open_how how = {.flags = nr == __NR_creat ? O_WRONLY : (uint64_t)a[path + 1]};
    bool readable = nr != __NR_openat2 || qn_read_guest((uint64_t)a[2], &how, sizeof how);
    struct proc_file f;
    enum entry entry = find(path ? (int)a[0] : AT_FDCWD, (uint64_t)a[path], &f);

    if (entry == OTHER || !readable || how.resolve)
        return open_other(nr, a, how.flags);
    return entry == EXE ? renamed(nr, a, path, f.exe) : open_file_copy(entry, f.path, (long)how.flags);
}

/* Calls that follow a link to a program, as stat. */
long qn_sys_stat(long nr, const long *a)
{
    unsigned path = nr != __NR_stat && nr != __NR_access; /* numbers of these arguments; flags 0: the call has none */
    unsigned flags = nr == __NR_newfstatat || nr == __NR_faccessat2 ? 3 : nr == __NR_statx ? 2 : 0;
    struct proc_file f;

    if ((flags && (a[flags] & AT_SYMLINK_NOFOLLOW)) ||
        find(path ? (int)a[0] : AT_FDCWD, (uint64_t)a[path], &f) != EXE)
        return qn_syscall_pass(nr, a);
    return renamed(nr, a, path, f.exe);
}

/* A listing that held only descriptors of the engine would look empty, which means the end; so it is read on. */
long qn_sys_getdents(long nr, const long *a)
{
    long b[6], r, left;

    __builtin_memcpy(b, a, sizeof b);
    if (!qn_proc_holds((int)a[0]))
        return qn_syscall_pass(nr, a);
    if ((uint32_t)b[2] > LIST_BYTES)
        b[2] = LIST_BYTES;
    do {
        r = qn_syscall_pass(nr, b);
        left = r > 0 ? hide_descriptors((uint64_t)a[1], r) : r;
    } while (r > 0 && left == 0);
    return left;
}
