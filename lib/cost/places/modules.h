/* lib/cost/places/modules.h - the ELF files that counts fall into, opened when first needed.
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
#ifndef QN_COST_MODULES_H
#define QN_COST_MODULES_H

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

/* The same, but what was inlined from a library belongs to the line that called it (debug/types.h). */
void qn_cost_find_user(struct qn_cost_modules *m, uint32_t map, uint64_t pc, struct qn_cost_place *place);

/* What is known of the file of a map, and what to add to the guest's addresses for its own, modulo 2^64; NULL: nothing. */
struct qn_debug *qn_cost_open_map(struct qn_cost_modules *m, uint32_t map, uint64_t *bias);

/* To be called before and after other questions to the file of a map, so that the guard knows which file is being read. */
void qn_cost_guard_map(struct qn_cost_modules *m, uint32_t map);
void qn_cost_unguard(struct qn_cost_modules *m);

/* Copies n bytes of code from the file that was mapped there.  false: it has no such bytes, or is none. */
bool qn_cost_get_code(struct qn_cost_modules *m, uint32_t map, uint64_t pc, size_t n, uint8_t *to);

#endif
