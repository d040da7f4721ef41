/* lib/cost/places/modules.c - from a guest address to a place in the source.  See modules.h. */
#include "cost/places/modules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "cost/places/jit.h"
#include "cost/places/library.h"
#include "debug/debug.h"

#define UNNAMED_TEXT 64
#define FILE_CLOCK 100000000u /* ns: so much the time of a file may be behind (a tick of the kernel) */

struct map { /* a checked copy of a qn_map_rec */
    uint64_t start, end, offset;
    uint32_t file; /* + 1; 0: not looked at yet */
};

struct qn_cost_modules {
    const struct qn_cost_store *store;
    struct qn_cost_library *library;
    struct qn_cost_guard *guard;
    void (*note)(void *, const char *);
    void *note_data;
    struct map *maps;
    uint64_t nmaps;
    struct qn_cost_jit *jit; /* names of code that the program has made; NULL: none, or not looked for yet */
    bool jit_tried;
    char (*unnamed)[UNNAMED_TEXT]; /* by map: the name of such code that no range of `jit` holds */
    bool *said; /* by file: its trouble was reported */
};

struct qn_cost_modules *qn_cost_new_modules(const struct qn_cost_store *store, struct qn_cost_library *library,
                                            struct qn_cost_guard *guard, void (*note)(void *, const char *),
                                            void *note_data)
{
    struct qn_cost_modules *m = QN_NEEDED(calloc(1, sizeof *m));
    struct qn_cost_extent e = qn_cost_get_extent(store);

    m->store = store;
    m->library = library;
    m->guard = guard;
    m->note = note;
    m->note_data = note_data;
    m->nmaps = e.maps;
    m->maps = QN_NEEDED(calloc(e.maps + 1, sizeof *m->maps));
    m->said = QN_NEEDED(calloc(QN_COST_MODULES_MAX, sizeof *m->said));
    return m;
}

void qn_cost_free_modules(struct qn_cost_modules *m)
{
    if (!m)
        return;
    qn_cost_free_jit(m->jit);
    free(m->unnamed);
    free(m->said);
    free(m->maps);
    free(m);
}

static struct map *get_map(struct qn_cost_modules *m, uint32_t at)
{
    struct map *map = &m->maps[at];
    struct qn_map_rec rec;

    if (map->file)
        return map;
    memcpy(&rec, m->store->base + QN_ARENA_MAPS_OFF + at * sizeof rec, sizeof rec);
    *map = (struct map){ rec.start, rec.end, rec.offset, qn_cost_number_map(m->library, m->store, &rec) };
    return map->file ? map : NULL;
}

static void say_once(struct qn_cost_modules *m, uint32_t file, const char *path, const char *what, const char *loss)
{
    char text[PATH_MAX + 128];

    if (m->said[file] || !m->note || !what[0])
        return;
    m->said[file] = true;
    snprintf(text, sizeof text, "%s: %s; %s is shown without names", path, what, loss);
    m->note(m->note_data, text);
}

/* What was read of the map's file, NULL if nothing can be known. */
static struct qn_debug *ask_library(struct qn_cost_modules *m, const struct map *map)
{
    uint32_t number = map->file - 1;
    struct qn_cost_file *f = &m->library->files[number];

    if (m->guard && m->guard->avoid[number]) {
        say_once(m, number, f->path, "its debug information cannot be read", "its code");
        return NULL;
    }
    qn_cost_open_file(m->library, f);
    say_once(m, number, f->path, f->why, "its code");
    return f->debug;
}

static void find_in_file(struct qn_debug *d, const struct map *map, uint64_t pc, struct qn_cost_place *place)
{
    struct qn_debug_place p;
    uint64_t address;

    if (!qn_debug_address(d, pc - map->start + map->offset, &address))
        return;
    qn_debug_find(d, address, &p);
    place->bias = address - pc;
    place->file = p.file;
    place->function = p.function;
    place->line = p.line;
    if (p.end - address < place->end - pc)
        place->end = pc + (p.end - address);
}

/* ---- code that the program has made ---- */

/* The arena is made before the program starts; a map file that is older is of another process. */
static const struct qn_cost_jit *find_jit(struct qn_cost_modules *m)
{
    if (!m->jit_tried) {
        m->jit_tried = true;
        m->jit = qn_cost_read_jit(qn_cost_header(m->store)->guest_pid, qn_cost_header(m->store)->made - FILE_CLOCK);
    }
    return m->jit;
}

