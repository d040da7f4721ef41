/* lib/engines/engines.h - simulators by name: what `quern run`, `sim`, `replay`, `trace`, `sweep` and `report` share.
 *
 *   choose.c    "D1=mine.c,BC=gshare" -> a module per slot; finds engines that are there, and what they say of themselves
 *   set_up.c    modules -> an engine, and what stands in its slots: by name, or compiled
 *   build.c     what is compiled, with which flags; where sources and archives are
 *   compile.c   runs the compiler; one line about a module that cannot be compiled
 *   keep.c      compiled ones are kept, and the folder that they are kept in
 *   trial.c     `quern sim test`
 *
 * A module is the name of one that ships ("srrip": lib/sim/FOLDER/srrip.c), a C file ("lab/mine.c"), "default", or as profiles
 * have it "srrip:50b34235a5a88360": the one with this hash that the engine has.
 */
#ifndef QN_ENGINES_H
#define QN_ENGINES_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum qn_engines_slot { QN_ENGINES_I1, QN_ENGINES_D1, QN_ENGINES_LL, QN_ENGINES_BC, QN_ENGINES_BI, QN_ENGINES_AN, QN_ENGINES_SLOTS };

extern const char *const qn_engines_slot_names[QN_ENGINES_SLOTS];
extern const char *const qn_engines_folders[]; /* of lib/sim, with modules; NULL ends them */

/* "D1" -> QN_ENGINES_D1; -1: none. */
int qn_engines_find_slot(const char *name, unsigned length);

/* ---- choosing (choose.c) ---- */

struct qn_engines_module {
    char *given;    /* as the user wrote it: "srrip", "mine.c"; NULL: not named */
    char *file;     /* absolute; NULL: the default, or known by its hash alone */
    char *name;     /* "default", or with the file's hash, as profiles have it: "srrip:50b34235a5a88360" */
};

#define QN_ENGINES_MORE_MAX 15 /* analyses beside the first one; as many as lib/sim/observers.c takes */

struct qn_engines_choice {
    const char *tool, *option; /* "run", "--sim": for messages */
    char *engine;              /* the path of an existing engine, if the user named one; NULL: the default engine */
    bool takes_L2, at_L2;      /* may slot LL's module stand at the L2, "L2=stride"?  Does it? */
    struct qn_engines_module slot[QN_ENGINES_SLOTS];
    struct qn_engines_module more[QN_ENGINES_MORE_MAX]; /* slot AN: those after the first */
    int nmore;
};

/* "srrip", "mine.c", "D1=mine.c,BC=gshare" (or with a plus), "./mysim", "default".  false: a line was printed. */
bool qn_engines_choose(struct qn_engines_choice *c, const char *text);
/* Chooses a module for one slot; -1: its usual slot. */
bool qn_engines_choose_module(struct qn_engines_choice *c, int slot, const char *module);
/* Adds analyses: "3c,sets,mine.c". */
bool qn_engines_choose_analyses(struct qn_engines_choice *c, const char *list);
/* Frees what was chosen, not `c` itself. */
void qn_engines_free_choice(struct qn_engines_choice *c);

/* The file of a module, a name or a path; free() it.  NULL: a line was printed.  `slot` is named in that line. */
char *qn_engines_find_module(const char *tool, const char *library, enum qn_engines_slot slot, const char *name);
char *qn_engines_probe_module(const char *library, const char *name); /* the same without a line; a name that ships, or a path */
/* compose.c: a file that includes the parts of "srrip+stride"; free() it.  NULL: a line was printed. */
char *qn_engines_compose(const char *tool, const char *library, enum qn_engines_slot slot, const char *name);
/* The module joins the one that is in the slot; false: a line was printed. */
bool qn_engines_join(struct qn_engines_choice *c, enum qn_engines_slot slot, const char *module);
bool qn_engines_stands_beside(const char *library, const char *module, const char *cache); /* can this module beside a cache join that one? */
bool qn_engines_source_joins(const char *source); /* a prefetcher, or a module that stands beside a cache */
/* "srrip:50b34235a5a88360" of a file; free() it. */
char *qn_engines_name_module(const char *file);
/* Does the source define the macro NAME? */
bool qn_engines_source_defines(const char *source, const char *name);
bool qn_engines_file_defines(const char *file, const char *name); /* the same; of a file that compose.c made: does one of its parts? */
/* The text of a file, its first bytes if it is long; free() it.  NULL: it cannot be read. */
char *qn_engines_read_source(const char *file);

