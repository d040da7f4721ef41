/* lib/cost/places/places.h - the ELF files that counts fall into, opened when first needed.
 *
 *   library = qn_cost_new_library();                  what was read of ELF files; may serve several arenas
 *   m = qn_cost_new_modules(store, library, ...);     the maps of one arena
 *   qn_cost_find_place(m, map, pc, &place);           map = index of a qn_map_rec, pc = guest address
 *
 * Invariants: maps of the same file share one module; a file that cannot be read, that was replaced
 * since it was mapped, or that the guard says to avoid, answers "not known".
 *
 * The guard lies in memory shared with a watching process: if this process dies while it reads
 * debug information, the watcher sees in `current` which module it was and starts over without it.
 */
#ifndef QN_COST_PLACES_H
#define QN_COST_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/store.h"
#include "debug/debug.h"

#define QN_COST_MODULES_MAX 8192 /* files per library; what lies above is shown without names */

struct qn_cost_guard {
    volatile uint32_t current; /* number of the module being read, + 1; 0 none */
    uint8_t avoid[QN_COST_MODULES_MAX];
};

struct qn_cost_place {
    const char *file, *function; /* NULL: not known */
    uint32_t line;
    uint64_t start, end; /* guest addresses for which this answer holds */
    const char *object;  /* the file of code, as the kernel shows it; NULL: in none */
    uint64_t bias;       /* from a guest address to that of the object, modulo 2^64; 0 where it is not known */
};

struct qn_cost_library;
struct qn_cost_modules;

struct qn_cost_library *qn_cost_new_library(void);
void qn_cost_free_library(struct qn_cost_library *l);

/* Hands over an open file, which the library closes: maps of it are read from there, not by their path. */
void qn_cost_give_file(struct qn_cost_library *l, int fd);

/* Reads ahead what a fold of this arena will need by now.  Arenas of forked guests begin with the same
 * blocks, so only blocks with higher numbers than any before are looked at. */
void qn_cost_preload(struct qn_cost_library *l, const struct qn_cost_store *store);

/* `note` gets one line per module that could not be read; guard and note may be NULL. */
struct qn_cost_modules *qn_cost_new_modules(const struct qn_cost_store *store, struct qn_cost_library *library,
                                            struct qn_cost_guard *guard, void (*note)(void *, const char *),
                                            void *note_data);
void qn_cost_free_modules(struct qn_cost_modules *m);

/* Always fills `place`. */
void qn_cost_find_place(struct qn_cost_modules *m, uint32_t map, uint64_t pc, struct qn_cost_place *place);

/* The same, but what was inlined from a library belongs to the line that called it (debug/debug.c). */
void qn_cost_find_user(struct qn_cost_modules *m, uint32_t map, uint64_t pc, struct qn_cost_place *place);

/* What is known of the file of a map, and what to add to the guest's addresses for its own, modulo 2^64; NULL: nothing. */
struct qn_debug *qn_cost_open_map(struct qn_cost_modules *m, uint32_t map, uint64_t *bias);

/* To be called before and after other questions to the file of a map, so that the guard knows which file is being read. */
void qn_cost_guard_map(struct qn_cost_modules *m, uint32_t map);
void qn_cost_unguard(struct qn_cost_modules *m);

/* Copies n bytes of code from the file that was mapped there.  false: it has no such bytes, or is none. */
bool qn_cost_get_code(struct qn_cost_modules *m, uint32_t map, uint64_t pc, size_t n, uint8_t *to);

/* ---- the files of a library ---- */

struct qn_cost_file {
    char *path;             /* as the kernel shows it: "", "/bin/true", "[vdso]" */
    uint64_t ino;           /* 0: not known */
    struct qn_debug *debug; /* NULL: not known, or not opened yet */
    bool opened;
    char why[96];           /* what is wrong with it; "" nothing to say */
};

struct qn_cost_library {
    struct qn_cost_file *files;
    uint32_t count;
    uint64_t preloaded;    /* blocks whose lines were decoded ahead, */
    uint64_t opened_maps;  /* maps whose files were opened ahead, */
    uint64_t preloaded_of; /* of arenas that were made (struct qn_arena_header) at this time: of one program and its forks */
    struct qn_cost_given {
        int fd; /* -1: in use by a file of the list above */
        uint64_t dev, ino;
    } *given; /* each file once */
    uint32_t given_count, given_room;
};

/* The number of a file, + 1; 0 if there is no room. */
uint32_t qn_cost_number_file(struct qn_cost_library *l, const char *path, uint64_t ino);

/* Opens the file if that was not tried. */
void qn_cost_open_file(struct qn_cost_library *l, struct qn_cost_file *f);

/* Number + 1 of the file of a map record. */
uint32_t qn_cost_number_map(struct qn_cost_library *l, const struct qn_cost_store *store, const struct qn_map_rec *rec);

/* What is known of the file of map number `map` of the arena, whose record is copied; NULL: nothing, or there is no such map. */
struct qn_debug *qn_cost_open_number(struct qn_cost_library *l, const struct qn_cost_store *store, uint32_t map, struct qn_map_rec *rec);

/* From the file's addresses to the guest's in this map, modulo 2^64.  false: the map is of none of its segments. */
bool qn_cost_find_bias(struct qn_debug *debug, const struct qn_map_rec *map, uint64_t *bias);

/* ---- from the site of a reference (the index of its counters, arena.h) to its instruction ----
 *
 *   qn_cost_index_sites(&sites, store);
 *   qn_cost_find_site(&sites, 4711, &map, &pc)     ->   map 3, pc 555555555140
 */

struct qn_cost_sites {
    const struct qn_cost_store *store;
    uint64_t count;
    struct qn_cost_site_block {
        uint32_t first, block; /* first counter, index of the block */
    } *list; /* sorted by first */
};

void qn_cost_index_sites(struct qn_cost_sites *s, const struct qn_cost_store *store);
void qn_cost_free_sites(struct qn_cost_sites *s);

/* false: no instruction has this counter. */
bool qn_cost_find_site(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc);

/* The same of a reference to data; writes: it is one that only writes. */
bool qn_cost_find_reference(const struct qn_cost_sites *s, uint32_t site, uint32_t *map, uint64_t *pc, bool *writes);

/* ---- finds the guest addresses of source lines and functions that options name ----
 *
 *   named: explain "demo.c" 12 to 12      map 3: /home/me/demo, mapped at 555555555000
 *   ->  points: 555555555136..55555555513d explain, 0
 */

struct qn_cost_named {
    enum qn_probe_what what;
    uint16_t which;       /* of the options of this kind, from 0 */
    const char *name;     /* of a source file (the end of its path will do), or a function */
    uint32_t first, last; /* lines, where `name` is a file */
};

/* Appends the points of one map of the arena and makes them visible.  What is not there, or has no debug information, has
 * none. */
void qn_cost_find_named(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                        const struct qn_cost_named *named, int count);

/* The first point of an option; false: no code that was executed has that name. */
bool qn_cost_has_probes(const struct qn_cost_store *store, const struct qn_cost_named *named);

/* The function that begins at a point; NULL: there is none. */
const char *qn_cost_name_entry(const struct qn_cost_store *store, struct qn_cost_library *library, uint64_t pc);

#endif