/* If the program has named any generated code, the code that it has not named is named after its mapping. */
static const char *name_rest(struct qn_cost_modules *m, uint32_t at)
{
    if (!m->unnamed)
        m->unnamed = QN_NEEDED(calloc(m->nmaps + 1, sizeof *m->unnamed));
    snprintf(m->unnamed[at], UNNAMED_TEXT, "code in 0x%" PRIx64 "-0x%" PRIx64, m->maps[at].start, m->maps[at].end);
    return m->unnamed[at];
}

static void find_made(struct qn_cost_modules *m, uint32_t at, uint64_t pc, struct qn_cost_place *place)
{
    const struct qn_cost_jit *jit = find_jit(m);
    struct qn_cost_jit_place p;

    if (!jit)
        return;
    place->function = qn_cost_find_jit(jit, pc, &p) ? p.function : name_rest(m, at);
    place->file = p.file;
    place->line = p.line;
    if (p.end < place->end)
        place->end = p.end;
}

void qn_cost_find_place(struct qn_cost_modules *m, uint32_t at, uint64_t pc, struct qn_cost_place *place)
{
    struct map *map = at < m->nmaps ? get_map(m, at) : NULL;
    struct qn_debug *d;

    *place = (struct qn_cost_place){ NULL, NULL, 0, pc, pc + 1, NULL, 0 };
    if (!map || pc < map->start || pc >= map->end)
        return;
    place->end = map->end;
    place->object = m->library->files[map->file - 1].path;
    if (m->guard)
        m->guard->current = map->file;
    d = ask_library(m, map);
    if (d) {
        find_in_file(d, map, pc, place);
        if (qn_debug_too_large(d)) {
            char what[128];

            snprintf(what, sizeof what, "its section %.60s unpacks to more than debug information can have", qn_debug_too_large(d));
            say_once(m, map->file - 1, place->object, what, "some of its code");
        }
        if (qn_debug_is_damaged(d))
            say_once(m, map->file - 1, place->object, "damaged debug information", "some of its code");
    }
    if (m->guard)
        m->guard->current = 0;
    if (!d && (place->object[0] != '/' || !strncmp(place->object, "/memfd:", 7)))
        find_made(m, at, pc, place);
}

void qn_cost_guard_map(struct qn_cost_modules *m, uint32_t at)
{
    struct map *map = at < m->nmaps ? get_map(m, at) : NULL;

    if (m->guard)
        m->guard->current = map ? map->file : 0;
}

void qn_cost_unguard(struct qn_cost_modules *m)
{
    if (m->guard)
        m->guard->current = 0;
}

void qn_cost_find_user(struct qn_cost_modules *m, uint32_t at, uint64_t pc, struct qn_cost_place *place)
{
    struct qn_debug_place p;
    uint64_t bias;
    struct qn_debug *d;

    qn_cost_find_place(m, at, pc, place);
    d = place->file ? qn_cost_open_map(m, at, &bias) : NULL;
    if (!d)
        return;
    qn_cost_guard_map(m, at);
    qn_debug_find_user(d, pc + bias, &p);
    qn_cost_unguard(m);
    place->file = p.file;
    place->function = p.function;
    place->line = p.line;
}

#define PAGE 4096u /* a segment may begin within the first page of its map */

struct qn_debug *qn_cost_open_map(struct qn_cost_modules *m, uint32_t at, uint64_t *bias)
{
    struct map *map = at < m->nmaps ? get_map(m, at) : NULL;
    struct qn_debug *d = map ? ask_library(m, map) : NULL;
    uint64_t address;

    for (uint64_t k = 0; d && k < PAGE; k++)
        if (qn_debug_address(d, map->offset + k, &address)) {
            *bias = address - (map->start + k);
            return d;
        }
    return NULL;
}

bool qn_cost_get_code(struct qn_cost_modules *m, uint32_t at, uint64_t pc, size_t n, uint8_t *to)
{
    struct map *map = at < m->nmaps ? get_map(m, at) : NULL;
    struct qn_debug *d = map && pc >= map->start && pc < map->end ? ask_library(m, map) : NULL;
    size_t count;
    const uint8_t *bytes = d ? qn_debug_bytes(d, pc - map->start + map->offset, &count) : NULL;

    if (!bytes || count < n || map->end - pc < n)
        return false;
    memcpy(to, bytes, n);
    return true;
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
    if (l->preloaded_of != qn_cost_header(store)->made)
        l->preloaded = 0;
    l->preloaded_of = qn_cost_header(store)->made;
    open_files(l, store, e.maps);
    for (uint64_t i = l->preloaded; i < e.blocks; i++)
        qn_cost_find_place(m, blocks[i].map, blocks[i].pc, &place);
    if (l->preloaded < e.blocks)
        l->preloaded = e.blocks;
    qn_cost_free_modules(m);
}
