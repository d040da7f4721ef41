/* lib/cost/modules.c - from a guest address to a place in the source.  See modules.h. */
#define _GNU_SOURCE
#include "cost/modules.h"

#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct module {
    char *path;
    struct qn_debug *debug; /* NULL: not known, or not opened yet */
    bool opened;
};

struct map { /* a checked copy of a qn_map_rec */
    uint64_t start, end, offset, ino;
    uint32_t module; /* + 1; 0: not looked at yet */
};

struct qn_cost_modules {
    const struct qn_cost_store *store;
    struct qn_cost_guard *guard;
    void (*note)(void *, const char *);
    void *note_data;
    struct map *maps;
    uint64_t nmaps;
    struct module *list;
    uint32_t count;
};

struct qn_cost_modules *qn_cost_new_modules(const struct qn_cost_store *store, struct qn_cost_guard *guard,
                                            void (*note)(void *, const char *), void *note_data)
{
    struct qn_cost_modules *m = calloc(1, sizeof *m);
    struct qn_cost_extent e;

    if (!m)
        return NULL;
    qn_cost_get_extent(store, &e);
    *m = (struct qn_cost_modules){ .store = store, .guard = guard, .note = note, .note_data = note_data,
                                   .nmaps = e.maps };
    m->maps = calloc(e.maps + 1, sizeof *m->maps);
    m->list = calloc(QN_COST_MODULES_MAX, sizeof *m->list);
    if (!m->maps || !m->list) {
        qn_cost_free_modules(m);
        return NULL;
    }
    return m;
}

void qn_cost_free_modules(struct qn_cost_modules *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->count; i++) {
        qn_debug_close(m->list[i].debug);
        free(m->list[i].path);
    }
    free(m->list);
    free(m->maps);
    free(m);
}

uint32_t qn_cost_count_modules(const struct qn_cost_modules *m)
{
    return m->count;
}

static void say(struct qn_cost_modules *m, const char *path, const char *what)
{
    char text[PATH_MAX + 128];

    snprintf(text, sizeof text, "%s: %s; its code is shown without names", path, what);
    if (m->note)
        m->note(m->note_data, text);
}

/* The number of the module of a path, + 1; 0 if there is no room. */
static uint32_t number_module(struct qn_cost_modules *m, const char *path)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (!strcmp(m->list[i].path, path))
            return i + 1;
    if (m->count == QN_COST_MODULES_MAX || !(m->list[m->count].path = strdup(path)))
        return 0;
    return ++m->count;
}

static struct map *get_map(struct qn_cost_modules *m, uint32_t at)
{
    struct map *map = &m->maps[at];
    struct qn_map_rec rec;
    char path[PATH_MAX];

    if (map->module)
        return map;
    memcpy(&rec, m->store->base + QN_ARENA_MAPS_OFF + at * sizeof rec, sizeof rec);
    qn_cost_get_string(m->store, rec.path, path, sizeof path);
    *map = (struct map){ rec.start, rec.end, rec.offset, rec.ino, number_module(m, path) };
    return map->module ? map : NULL;
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

static void open_module(struct qn_cost_modules *m, struct module *module, const struct map *map)
{
    char why[128];

    module->opened = true;
    if (!is_file(module->path) && strcmp(module->path, "[vdso]"))
        return; /* code made at run time, or a file that is gone: no names, and nothing to say */
    if (m->guard && m->guard->avoid[module - m->list]) {
        say(m, module->path, "its debug information cannot be read");
        return;
    }
    if (!strcmp(module->path, "[vdso]"))
        module->debug = open_vdso(why, sizeof why);
    else
        module->debug = qn_debug_open(module->path, why, sizeof why);
    if (!module->debug) {
        say(m, module->path, why);
    } else if (map->ino && !qn_debug_has_inode(module->debug, map->ino)) {
        say(m, module->path, "replaced since the program used it");
        qn_debug_close(module->debug);
        module->debug = NULL;
    }
}

static bool ask_module(struct module *module, const struct map *map, uint64_t pc, struct qn_cost_place *place)
{
    struct qn_debug_place p;
    uint64_t address, room = place->end - pc;

    if (!module->debug || !qn_debug_address(module->debug, pc - map->start + map->offset, &address))
        return false;
    qn_debug_find(module->debug, address, &p);
    place->file = p.file;
    place->function = p.function;
    place->line = p.line;
    if (p.end - address < room)
        place->end = pc + (p.end - address);
    return true;
}

void qn_cost_find_place(struct qn_cost_modules *m, uint32_t at, uint64_t pc, struct qn_cost_place *place)
{
    struct map *map = at < m->nmaps ? get_map(m, at) : NULL;
    struct module *module = map ? &m->list[map->module - 1] : NULL;

    *place = (struct qn_cost_place){ NULL, NULL, 0, pc, pc + 1 };
    if (!map || pc < map->start || pc >= map->end)
        return;
    place->end = map->end;
    if (m->guard)
        m->guard->current = map->module;
    if (!module->opened)
        open_module(m, module, map);
    ask_module(module, map, pc, place);
    if (m->guard)
        m->guard->current = 0;
}
