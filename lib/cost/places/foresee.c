/* lib/cost/places/foresee.c - reads debug information ahead: of the libraries that a program is going to load, and of the blocks so far.
 *
 * In:  /bin/true, which names /lib64/ld-linux-x86-64.so.2 and libc.so.6
 * Out: the library has symbols and line tables of these three, by the paths and inodes that their maps will have
 *
 * A short program spends half of its time until the dynamic linker has mapped the C library, whose line table takes longest to read.  If
 * reading begins at the start, it is finished when the program ends.
 *
 * A needed library is searched only beside the dynamic linker (on Debian /usr/lib/x86_64-linux-gnu).  A library elsewhere is read when it
 * is mapped.  If the program loads another file of this name, the work is wasted, but harmless.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cost/places/library.h"

#define FORESEEN_MAX 64 /* libraries */

/* Reads a file, which is then known by the path that the kernel shows; NULL: none of that name, or not ELF. */
static const struct qn_cost_file *foresee_file(struct qn_cost_library *l, const char *path)
{
    char *real = realpath(path, NULL);
    struct qn_cost_file *f = NULL;
    uint32_t number = 0;
    struct stat st;

    if (real && !stat(real, &st) && S_ISREG(st.st_mode))
        number = qn_cost_number_file(l, real, st.st_ino);
    free(real);
    if (number) {
        f = &l->files[number - 1];
        qn_cost_open_file(l, f);
    }
    if (!f || !f->debug)
        return NULL;
    qn_debug_read_ahead(f->debug);
    return f;
}

/* `linker` is the dynamic linker's path. */
static void foresee_beside(struct qn_cost_library *l, const char *linker, const char *name)
{
    const char *slash = strrchr(linker, '/');
    char *path;

    if (!slash || strchr(name, '/') || asprintf(&path, "%.*s/%s", (int)(slash - linker), linker, name) < 0)
        return;
    foresee_file(l, path);
    free(path);
}

void qn_cost_foresee(struct qn_cost_library *l, const char *program)
{
    const struct qn_cost_file *f = foresee_file(l, program), *linker;
    const char *interpreter = f ? qn_debug_interpreter(f->debug) : NULL, *name;

    linker = interpreter ? foresee_file(l, interpreter) : NULL;
    for (size_t i = 0; linker && i < FORESEEN_MAX && (name = qn_debug_needed(f->debug, i)); i++)
        foresee_beside(l, linker->path, name);
}

static void open_files(struct qn_cost_library *l, const struct qn_cost_store *store, uint64_t maps)
{
    for (uint64_t i = 0; i < maps; i++) {
        struct qn_map_rec rec;
        uint32_t number;

        memcpy(&rec, store->base + QN_ARENA_MAPS_OFF + i * sizeof rec, sizeof rec);
        number = qn_cost_number_map(l, store, &rec);
        if (number)
            qn_cost_open_file(l, &l->files[number - 1]);
    }
}

void qn_cost_preload(struct qn_cost_library *l, const struct qn_cost_store *store)
{
    struct qn_cost_modules *m = qn_cost_new_modules(store, l, NULL, NULL, NULL);
    const struct qn_block_rec *blocks = (const void *)(store->base + QN_ARENA_BLOCKS_OFF);
    struct qn_cost_extent e;
    struct qn_cost_place place;

    e = qn_cost_get_extent(store);
    open_files(l, store, e.maps);
    for (uint64_t i = l->preloaded; i < e.blocks; i++)
        qn_cost_find_place(m, blocks[i].map, blocks[i].pc, &place);
    if (l->preloaded < e.blocks)
        l->preloaded = e.blocks;
    qn_cost_free_modules(m);
}
