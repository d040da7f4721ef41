/* tools/sim_build.h - making simulators out of modules: what `quern sim`, `quern replay` and `quern trace` share.
 *
 *   slot D1 = "srrip"          a module that ships, lib/sim/FOLDER/srrip.c
 *   slot D1 = "lab/mine.c"     a file of one's own
 *   slot D1 = NULL, "default"  what a default build has
 */
#ifndef QN_SIM_BUILD_H
#define QN_SIM_BUILD_H

#include <stdbool.h>
#include <stdint.h>

enum qn_sim_slot { QN_SIM_I1, QN_SIM_D1, QN_SIM_LL, QN_SIM_BC, QN_SIM_BI, QN_SIM_AN, QN_SIM_SLOTS };

extern const char *const qn_sim_slot_names[QN_SIM_SLOTS];

struct qn_sim_build {
    const char *tool;                /* "sim build": for messages */
    const char *module[QN_SIM_SLOTS];
    bool versus;                     /* the engine runs two simulators (run --versus): */
    const char *second[QN_SIM_SLOTS]; /* the modules of the other one; AN is not used */
    const char *output;
    const char *cflags;              /* more flags for the compiler, NULL = none */
    bool replay;                     /* a hosted program that reads traces, instead of an engine */
    bool verbose;                    /* print the command */
    bool many;                       /* simulators of lib/sim/many: no unfiltered twin */
    const char *const *extra;        /* more source files and flags, NULL at the end; NULL = none */
};

/* "D1" -> QN_SIM_D1; -1: none. */
int qn_sim_find_slot(const char *name, unsigned length);

/* Compiles and links.  0, or the exit status after a message. */
int qn_sim_build(const struct qn_sim_build *b);

/* The file of a module, a name or a path; free() it.  NULL: a line was printed.  `slot` is named in that line. */
char *qn_sim_find_module(const char *tool, const char *library, enum qn_sim_slot slot, const char *name);

/* FNV-1a of a file's bytes: what profiles record of a module. */
uint64_t qn_sim_hash_file(const char *path);

/* FNV-1a of what is loaded of an engine when it runs: what profiles record of it. */
uint64_t qn_sim_hash_engine(const char *path);

/* What is in a simulator: "I1=lru D1=srrip:50b34235a5a88360 ...".  free() it; NULL: a line was printed. */
char *qn_sim_describe(const char *tool, const char *path);

/* The same without a line, of an engine or of a replay: NULL with errno 0: it is none. */
char *qn_sim_read_description(const char *path, bool replay);

/* The files of the modules in a simulator, as they were when it was built; they may stand in struct qn_sim_build, NULL where
 * a slot holds its default.  false: a line was printed, also if one has changed since. */
bool qn_sim_read_modules(const char *tool, const char *path, char *module[QN_SIM_SLOTS]);

/* What follows `mark` in a file, at most `size` - 1 bytes; free() it.  NULL: it is not there (errno 0), or cannot be read. */
char *qn_sim_find_text(const char *path, const char *mark, unsigned size);

/* The folder that holds sim/ and base/.  NULL: a line was printed. */
const char *qn_sim_library(const char *tool);

/* A directory of our own in $TMPDIR; free() the result.  NULL: a line was printed. */
char *qn_sim_scratch(const char *tool);

/* Runs argv and waits.  Its exit status, 127 if it cannot be started, 128 + signal. */
int qn_sim_run(char **argv);

#endif
