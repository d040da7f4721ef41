/* lib/debug/kept_file.c - the files of the cache of debug information, for kept.c and kept_dwarf.c.
 *
 *   DIRECTORY/BUILD-ID.lines
 *
 * Invariants: a file is used only if the user owns it and no other user may write to it; it is written under another name and renamed.  When
 * one is written, files that were not used for KEPT_DAYS are removed, then the least recently used ones until KEPT_MOST bytes are left.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/ready.h"
#include "debug/kept.h"
#include "text/cache.h"

#define KEPT_MOST ((off_t)256 << 20) /* bytes of all files together */
#define KEPT_DAYS 60
#define NEW ".XXXXXX" /* behind the name while it is written */

bool qn_kept_name(const struct qn_debug *d, const char *suffix, char path[PATH_MAX])
{
    return qn_debug_settings.kept && d->build_id[0] &&
           snprintf(path, PATH_MAX, "%s/%s%s", qn_debug_settings.kept, d->build_id, suffix) < PATH_MAX;
}

bool qn_kept_origin(struct qn_debug *d, struct qn_kept_origin *o)
{
    int fd = qn_debug_dwarf_file(d) == d->main.elf ? d->main.fd : d->separate.fd;
    struct stat st;

    if (fd < 0 || fstat(fd, &st))
        return false;
    *o = (struct qn_kept_origin){ (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec };
    return true;
}

const void *qn_kept_map(const char *path, size_t least, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    void *at = MAP_FAILED;
    struct stat st;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)) &&
        st.st_size >= (off_t)least) {
        *bytes = (size_t)st.st_size;
        at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    if (at == MAP_FAILED)
        return NULL;
    qn_ready_to_read(at, *bytes);
    return at;
}

/* The mark is the beginning of every version's KEPT_MAGIC (kept.c, kept_dwarf.c).  A command that was killed may leave a file under its first name. */
static bool is_ours(const char *name, int fd)
{
    static const char *const suffixes[] = { QN_KEPT_LINES, QN_KEPT_DWARF, QN_KEPT_LINES NEW, QN_KEPT_DWARF NEW };
    char mark[sizeof QN_KEPT_MARK] = "";
    bool named = false;

    for (size_t i = 0; i < QN_ARRAY_LEN(suffixes); i++)
        named |= qn_text_is_cache_name(name, 0, suffixes[i]);
    return named && pread(fd, mark, sizeof mark - 1, 0) > 0 && !strcmp(mark, QN_KEPT_MARK);
}

static bool write_file(const char *path, const struct iovec *parts, int count, size_t bytes)
{
    char made[PATH_MAX];
    bool written;
    int fd;

    if (snprintf(made, sizeof made, "%s" NEW, path) >= (int)sizeof made)
        return false;
    fd = mkostemp(made, O_CLOEXEC);
    if (fd < 0)
        return false;
    written = writev(fd, parts, count) == (ssize_t)bytes;
    written = !close(fd) && written && !rename(made, path);
    if (!written)
        unlink(made);
    return written;
}

void qn_kept_write(const char *path, const struct iovec *parts, int count)
{
    size_t bytes = 0;
    int folder;

    for (int i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    folder = qn_text_open_cache(qn_debug_settings.kept);
    if (folder < 0)
        return;
    close(folder);
    if (write_file(path, parts, count, bytes))
        qn_text_trim_cache(qn_debug_settings.kept, &(struct qn_text_cache_limits){ SIZE_MAX, KEPT_MOST, KEPT_DAYS, NULL, is_ours });
}
