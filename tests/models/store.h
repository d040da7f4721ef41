/* tests/models/store.h - a place for lines, for the slow models of whole levels.  A block is an address / bytes per line. */
#ifndef STORE_H
#define STORE_H

#include "model.h"

#define NOTHING UINT64_MAX

struct resident {
    struct resident *next;
    uint64_t block, used, born; /* address / bytes per line; times */
    uint64_t place;             /* in its set, from 0: the lowest that was free, or that of what left */
    int late;                   /* srrip: 0 soon to 3 late */
    bool dirty, guessed, touched;
};

struct store {
    uint64_t sets, ways, bytes;
    struct resident *all;
    const char *policy; /* fifo, srrip, nru; NULL: least recently used */
};

struct resident *store_find(const struct store *s, uint64_t block);
struct resident *store_use(const struct store *s, uint64_t block); /* found: it is the latest now */
bool store_take(struct store *s, uint64_t block, struct resident *taken);
struct resident *store_put(struct store *s, uint64_t block, struct resident *out); /* out->block NOTHING: none left */
bool store_touch(struct store *s, uint64_t addr, uint64_t bytes); /* true: something was missing, and came in */
uint64_t first_block(const struct store *s, uint64_t addr);
uint64_t last_block(const struct store *s, uint64_t addr, uint64_t bytes);

/* levels.c */
extern struct store levels_d1;
bool levels_look(uint64_t addr, uint64_t bytes); /* in the last level; true: missed */
void levels_count(const char *event);

/* arrays.c: kind skewed, zcache, sectored or waypred; writebuf, with an outcome as levels_touch */
void arrays_make(struct store *d1, struct store *ll);
void arrays_drop(const char *kind, uint64_t addr, uint64_t bytes);
bool arrays_look(const char *kind, bool is_ll, uint64_t addr, uint64_t bytes);
unsigned arrays_buffered(uint64_t addr, uint64_t bytes, bool reads, bool writes);

bool levels_look_beyond(uint64_t addr, uint64_t bytes); /* below the prefetcher of ll=: the LL if it stands at the L2, else memory */

/* prefetch.c: outcome as levels_touch.  Level 0 is the D1, 1 the one below it that prefetches. */
void prefetch_in(unsigned level, struct store *lines, const char *slot);
uint64_t prefetch_line(void); /* bytes per line of the level that prefetches */
unsigned prefetch_below(const char *name, bool ahead, uint64_t pc, uint64_t addr, uint64_t bytes);
unsigned prefetch_next_lines(uint64_t addr, uint64_t bytes);
unsigned prefetch_strides(uint64_t addr, uint64_t bytes);
unsigned prefetch_by_instruction(uint64_t pc, uint64_t addr, uint64_t bytes);
unsigned prefetch_by_history(uint64_t pc, uint64_t addr, uint64_t bytes);
void prefetch_print(FILE *out);
unsigned prefetch_demand(uint64_t addr, uint64_t bytes, bool *first);
void prefetch_guess(uint64_t block);

/* guesses.c */
unsigned prefetch_streams(uint64_t addr, uint64_t bytes);
unsigned prefetch_best_offset(uint64_t addr, uint64_t bytes);
unsigned prefetch_spatially(uint64_t pc, uint64_t addr, uint64_t bytes);
unsigned prefetch_paths(uint64_t addr, uint64_t bytes);
void prefetch_print_streams(FILE *out);

#endif
