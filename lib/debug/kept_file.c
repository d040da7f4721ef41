/* lib/debug/kept_file.c - the files of the cache of debug information, for kept.c and kept_dwarf.c.
 *
 *   DIRECTORY/BUILD-ID.lines
 *
 * Invariants: a file is used only if the user owns it and no other user may write to it; it is written under another name and renamed.  When
 * one is written, files that were not used for KEPT_DAYS are removed, then the least recently used ones until KEPT_MOST bytes are left.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/ready.h"
#include "debug/kept.h"

#define KEPT_MOST ((off_t)256 << 20) /* bytes of all files together */
#define KEPT_DAYS 60
#define DAY (24 * 60 * 60)

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

static void make_directory(const char *path)
{
    char above[PATH_MAX];
    char *slash;

    if (!mkdir(path, 0700) || snprintf(above, sizeof above, "%s", path) >= (int)sizeof above)
        return;
    slash = strrchr(above, '/');
    if (!slash || slash == above)
        return;
    *slash = 0;
    if (!mkdir(above, 0700))
        mkdir(path, 0700);
}

struct kept_file {
    char name[2 * QN_BUILD_ID_MAX + 20];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept_file *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

/* Lists the files of the directory, the most recently used first. */
static struct kept_file *list_files(DIR *directory, size_t *count)
{
    struct kept_file *list = NULL;
    size_t room = 0;
    struct dirent *e;
    struct stat st;

    *count = 0;
    while ((e = readdir(directory)))
        if ((strstr(e->d_name, QN_KEPT_LINES) || strstr(e->d_name, QN_KEPT_DWARF)) && strlen(e->d_name) < sizeof list->name &&
            !fstatat(dirfd(directory), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
            QN_GROW(list, *count, room, QN_DEBUG_ROOM)) {
            struct kept_file *f = &list[(*count)++];

            strcpy(f->name, e->d_name);
            f->used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
            f->size = st.st_size;
        }
    if (*count)
        qsort(list, *count, sizeof *list, compare_use);
    return list;
}

static void remove_old(const char *path)
{
    DIR *directory = opendir(path);
    time_t oldest = time(NULL) - (time_t)KEPT_DAYS * DAY;
    struct kept_file *list;
    size_t count;
    off_t sum = 0;

    if (!directory)
        return;
    list = list_files(directory, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (list[i].used < oldest || sum > KEPT_MOST)
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    closedir(directory);
}

static bool write_file(const char *path, const struct iovec *parts, int count, size_t bytes)
{
    char made[PATH_MAX];
    bool written;
    int fd;

    if (snprintf(made, sizeof made, "%s.XXXXXX", path) >= (int)sizeof made)
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

    for (int i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    make_directory(qn_debug_settings.kept);
    if (write_file(path, parts, count, bytes))
        remove_old(qn_debug_settings.kept);
}
