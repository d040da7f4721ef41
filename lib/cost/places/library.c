/* lib/cost/places/library.c - opens the ELF files that maps refer to.  See modules.h. */
#include "cost/places/library.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

#define GIVEN_FIRST 64
#define QN_COST_GIVEN_MAX 4096u /* files; each is an open descriptor */

struct qn_cost_library *qn_cost_new_library(void)
{
    struct qn_cost_library *l = QN_NEEDED(calloc(1, sizeof *l));

    l->files = QN_NEEDED(calloc(QN_COST_MODULES_MAX, sizeof *l->files));
    return l;
}

void qn_cost_free_library(struct qn_cost_library *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        qn_debug_close(l->files[i].debug);
        free(l->files[i].path);
    }
    for (uint32_t i = 0; i < l->given_count; i++)
        if (l->given[i].fd >= 0)
            close(l->given[i].fd);
    free(l->files);
    free(l->given);
    free(l);
}

void qn_cost_give_file(struct qn_cost_library *l, int fd)
{
    struct stat st;
    bool wanted = !fstat(fd, &st) && S_ISREG(st.st_mode) && l->given_count < QN_COST_GIVEN_MAX;

    for (uint32_t i = 0; i < l->given_count && wanted; i++)
        wanted = l->given[i].dev != st.st_dev || l->given[i].ino != st.st_ino;
    if (!wanted || !QN_GROW(l->given, l->given_count, l->given_room, GIVEN_FIRST)) {
        close(fd);
        return;
    }
    l->given[l->given_count++] = (struct qn_cost_given){ fd, st.st_dev, st.st_ino };
    for (uint32_t i = 0; i < l->count; i++) /* its map may have been seen before, when another file had its name already */
        if (l->files[i].ino == st.st_ino && !l->files[i].debug)
            l->files[i].opened = false;
}

/* The file of this inode that was given; -1 if there is none. */
static int take_given(struct qn_cost_library *l, uint64_t ino)
{
    for (uint32_t i = 0; i < l->given_count; i++)
        if (l->given[i].ino == ino && l->given[i].fd >= 0) {
            int fd = l->given[i].fd;

            l->given[i].fd = -1;
            return fd;
        }
    return -1;
}

uint32_t qn_cost_number_file(struct qn_cost_library *l, const char *path, uint64_t ino)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->files[i].ino == ino && !strcmp(l->files[i].path, path))
            return i + 1;
    if (l->count == QN_COST_MODULES_MAX)
        return 0;
    l->files[l->count].path = QN_NEEDED(strdup(path));
    l->files[l->count].ino = ino;
    return ++l->count;
}

uint32_t qn_cost_number_map(struct qn_cost_library *l, const struct qn_cost_store *store, const struct qn_map_rec *rec)
{
    char path[PATH_MAX];

    qn_cost_get_string(store, rec->path, path, sizeof path);
    return qn_cost_number_file(l, path, rec->ino);
}

/* Our own vDSO is the guest's: both come from the running kernel. */
static struct qn_debug *open_vdso(char *why, size_t size)
{
    const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);

    if (!image) {
        snprintf(why, size, "no vDSO here");
        return NULL;
    }
    return qn_debug_open_memory(image, image->e_shoff + (size_t)image->e_shnum * image->e_shentsize, why, size);
}

/* Paths are the kernel's: "", "[heap]", "/memfd:x (deleted)", "/bin/true". */
static bool is_file(const char *path)
{
    static const char gone[] = " (deleted)";
    size_t n = strlen(path);

    return path[0] == '/' && (n < sizeof gone || strcmp(path + n - (sizeof gone - 1), gone));
}

void qn_cost_open_file(struct qn_cost_library *l, struct qn_cost_file *f)
{
    int given;

    if (f->opened)
        return;
    f->opened = true;
    given = f->ino ? take_given(l, f->ino) : -1;
    if (given >= 0)
        f->debug = qn_debug_open_fd(given, f->path, f->why, sizeof f->why);
    else if (!strcmp(f->path, "[vdso]"))
        f->debug = open_vdso(f->why, sizeof f->why);
    else if (is_file(f->path)) /* else code made at run time, or a file that is gone: nothing to say */
        f->debug = qn_debug_open(f->path, f->why, sizeof f->why);
    if (f->debug)
        f->why[0] = 0;
    if (f->debug && f->ino && !qn_debug_has_inode(f->debug, f->ino)) {
        snprintf(f->why, sizeof f->why, "replaced since the program used it");
        qn_debug_close(f->debug);
        f->debug = NULL;
    }
}

struct qn_debug *qn_cost_open_number(struct qn_cost_library *l, const struct qn_cost_store *store, uint32_t map, struct qn_map_rec *rec)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);
    uint32_t file;

    if (map >= e.maps)
        return NULL;
    memcpy(rec, store->base + QN_ARENA_MAPS_OFF + map * sizeof *rec, sizeof *rec);
    file = qn_cost_number_map(l, store, rec);
    if (!file)
        return NULL;
    qn_cost_open_file(l, &l->files[file - 1]);
    return l->files[file - 1].debug;
}

#define PAGE 4096u

/* Segments lie to each other as the file says; that of this map may begin within its first page. */
bool qn_cost_find_bias(struct qn_debug *debug, const struct qn_map_rec *map, uint64_t *bias)
{
    uint64_t base;

    for (uint64_t at = 0; at < PAGE; at++)
        if (qn_debug_address(debug, map->offset + at, &base)) {
            *bias = map->start + at - base;
            return true;
        }
    return false;
}
