/* lib/cost/places/places.c - from a guest address to a place in the source.  See places.h. */
#include "cost/places/places.h"

#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/grow.h"
#include "cost/places/jit.h"
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

/* Those of maps that were not there at the last look: a program of 1,000 libraries is looked at about as often. */
static void open_files(struct qn_cost_library *l, const struct qn_cost_store *store, uint64_t maps)
{
    for (uint64_t i = l->opened_maps; i < maps; i++) {
        struct qn_map_rec rec;
        uint32_t number;

        memcpy(&rec, store->base + QN_ARENA_MAPS_OFF + i * sizeof rec, sizeof rec);
        number = qn_cost_number_map(l, store, &rec);
        if (number)
            qn_cost_open_file(l, &l->files[number - 1]);
    }
    l->opened_maps = maps > l->opened_maps ? maps : l->opened_maps;
}

void qn_cost_preload(struct qn_cost_library *l, const struct qn_cost_store *store)
{
    struct qn_cost_modules *m = qn_cost_new_modules(store, l, NULL, NULL, NULL);
    const struct qn_block_rec *blocks = (const void *)(store->base + QN_ARENA_BLOCKS_OFF);
    struct qn_cost_extent e;
    struct qn_cost_place place;

    e = qn_cost_get_extent(store);
    if (l->preloaded_of != qn_cost_header(store)->made)
        l->preloaded = l->opened_maps = 0;
    l->preloaded_of = qn_cost_header(store)->made;
    open_files(l, store, e.maps);
    for (uint64_t i = l->preloaded; i < e.blocks; i++)
        qn_cost_find_place(m, blocks[i].map, blocks[i].pc, &place);
    if (l->preloaded < e.blocks)
        l->preloaded = e.blocks;
    qn_cost_free_modules(m);
}

/* ---- opens the ELF files that maps refer to ---- */

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

/* ---- blocks by their counters ---- */

static struct qn_block_rec get_block(const struct qn_cost_store *s, uint64_t i)
{
    struct qn_block_rec b;

    memcpy(&b, s->base + QN_ARENA_BLOCKS_OFF + i * sizeof b, sizeof b);
    return b;
}

static int compare(const void *left, const void *right)
{
    const struct qn_cost_site_block *a = left, *b = right;

    return a->first < b->first ? -1 : a->first > b->first;
}

void qn_cost_index_sites(struct qn_cost_sites *s, const struct qn_cost_store *store)
{
    struct qn_cost_extent e = qn_cost_get_extent(store);

    *s = (struct qn_cost_sites){ .store = store, .count = e.blocks };
    s->list = QN_NEEDED(malloc((e.blocks + 1) * sizeof *s->list));
    for (uint64_t i = 0; i < e.blocks; i++) {
        struct qn_block_rec b = get_block(store, i);

        s->list[i] = (struct qn_cost_site_block){ b.misses ? b.misses : b.counter + 1, (uint32_t)i };
    }
    qsort(s->list, e.blocks, sizeof *s->list, compare);
}

void qn_cost_free_sites(struct qn_cost_sites *s)
{
    free(s->list);
    *s = (struct qn_cost_sites){ 0 };
}

/* Counters of an instruction are those of its fetch, its reads, its writes. */
static bool is_write(uint32_t d, uint64_t counter)
{
    return counter >= 2u * QN_INSN_NREAD(d) + (d & QN_INSN_IMISS ? 2 : 0);
}

