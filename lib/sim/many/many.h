/* lib/sim/many/many.h - many simulators on one execution: what `quern sweep` builds where only caches or predictors differ.
 *
 *   D1 #0 1024,2,64   #1 4096,2,64   #2 4096,2,64 srrip          caches.c, in slot D1
 *   LL #0 of D1 #0    #1 of D1 #1    #2 of D1 #2                 fetches.c, in slot LL: looked up on a miss of their D1,
 *                                                                and by every fetch that misses the I1
 *   BC #0 gshare      #1 tage                                    predictors.c, in slots BC and BI
 *
 * Each simulator counts what it would count alone: the execution does not depend on what is simulated, each D1 sees every
 * reference, and each LL sees the misses of its D1 and of the I1, in program order.  The columns of the profile are those of D1 #0,
 * LL #0 and so on; all results are totals (sim_total): D1#0.D1mr, D1#0.D1mw, LL#0.ILmr ... BI#1.Bim.
 *
 * lib/exp/many.c writes a table of the simulators for the build, the file QN_MANY_TABLE.  Its numbers are constants, so the compiler
 * unrolls the loops over them.  The slot name of a module has its number, "D1#2", also in its options and printed lines.
 *
 * Not supported: whole levels, because they may call one another; and faults, because misses of an instruction that faults are
 * not taken back.  `quern sweep` runs programs with faults once for each simulator.
 */
#ifndef QN_SIM_MANY_H
#define QN_SIM_MANY_H

#include "sim/contract.h"
#include "sim/module.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A policy with the level around it. */
struct many_member {
    void (*init)(const struct sim_config *config);
    unsigned (*ref)(uint64_t addr, uint32_t size, enum sim_kind kind); /* bit 0: missed */
    bool (*settled)(uint64_t line); /* one more hit on this line, now, would change nothing */
    void (*finish)(void);
};

struct many_predictor {
    void (*init)(const struct sim_config *config);
    uint64_t (*predict)(uint64_t pc);
    void (*update)(uint64_t pc, uint64_t outcome); /* taken, or the target */
    uint64_t (*bits)(void); /* storage, 0 = unknown */
    const char *name;
};

/* ---- the table ----
 *
 * many_D1[]      the D1s, at most MANY_MAX; those without a member are least recently used
 * many_nodes[]   one for each line and number of sets among them, by line, then sets; MANY_NODES of them
 * MANY_ROWS, MANY_DEPTHS   the room that the nodes need (caches.c)
 * MANY_MINDS     policies that see every reference, because a repeated hit may change their state
 * many_LL[]      the LLs
 * many_groups[]  LLs of a group have the same geometry, are least recently used, and are below different D1s
 */
#define MANY_MAX 64 /* bits of a word */
#define MANY_NONE 255

struct many_D1 {
    uint32_t size, ways, line;
    uint32_t node; /* also of policies */
    const struct many_member *member;
};

struct many_node {
    uint32_t line_bits, sets;
    uint32_t ways;    /* words of a row: up to 16 a power of two, and no fewer than any cache has ways; 1 if there are only policies */
    uint32_t rows;    /* index of its first row, below MANY_ROWS */
    uint32_t depths;  /* index of its depth 0, below MANY_DEPTHS; it has depths 0 to ways */
    uint64_t members; /* policies of this line and number of sets, except those of MANY_MINDS */
};

struct many_LL {
    uint32_t size, ways, line;
    uint32_t D1;    /* number of the D1 above it */
    uint32_t group; /* MANY_NONE: a member */
    const struct many_member *member;
};

struct many_group {
    uint32_t sets, ways, line_bits;
    uint64_t D1s; /* a bit for each D1 that has an LL in this group */
};

/* For the unit that is compiled before the table is written. */
extern const struct many_D1 many_D1[];
extern const struct many_node many_nodes[];
extern const struct many_LL many_LL[];
extern const struct many_group many_groups[];
extern const uint32_t many_D1_count, many_LL_count, many_group_count, many_node_count;

/* The stacks (caches.c). */
extern uint64_t many_rows[];      /* by node and set: lines plus one, used last first; 0 = none */
extern uint64_t many_missed_at[]; /* by node and depth: a bit for each D1 that misses at this depth, because it has no more ways */

/* Counts a miss for each of these D1s. */
void many_count_misses(uint64_t D1s, bool write);

/* A reference to these policies; and a reference to several lines, which all policies see.  Both return a bit for each D1 that missed. */
uint64_t many_ask(uint64_t which, uint64_t addr, uint32_t size, enum sim_kind kind);
uint64_t many_ref_long(uint64_t ask, uint64_t addr, uint32_t size, enum sim_kind kind);
void many_init_D1s(uint64_t seed);
void many_finish_D1s(void);

/* A reference that missed these D1s is looked up in the LLs below them.  Returns 1 if LL #0 missed. */
unsigned many_last_levels(uint64_t D1s, uint64_t addr, uint32_t size, enum sim_kind kind);

/* The name of member `number` of a slot: "D1#12". */
static inline __attribute__((unused)) const char *many_name(const char *slot, unsigned number)
{
    char *name = sim_alloc(8);

    name[0] = slot[0];
    name[1] = slot[1];
    name[2] = '#';
    name[number < 10 ? 3 : 4] = (char)('0' + number % 10);
    if (number >= 10)
        name[3] = (char)('0' + number / 10);
    return name;
}

static inline __attribute__((unused)) struct sim_config many_config(const char *slot, unsigned number, uint32_t size,
                                                                    uint32_t ways, uint32_t line, uint64_t seed)
{
    return (struct sim_config){.slot = many_name(slot, number), .size = size, .ways = ways, .line = line, .seed = seed,
                               .sets = ways ? size / (ways * line) : 0, .line_bits = line ? qn_log2(line) : 0};
}

#endif