/* ---- engines (choose.c) ---- */

/* Finds an existing engine by its path, or by its name in the usual places.  NULL: a line was printed; with `option` NULL there is no such engine. */
char *qn_engines_search_engine(const char *tool, const char *option, const char *name);
/* Finds another program of quern's, beside quern or in its libexec folder; free() it.  NULL: it is not there. */
char *qn_engines_find_program(const char *name);
char *qn_engines_find_archive(const char *name); /* the same for libquern-engine.a and the like */
char *qn_engines_default_engine(void); /* NULL: it is not there, or not for this user */
void qn_engines_tell_no_engine(const char *tool); /* prints why */

/* What an engine says of itself.  NULL: nothing. */
struct qn_engines_texts {
    char *description; /* "I1=lru D1=mine:50b34235a5a88360 ...": what is in its slots if nothing is chosen */
    char *replay;      /* the same, of a replay */
    char *sources;     /* lines "D1=/home/me/mine.c": of slots that do not hold the default */
    char *units;       /* lines "D1=srrip:50b34235a5a88360": modules that can be chosen */
    char *defaults;    /* "D1=50b34235a5a88360 ...": hashes of the default files */
    char *observers;   /* lines "values:50b34235a5a88360": analysis modules that observe instructions */
};

bool qn_engines_read_texts(const char *path, struct qn_engines_texts *t); /* false: the file is no engine */
void qn_engines_free_texts(struct qn_engines_texts *t);
/* What a description, or defaults, have for a slot: "srrip:50b34235a5a88360"; free() it.  NULL: nothing. */
char *qn_engines_text_of_slot(const char *description, enum qn_engines_slot slot);

/* What is in a replay; NULL: it is none. */
char *qn_engines_read_replay(const char *path);

struct qn_engines_build {
    const char *tool;                /* "sim build": for messages */
    const char *module[QN_ENGINES_SLOTS];
    const char *second[QN_ENGINES_SLOTS]; /* of the second simulator, where both have a file of their own; AN is not used */
    const char *output;
    const char *cflags;              /* more flags for the compiler, NULL = none */
    const char *with_modules;        /* of a replay, what cflags are for besides the modules given to it: one file; NULL = all of it */
    bool replay;                     /* a hosted program that reads traces, instead of an engine */
    bool verbose;                    /* print the commands */
    bool kept;                       /* without debug information, and from the cache if it is there */
    bool many;                       /* simulators of lib/sim/many: no unfiltered shadow model */
    const char *const *extra;        /* more source files and flags, NULL at the end; NULL = none */
};

/* ---- setting up (set_up.c) ---- */

struct qn_engines_setup {
    char *engine;
    char *scratch;       /* a folder to remove when the engine is no longer needed; NULL: none */
    char *slots, *other; /* for struct qn_config: of the simulator, and of the second one */
    bool observes;       /* there is an analysis module, and it observes instructions */
    bool analyses;
    bool mixed;          /* some of the analyses observe instructions, and others do not */
    bool compiled;       /* from this, and kept without debug information: */
    struct qn_engines_build from;
};

/* An engine for `a`, and with `b` for both.  0, or the exit status after a line was printed. */
int qn_engines_set_up(struct qn_engines_choice *a, struct qn_engines_choice *b, struct qn_engines_setup *s);
void qn_engines_remove_scratch(struct qn_engines_setup *s);
/* The same engine with debug information, at the same addresses.  false: it cannot be compiled now. */
bool qn_engines_add_lines(const struct qn_engines_setup *s, struct qn_engines_setup *with_lines);
/* Can the default engine take all of it by name?  "I1=default+D1=srrip:50b3..."; free() it.  NULL: no. */
char *qn_engines_by_name(struct qn_engines_choice *c);

/* ---- building ---- */

/* Compiles and links.  0, or the exit status after a message. */
int qn_engines_build(const struct qn_engines_build *b);

/* The program, compiled now or before; free() it.  NULL: a line was printed.  *scratch: as in struct qn_engines_setup. */
char *qn_engines_keep(const struct qn_engines_build *b, char **scratch);

#define QN_ENGINES_WORDS_MAX 512

