/* host.h - the functions of a module that host.c calls, and the messages that the check sends.
 *
 * A conversation: the host says how many bytes its variables have (8 bytes); from then on the check sends messages of 32 bytes.
 *
 *   op        words                          answer
 *   strict                                   none: from here on only read, write and exit are allowed
 *   window    followed by the variables      none: a new process goes on, with these variables and nothing else
 *   end                                      the variables; the process ends, and the next window begins
 *   init      sets, ways, bits, seed         a byte: 0, or 1 if the module refuses this geometry
 *   branch    taken, -, pc                   a byte: what it predicted before it learned `taken`
 *   predict   -, -, pc                       a byte
 *   update    taken, -, pc                   none
 *   hit, fill set, way, line, next use       none
 *   victim    set, -, line                   a byte: the way
 *             (hit, fill, victim, settled, ref, branch: c is the number of the reference, which the host tells if the module crashes)
 *   settled   set, way, line, next use       a byte
 *   dump      set                            the state of each way, then that of the set; their sizes in two bytes before it
 *   ref       bytes, kind, address           words of 16 bytes (struct host_word): one for each reference that the level makes to the next
 *                                            level, which is answered by a byte (1: it missed); the last one is the outcome of this one
 *   events    how many                       as many words: a hash of the event's name, and how often it came
 *   tables                                   those of a coherence protocol (struct host_tables)
 *
 * For a level, the address of init is the bytes of a line, plus 1 << 32 if it is the last level; bits is its option degree or entries.
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include <stdint.h>

enum host_op { HOST_STRICT = 1, HOST_WINDOW, HOST_END, HOST_INIT, HOST_BRANCH, HOST_PREDICT, HOST_UPDATE, HOST_HIT, HOST_FILL,
               HOST_VICTIM, HOST_SETTLED, HOST_DUMP, HOST_REF, HOST_EVENTS, HOST_TABLES };

#define HOST_LAST_LEVEL (1ull << 32)

struct host_message {
    uint32_t op, a, b, c;
    uint64_t pc;       /* or the line's address */
    uint64_t next;     /* or the seed */
};

struct host_word {
    uint32_t done, kind;   /* done: 0: the level asks the next one for a line; 1: the reference is over, kind has HOST_MISS and others */
    uint64_t addr;
};

/* sim_bus_access and sim_bus_reply of sim/module.h, in bytes. */
#define HOST_STATES_MAX 16
#define HOST_REQUESTS 6

struct host_tables {
    uint32_t states, dirty;
    char letters[HOST_STATES_MAX]; /* zeros behind them */
    struct { uint8_t request, shared, alone; } access[HOST_STATES_MAX][2];
    struct { uint8_t state, does; } reply[HOST_STATES_MAX][HOST_REQUESTS];
};

/* Kinds of references, as enum sim_kind has them. */
enum { HOST_READ = 0, HOST_PREFETCH = 4, HOST_EVICT = 5 };

enum { HOST_MISS = 1, HOST_NEXT_DONE = 2, HOST_NEXT_MISS = 4 };

/* FNV-1a (Fowler, Noll, Vo), of an event's name. */
static inline uint64_t host_name(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325ull;

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
    return hash;
}

struct sim_config;
struct sim_result;

/* The functions of a module; those of other kinds are NULL. */
struct host_module {
    const char *(*init)(const struct sim_config *config);
    unsigned (*predict)(uint64_t pc);
    void (*update)(uint64_t pc, unsigned taken);
    void (*hit)(unsigned set, unsigned way);
    void (*fill)(unsigned set, unsigned way);
    unsigned (*victim)(unsigned set);
    unsigned (*settled)(unsigned set, unsigned way);
    void (*tables)(struct host_tables *tables);
    void (*ref)(uint64_t addr, uint32_t size, unsigned kind, struct sim_result *result);
    uint8_t way_bytes, set_bytes;
    void **way_memory, **set_memory;
    struct sim_config *config;
    uint64_t *line, *random;
};

extern const struct host_module host_module;

#endif
