/* lib/run/kernel/exec_path.c - execveat: finds a path for a program that is given by a descriptor, or by a name relative to one.
 *
 *   execveat(5, "", ..., AT_EMPTY_PATH)      5 is /bin/true         ->  /bin/true
 *   execveat(7, "bin/true", ...)             7 is /usr              ->  /usr/bin/true
 *
 * The new engine opens its program by that path, because the descriptor may be closed by then.  There is none if no path leads to the same
 * file (memory, a deleted file, a folder that may not be searched), nor for scripts: the kernel gives them a name in /dev/fd, which is
 * gone once the descriptor is closed.
 */
#include "base/format.h"
#include "guest/elf.h"
#include "run/run.h"

enum { AT_FDCWD_ = -100, AT_EMPTY_PATH_ = 0x1000, AT_SYMLINK_NOFOLLOW_ = 0x100, O_CLOEXEC_ = 02000000 };
enum { STAT_WORDS = 18, DEV = 0, INO = 1, MODE = 3, S_IFMT_ = 0170000, S_IFREG_ = 0100000 };

static bool is_script(const char *path)
{
    static struct qn_script script;
    long fd = qn_sys3(__NR_open, (long)path, O_CLOEXEC_, 0);
    int err;

    if (qn_sys_failed(fd))
        return false;
    err = qn_elf_read_script((int)fd, &script);
    qn_sys1(__NR_close, fd);
    return err == 0;
}

/* Is the file that the call names a regular one, and the same as the one at this path? */
static bool leads_there(int dirfd, const char *name, int flags, const char *path)
{
    uint64_t meant[STAT_WORDS], found[STAT_WORDS];

    return !qn_sys4(__NR_newfstatat, dirfd, (long)name, (long)meant, flags) && ((uint32_t)meant[MODE] & S_IFMT_) == S_IFREG_ &&
           !qn_sys4(__NR_newfstatat, AT_FDCWD_, (long)path, (long)found, 0) && meant[DEV] == found[DEV] && meant[INO] == found[INO];
}

bool qn_exec_path(int dirfd, char *path, int flags)
{
    static char name[QN_PATH_MAX];
    char link[32];
    long n, room;

    if (flags & ~(AT_EMPTY_PATH_ | AT_SYMLINK_NOFOLLOW_) || (!path[0] && !(flags & AT_EMPTY_PATH_)))
        return false;
    if (dirfd == AT_FDCWD_ || path[0] == '/')
        return !(flags & AT_SYMLINK_NOFOLLOW_) || leads_there(AT_FDCWD_, path, flags, path);
    qn_format(name, sizeof name, "%s", path);
    qn_format(link, sizeof link, "/proc/self/fd/%d", dirfd);
    n = qn_sys3(__NR_readlink, (long)link, (long)path, QN_PATH_MAX - 1);
    room = QN_PATH_MAX - n;
    if (n > 0 && path[0] == '/' && (long)qn_strlen(name) + 2 <= room) {
        path[n] = 0;
        if (name[0])
            qn_format(path + n, (size_t)room, "/%s", name);
        if (leads_there(dirfd, name, flags, path) && !is_script(path))
            return true;
    }
    qn_format(path, QN_PATH_MAX, "%s", name);
    return false;
}
