/* host.h - what a module that was handed in looks like to host.c, and what the check sends it.
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
 *   settled   set, way, line, next use       a byte
 *   dump      set                            the state of each way, then that of the set; their sizes in two bytes before it
 */
#ifndef LAB_HOST_H
#define LAB_HOST_H

#include <stdint.h>

enum host_op { HOST_STRICT = 1, HOST_WINDOW, HOST_END, HOST_INIT, HOST_BRANCH, HOST_PREDICT, HOST_UPDATE, HOST_HIT, HOST_FILL,
               HOST_VICTIM, HOST_SETTLED, HOST_DUMP };

struct host_message {
    uint32_t op, a, b, c;
    uint64_t pc;       /* or the line's address */
    uint64_t next;     /* or the seed */
};

struct sim_config;

/* Those of the other kind are NULL. */
struct host_module {
    const char *(*init)(const struct sim_config *config);
    unsigned (*predict)(uint64_t pc);
    void (*update)(uint64_t pc, unsigned taken);
    void (*hit)(unsigned set, unsigned way);
    void (*fill)(unsigned set, unsigned way);
    unsigned (*victim)(unsigned set);
    unsigned (*settled)(unsigned set, unsigned way);
    uint8_t way_bytes, set_bytes;
    void **way_memory, **set_memory;
    struct sim_config *config;
    uint64_t *line, *random;
};

extern const struct host_module host_module;

#endif
