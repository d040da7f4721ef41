/* tests/models/model.h - slow models of the simulators, written apart from them: the oracle of tests/unit/sim.
 *
 * Nothing here is shared with lib/sim: not the geometry, not the policies, not the trace format, not the random numbers.
 * Where a module keeps a bit, a model keeps a time stamp or walks a list; where it uses a mask, a model divides.
 */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum op { OP_FETCH, OP_READ, OP_WRITE, OP_MODIFY, OP_COND, OP_INDIRECT, OP_CALL, OP_RETURN };

struct op_record {
    enum op op;
    uint64_t addr, target; /* target: indirect branches, returns; of a call: where it will return */
    unsigned size;
    bool taken, backward;  /* conditional branches */
};

struct trace_ops {
    struct op_record *ops;
    size_t n, room;
};

/* model.c: what opt=key=value,... says */
uint64_t option(const char *key, uint64_t otherwise);

/* generate.c: a trace of about n references; `kind` is random, cyclic, stride, zipf, mixed, branches, sites (branches
 * at many places), calls (calls and returns, deep and uneven), paths (sites and calls), nestK (a loop of K in a loop of n) or walkR (n lines in order, R times). */
bool generate(struct trace_ops *t, const char *kind, uint64_t seed, size_t n);
bool write_text(const struct trace_ops *t, const char *path);
bool write_lackey(const struct trace_ops *t, const char *path);
bool read_text(struct trace_ops *t, const char *path); /* what quern trace --format=text wrote */
uint64_t draw(uint64_t *state); /* the generator of the traces; not the one of the policies */

/* cache.c */
struct cache;
struct cache *cache_make(const char *policy, unsigned size, unsigned ways, unsigned line, uint64_t seed);
bool cache_touch(struct cache *c, uint64_t addr, unsigned bytes, size_t now, const struct trace_ops *future, bool code);

/* The policies' generator (cache.c), and queues.c: caches of dip, eaf and hawkeye; NULL for other policies. */
unsigned random_of(uint64_t *state, unsigned n);
struct queued;
struct queued *queued_make(const char *policy, unsigned sets, unsigned ways, uint64_t *random);
bool queued_touch(struct queued *q, uint64_t block, uint64_t pc); /* true: a miss */

/* newest.c: shipplus, mockingjay; NULL for other policies. */
struct shipped;
struct shipped *shipped_make(const char *policy, unsigned sets, unsigned ways);
bool shipped_touch(struct shipped *s, uint64_t block, uint64_t pc, bool guess); /* true: a miss */

/* levels.c.  Outcome: bit 0 level 1 missed, bit 1 the last level missed, too. */
void levels_make(const char *I1, const char *D1, const char *L2, const char *LL, const char *d1_is, const char *ll_is); /* L2 "": none */
void levels_look_ahead(uint64_t addr, uint64_t bytes);
bool levels_middle_missed(void); /* the L2, by the reference that was made last */
unsigned levels_touch(const struct op_record *o);
void levels_print(FILE *out); /* events, as NAME COUNT */

/* analyse.c */
void analysis_make(const char *name, const char *D1);
void analysis_see(const struct op_record *o, unsigned outcome);
void analysis_print(FILE *out);

/* predict.c */
bool predict_cond(const char *name, const struct op_record *op); /* true: mispredicted */
bool predict_indirect(const char *name, const struct op_record *op);
void predict_call(const struct op_record *op);
bool predict_return(const struct op_record *op);
void predict_pass(const struct op_record *op); /* tagged.c: each branch, when it has been predicted */

/* model.c: modelseed */
uint64_t model_seed(void);

#endif
