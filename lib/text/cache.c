/* lib/text/cache.c - see cache.h. */
#define _GNU_SOURCE
#include "text/cache.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "text/output.h"

#define LEFT_AGE 3600 /* seconds: no command builds for longer */
#define DAY (24L * 60 * 60)

/* ---- the folder ---- */

/* Parents may be links: users move their ~/.cache to another disk. */
static bool is_users(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

static bool make_folder(char *path)
{
    char *slash = strrchr(path, '/');
    bool above;

    if (is_users(path))
        return true;
    if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || !slash || slash == path)
        return false;
    *slash = 0;
    above = make_folder(path);
    *slash = '/';
    return above && (!mkdir(path, 0700) || errno == EEXIST);
}

int qn_text_open_cache(const char *path)
{
    char *made = QN_NEEDED(strdup(path));
    int fd = make_folder(made) ? open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    struct stat st;

    free(made);
    if (fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & (S_IRWXG | S_IRWXO)))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool qn_text_is_cache_name(const char *name, size_t digits, const char *suffix)
{
    size_t n = strspn(name, "0123456789abcdef");

    if (!n || (digits ? n != digits : n % 2))
        return false;
    for (name += n; *name && *suffix; name++, suffix++)
        if (*suffix == 'X' ? !isalnum((unsigned char)*name) : *name != *suffix)
            return false;
    return !*name && !*suffix;
}

/* ---- what has become too much ---- */

struct kept {
    char name[NAME_MAX + 1];
    time_t used;
    off_t size;
};

static int compare_use(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    return a->used > b->used ? -1 : a->used < b->used;
}

/* Looks into the file without a change of its time of use. */
static bool is_ours(int folder, const char *name, const struct qn_text_cache_limits *limits, struct stat *st)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME | O_CLOEXEC);
    bool ours = fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid() && limits->is_ours(name, fd);

    if (fd >= 0)
        close(fd);
    return ours;
}

static bool is_left(int folder, const char *name, const char *left)
{
    size_t n = left ? strlen(left) : 0;
    struct stat st;

    return n && !strncmp(name, left, n) && strlen(name + n) == strlen(".XXXXXX") && name[n] == '.' &&
           !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
           time(NULL) - st.st_mtime > LEFT_AGE;
}

/* Lists what is ours, the most recently used first; removes folders that were left. */
static struct kept *list_files(DIR *directory, const char *path, const struct qn_text_cache_limits *limits, size_t *count)
{
    struct kept *list = NULL;
    size_t room = 0;
    struct dirent *e;
    struct stat st;
    char *left;

    while ((e = readdir(directory))) {
        if (is_left(dirfd(directory), e->d_name, limits->left) && asprintf(&left, "%s/%s", path, e->d_name) >= 0) {
            qn_text_remove_scratch(left);
            free(left);
        } else if (is_ours(dirfd(directory), e->d_name, limits, &st) && QN_GROW(list, *count, room, 64)) {
            struct kept *k = &list[(*count)++];

            strcpy(k->name, e->d_name);
            k->used = st.st_atime > st.st_mtime ? st.st_atime : st.st_mtime;
            k->size = st.st_size;
        }
    }
    if (*count)
        qsort(list, *count, sizeof *list, compare_use);
    return list;
}

void qn_text_trim_cache(const char *path, const struct qn_text_cache_limits *limits)
{
    int fd = qn_text_open_cache(path);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    time_t oldest = limits->days ? time(NULL) - limits->days * DAY : 0;
    struct kept *list;
    size_t count = 0;
    off_t sum = 0;

    if (!directory)
        return;
    list = list_files(directory, path, limits, &count);
    for (size_t i = 0; i < count; i++) {
        sum += list[i].size;
        if (i >= limits->files || list[i].used < oldest || (i && sum > limits->bytes))
            unlinkat(dirfd(directory), list[i].name, 0);
    }
    free(list);
    closedir(directory);
}