static bool find_in_block(const struct qn_cost_sites *s, const struct qn_block_rec *b, uint64_t next, uint32_t site, uint64_t *pc, bool *writes)
{
    const volatile qn_insn_desc *insns = (const qn_insn_desc *)(s->store->base + QN_ARENA_INSNS_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(s->store);

    *pc = b->pc;
    for (uint32_t i = 0; i < b->ninsns && (uint64_t)b->first_insn + i < e.insns; i++) {
        uint32_t d = insns[b->first_insn + i];

        next += qn_insn_counters(d);
        *writes = is_write(d, site - (next - qn_insn_counters(d)));
        if (site < next)
            return true;
        *pc += QN_INSN_LEN(d);
    }
    return false;
}

/* Blocks without counters begin where the next one does: they sort before or behind it, and are passed over. */
bool qn_cost_find_reference(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc, bool *writes)
{
    uint64_t at = QN_COUNT_WHILE(i, s->count, s->list[i].first <= site);

    for (; at > 0; at--) {
        struct qn_block_rec b = get_block(s->store, s->list[at - 1].block);

        *map = b.map;
        if (find_in_block(s, &b, s->list[at - 1].first, site, pc, writes))
            return true;
        if (at > 1 && s->list[at - 2].first != s->list[at - 1].first)
            return false;
    }
    return false;
}

bool qn_cost_find_site(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc)
{
    bool writes;

    return qn_cost_find_reference(s, site, map, pc, &writes);
}

/* ---- points of the arena, from debug information ---- */

struct search {
    const struct qn_cost_store *store;
    const struct qn_cost_named *named;
    struct qn_debug *debug;
    struct qn_map_rec map;
    uint32_t number; /* of the map */
    uint64_t points;
};

static void add(struct search *s, uint64_t start, uint64_t end, enum qn_probe_what what)
{
    struct qn_probe *to = (struct qn_probe *)(s->store->base + QN_ARENA_PROBES_OFF) + s->points;

    if (s->points < QN_ARENA_PROBES_SIZE / sizeof *to) {
        *to = (struct qn_probe){ start, end, s->number, (uint16_t)what, s->named->which };
        s->points++;
    }
}

/* The guest's address of one of the file's own; 0: it is not in this map. */
static uint64_t guest_address(const struct search *s, uint64_t address)
{
    uint64_t offset;

    if (!qn_debug_offset(s->debug, address, &offset) || offset < s->map.offset
        || offset - s->map.offset >= s->map.end - s->map.start)
        return 0;
    return s->map.start + (offset - s->map.offset);
}

/* The part of a range that is mapped. */
static void take_line(void *data, uint64_t start, uint64_t end)
{
    struct search *s = data;
    uint64_t guest = guest_address(s, start);

    if (guest)
        add(s, guest, guest + (end - start) < s->map.end ? guest + (end - start) : s->map.end, QN_PROBE_EXPLAIN);
}

static void take_function(void *data, uint64_t start, bool chooses)
{
    struct search *s = data;
    uint64_t guest = guest_address(s, start);

    if (guest && !(chooses && s->named->what != QN_PROBE_TOGGLE))
        add(s, guest, guest + 1, chooses ? QN_PROBE_CHOOSER : s->named->what);
}

static void find_one(struct search *s)
{
    struct qn_debug_lines_asked asked = { .file = s->named->name, .first = s->named->first, .last = s->named->last };

    if (s->named->what == QN_PROBE_EXPLAIN)
        qn_debug_find_lines(s->debug, &asked, take_line, s);
    else
        qn_debug_find_functions(s->debug, s->named->name, take_function, s);
}

void qn_cost_find_named(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                        const struct qn_cost_named *named, int count)
{
    struct search s = { .store = store, .number = map };
    struct qn_cost_extent e = qn_cost_get_extent(store);

    s.debug = qn_cost_open_number(library, store, map, &s.map);
    s.points = e.probes;
    for (int i = 0; i < count && s.debug; i++) {
        s.named = &named[i];
        find_one(&s);
    }
    if (s.debug)
        qn_cost_header(store)->n_probes = s.points;
}

bool qn_cost_has_probes(const struct qn_cost_store *store, const struct qn_cost_named *named)
{
    const volatile struct qn_probe *points = (const struct qn_probe *)(store->base + QN_ARENA_PROBES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);

    for (uint64_t i = 0; i < e.probes; i++)
        if ((points[i].what == QN_PROBE_CHOOSER ? QN_PROBE_TOGGLE : points[i].what) == named->what && points[i].which == named->which)
            return true;
    return false;
}

const char *qn_cost_name_entry(const struct qn_cost_store *store, struct qn_cost_library *library, uint64_t pc)
{
    const volatile struct qn_probe *points = (const struct qn_probe *)(store->base + QN_ARENA_PROBES_OFF);
    struct qn_cost_extent e = qn_cost_get_extent(store);
    struct qn_map_rec map;
    uint64_t bias;

    for (uint64_t i = e.probes; i > 0; i--)
        if (points[i - 1].start == pc) {
            struct qn_debug *d = qn_cost_open_number(library, store, points[i - 1].map, &map);

            return d && qn_cost_find_bias(d, &map, &bias) ? qn_debug_name_function(d, pc - bias) : NULL;
        }
    return NULL;
}
