/* lib/exp/exp.h - an experiment: fixed settings, axes that vary, and the programs to run.
 *
 *   program gzip, axis sim = lru srrip, axis D1.size = 1024 2048 4096
 *   ->  gzip lru 1024, gzip lru 2048, gzip lru 4096, gzip srrip 1024, ...      6 runs
 *
 * Values come from the command line (-L, -P, --D1) or from a file (file.h), always as text with its origin, so that a
 * message about a mistake found later can name file and line.  An axis is
 *
 *   sim                             a simulator: module, SLOT=MODULE+..., a built one, or one that the file defines
 *   I1 D1 LL L2                     SIZE,WAYS,LINE; no L2 unless it is given, or an axis
 *   D1.size D1.ways D1.line ...     one of the three; plain size, ways, line are those of D1
 *   machine                         a machine (machine.h): its caches where neither a setting nor another axis gives them; its modules, unless sim
 *                                   varies, predictors only with branch-sim
 *   seed                            for random policies
 *   any other NAME                  replaces {NAME} in commands, geometries and options
 *
 * Programs vary slowest, then the axes in their order; the last varies fastest.
 */
#ifndef QN_EXP_EXP_H
#define QN_EXP_EXP_H

#include <stdbool.h>
#include <stdint.h>

#include "cost/arena.h"
#include "text/error.h"
#include "text/memory.h"

enum qn_exp_level { QN_EXP_I1, QN_EXP_D1, QN_EXP_LL, QN_EXP_L2, QN_EXP_LEVELS };

extern const char *const qn_exp_level_names[QN_EXP_LEVELS];
enum qn_exp_slot { QN_EXP_SLOT_I1, QN_EXP_SLOT_D1, QN_EXP_SLOT_LL, QN_EXP_SLOT_BC, QN_EXP_SLOT_BI, QN_EXP_SLOT_AN,
                   QN_EXP_SLOTS };

extern const char *const qn_exp_slot_names[QN_EXP_SLOTS];

#define QN_EXP_RUNS_MAX 100000 /* so that a mistyped range is refused */

struct qn_exp_text {
    const char *text;   /* NULL: not given */
    const char *origin; /* "a.exp:12" or "-L D1" */
};

struct qn_exp_texts {
    struct qn_exp_text *at;
    int count;
};

struct qn_exp_axis {
    struct qn_exp_text name;
    struct qn_exp_texts values;
};

struct qn_exp_program {
    struct qn_exp_text name;
    struct qn_exp_texts argv;
    struct qn_exp_text input; /* a file for standard input */
};

struct qn_exp_simulator {
    struct qn_exp_text name;
    struct qn_exp_text module[QN_EXP_SLOTS];
    struct qn_exp_text path;    /* of a simulator that was built before: an engine */
    struct qn_exp_texts options; /* key=value */
};

struct qn_exp {
    struct qn_text_memory memory;
    struct qn_exp_axis *axes;
    struct qn_exp_program *programs;
    struct qn_exp_simulator *simulators; /* defined in a file */
    int axis_count, program_count, simulator_count;
    struct qn_exp_text geometry[QN_EXP_LEVELS], seed, counting, cache_sim, branch_sim, timeout;
    struct qn_exp_texts options, environment;
    const char *library;        /* the folder of the modules, beside which that of machines is */
    bool machine_has_L2, machine_has_time, has_input; /* one of the axis `machine`, of the programs; known when the runs are made */
};

void qn_exp_init(struct qn_exp *e);
void qn_exp_free(struct qn_exp *e);

/* One fixed setting by its name: I1 D1 LL L2 seed counting cache-sim branch-sim timeout; option and env append.
 * Numbers and words are checked here, geometries when the runs are made (they may hold {NAME}). */
bool qn_exp_set(struct qn_exp *e, const char *name, const char *value, const char *origin, struct qn_text_error *err);

/* Does an experiment have an L2: a given one, or one that varies? */
bool qn_exp_has_L2(const struct qn_exp *e);

/* A new axis without values. */
struct qn_exp_axis *qn_exp_add_axis(struct qn_exp *e, const char *name, const char *origin, struct qn_text_error *err);
/* One value; A..B stands for all integers from A to B. */
bool qn_exp_add_value(struct qn_exp *e, struct qn_exp_axis *axis, const char *value, const char *origin,
                      struct qn_text_error *err);
/* FROM, 2 FROM, 4 FROM, ... up to TO. */
bool qn_exp_add_powers(struct qn_exp *e, struct qn_exp_axis *axis, const char *from, const char *to, const char *origin,
                       struct qn_text_error *err);
/* Adds an axis, "NAME=V,V"; ';' separates values that contain commas, and always those of I1, D1, LL and L2. */
bool qn_exp_add_list(struct qn_exp *e, const char *text, const char *origin, struct qn_text_error *err);

struct qn_exp_program *qn_exp_add_program(struct qn_exp *e, const char *name, const char *origin);
struct qn_exp_simulator *qn_exp_add_simulator(struct qn_exp *e, const char *name, const char *origin);
void qn_exp_add_text(struct qn_exp *e, struct qn_exp_texts *list, const char *text, const char *origin);

/* What `quern run` would want of this geometry; NULL: it is valid. */
const char *qn_exp_wanted_of(enum qn_exp_level level, const struct qn_geometry *g);

/* A number with an optional suffix K, M or G (powers of 1024).  false: not one. */
bool qn_exp_parse_size(const char *text, uint64_t *size);

/* ---- reads an experiment from a file, which can be kept under version control ----
 *
 *   LL = "1048576,16,64"                       fixed: I1 D1 LL L2 seed counting cache-sim branch-sim timeout
 *   options = {"bits=12"}                      for simulator modules
 *   environment = {"LC_ALL=C", "HOME"}         for the programs; a name alone takes our own value
 *
 *   axis sim     { values = {lru, fifo, mine} }
 *   axis D1.size { from = 1K  to = 256K }      powers of two
 *   axis n       { values = {1..10} }          {n} below
 *
 *   simulator mine { D1 = "mine.c"  options = {"D1.degree=4"} }
 *   program gzip   { command = {gzip, "-{n}", "-c", "corpus.txt"} }
 *   program sort   { command = {sort}  input = "corpus.txt" }
 *
 * Comments begin with # or //.  exp.h defines the words.
 */

/* Adds the contents of the file to `e`.  false: `err` is FILE:LINE: what.  Not reentrant. */
bool qn_exp_read_file(struct qn_exp *e, const char *path, struct qn_text_error *err);

#endif