struct qn_engines_words {
    char *word[QN_ENGINES_WORDS_MAX + 1]; /* NULL behind the last */
    int n;
};

/* How a simulator is made: each file is compiled by itself, then all are linked. */
struct qn_engines_recipe {
    const struct qn_engines_build *build;
    struct qn_engines_words compile; /* compiler and flags */
    struct qn_engines_words files;
    struct qn_engines_unit {
        const char *slot;            /* the file is sim/unit.c for this slot; NULL: another one */
        bool shadow;
    } unit[QN_ENGINES_WORDS_MAX];    /* by file */
    struct qn_engines_words link;    /* compiler and flags before the objects, */
    struct qn_engines_words behind;  /* and what stands behind them */
    char *archive;               /* one of `behind` */
};

/* 0, or the exit status after a message. */
int qn_engines_write_recipe(const struct qn_engines_build *b, struct qn_engines_recipe *r);
void qn_engines_free_recipe(struct qn_engines_recipe *r);

/* Is there a compiler?  `key` gets which one, unless it is NULL.  false: a line was printed. */
bool qn_engines_find_compiler(const struct qn_engines_recipe *r, FILE *key);
char *qn_engines_find_command(const char *name); /* its path, as execvp finds it; free() it.  NULL: there is none */
void qn_engines_identify(FILE *key, const char *path);

/* Holds SIGINT, SIGTERM and SIGHUP back until temporary files are removed. */
struct qn_engines_guard {
    sigset_t old, watched;
    struct sigaction child;
    int signal;         /* the signal that was held back; 0: none */
    void (*tick)(void *data); /* called each second while a child is awaited; NULL: nothing is */
    void *tick_data;
};

void qn_engines_guard(struct qn_engines_guard *g);
void qn_engines_unguard(struct qn_engines_guard *g); /* then acts on the signal that was held back */
void qn_engines_in_child(const struct qn_engines_guard *g); /* restores the signals as they were */
/* The status of a child as waitpid has it.  Signals that come in the meantime are the child's, too. */
int qn_engines_await(struct qn_engines_guard *g, pid_t child);

/* FOLDER/program, and in FOLDER N.d and N.err of the Nth file.  0; 1: a compiler failed, or a signal came. */
int qn_engines_compile(struct qn_engines_guard *g, const struct qn_engines_recipe *r, const char *folder);

/* FNV-1a of a file's bytes: what profiles record of a module. */
uint64_t qn_engines_hash_file(const char *path);

/* FNV-1a of what is loaded of an engine when it runs: what profiles record of it. */
uint64_t qn_engines_hash_engine(const char *path);

/* The folder that holds sim/ and base/.  NULL: a line was printed. */
const char *qn_engines_library(const char *tool);
/* build.c: the path of the running quern, not to be changed; NULL: a line was printed. */
char *qn_engines_own_path(const char *tool);
int qn_engines_count_processors(void); /* those that this process may use */
/* Its folder, without slash at the end; "": not known. */
const char *qn_engines_own_folder(void);

/* A directory of our own in $TMPDIR, or where programs may be executed if they may not be there; qn_text_remove_scratch() and free() the result.  NULL: a line was printed. */
char *qn_engines_scratch(const char *tool);

/* Runs argv and waits.  Its exit status, 127 if it cannot be started, 128 + signal. */
int qn_engines_run(char **argv);

/* keep.c: the folder in which compiled simulators are kept; free() it.  NULL: there is none. */
char *qn_engines_cache_folder(void);
#define QN_ENGINES_NEW ".quern-build" /* and .XXXXXX: a folder there in which a program is being built */
#define QN_ENGINES_KEPT_DIGITS 16     /* hexadecimal, of a hash: the name of a kept program */
#define QN_ENGINES_TABLE "many-"      /* and digits, .h: the caches of a sweep that a kept program was compiled for */
#define QN_ENGINES_COMPOSED_MARK "/* kept by quern: modules of one slot */\n"
#define QN_ENGINES_TABLE_MARK "/* kept by quern sweep */\n"

/* `quern sim test`: a line for each point of the contract, "ok - ..." or "not ok - ...".  quern: the program that runs and replays.
 * 0: all are ok; 1; other exit statuses after a line on stderr. */
int qn_engines_test_module(const char *path, const char *quern);

#endif
