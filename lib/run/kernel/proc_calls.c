/* lib/run/kernel/proc_calls.c - system calls that take names: names of files in /proc that procfs.c replaces lead to its files. */
#include "run/kernel/outside.h"
#include "run/kernel/procfs.h"
#include "run/run.h"

enum { E_FAULT = 14, E_INVAL = 22, AT_FDCWD_ = -100, AT_SYMLINK_NOFOLLOW_ = 0x100, O_WRONLY_ = 1, O_ACCMODE_ = 3 };

struct open_how { uint64_t flags, mode, resolve; };

static long read_exe_link(const char *exe, uint64_t buf, uint64_t size)
{
    uint64_t len = qn_strlen(exe);

    if ((long)size <= 0)
        return -E_INVAL;
    len = len < size ? len : size;
    return qn_write_guest(buf, exe, len) ? (long)len : -E_FAULT;
}

static long link_call(long nr, const long *a)
{
    bool at = nr == __NR_readlinkat;
    struct qn_proc_file f;

    if (qn_proc_find(at ? (int)a[0] : AT_FDCWD_, (uint64_t)a[at], &f) == QN_PROC_EXE)
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

/* Makes the call; the file opened may be the memory of a process (outside.c). */
static long open_other(long nr, const long *a, uint64_t flags)
{
    long fd = qn_syscall_pass(nr, a);

    if (!qn_sys_failed(fd) && (flags & O_ACCMODE_))
        qn_outside_opened(fd);
    return fd;
}

static long open_call(long nr, const long *a)
{
    unsigned path = nr == __NR_openat || nr == __NR_openat2;
    struct open_how how = {.flags = nr == __NR_creat ? O_WRONLY_ : (uint64_t)a[path + 1]};
    bool readable = nr != __NR_openat2 || qn_read_guest((uint64_t)a[2], &how, sizeof how);
    struct qn_proc_file f;
    enum qn_proc_entry entry = qn_proc_find(path ? (int)a[0] : AT_FDCWD_, (uint64_t)a[path], &f);

    if (entry == QN_PROC_OTHER || !readable || how.resolve)
        return open_other(nr, a, how.flags);
    return entry == QN_PROC_EXE ? renamed(nr, a, path, f.exe) : qn_proc_open_copy(entry, f.path, (long)how.flags);
}

/* path, flags: numbers of these arguments; flags 0: the call has none */
static long follow_call(long nr, const long *a, unsigned path, unsigned flags)
{
    struct qn_proc_file f;

    if ((flags && (a[flags] & AT_SYMLINK_NOFOLLOW_)) ||
        qn_proc_find(path ? (int)a[0] : AT_FDCWD_, (uint64_t)a[path], &f) != QN_PROC_EXE)
        return qn_syscall_pass(nr, a);
    return renamed(nr, a, path, f.exe);
}

/* A listing that held only descriptors of the engine would look empty, which means the end; so it is read on. */
static long list_call(const long *a)
{
    long b[6], r, left;

    __builtin_memcpy(b, a, sizeof b);
    if (!qn_proc_holds((int)a[0]))
        return qn_syscall_pass(__NR_getdents64, a);
    if ((uint32_t)b[2] > QN_PROC_LIST)
        b[2] = QN_PROC_LIST;
    do {
        r = qn_syscall_pass(__NR_getdents64, b);
        left = r > 0 ? qn_proc_list((uint64_t)a[1], r) : r;
    } while (r > 0 && left == 0);
    return left;
}

long qn_proc_call(long nr, const long *a)
{
    switch (nr) {
    case __NR_readlink: case __NR_readlinkat: return link_call(nr, a);
    case __NR_open: case __NR_creat: case __NR_openat: case __NR_openat2: return open_call(nr, a);
    case __NR_stat: case __NR_access: return follow_call(nr, a, 0, 0);
    case __NR_newfstatat: return follow_call(nr, a, 1, 3);
    case __NR_faccessat: return follow_call(nr, a, 1, 0);
    case __NR_faccessat2: return follow_call(nr, a, 1, 3);
    case __NR_statx: return follow_call(nr, a, 1, 2);
    default: return list_call(a);
    }
}
