/* lib/engines/pack.h - a module in one file, to be handed on: source, hash, where it comes from, a trace and what it makes of it.
 *
 *   quern-pack 1
 *   name mine
 *   slot D1
 *   hash 50b34235a5a88360             FNV-1a of the source, as profiles have it
 *   origin A. Student, spring 2026
 *   reference J. Doe, A policy, ISCA 2020
 *   options --D1=4096,4,64            of the replay
 *   class behind a filter             how references come to it
 *   sections 1234 56789 420           bytes of the source, the trace, what the replay printed
 *   sum 0123456789abcdef              FNV-1a of these
 *
 *   the source, the trace, the summary: one behind the other behind an empty line
 */
#ifndef QN_ENGINES_PACK_H
#define QN_ENGINES_PACK_H

#include <stddef.h>

enum { QN_PACK_SOURCE, QN_PACK_TRACE, QN_PACK_SUMMARY, QN_PACK_SECTIONS };

struct qn_engines_pack {
    char name[64], slot[8], hash[17], origin[256], reference[256], options[256], class[64];
    char *section[QN_PACK_SECTIONS]; /* free() each */
    size_t bytes[QN_PACK_SECTIONS];
};

struct qn_engines_pack_request {
    const char *module;              /* a name or a C file */
    const char *slot, *origin, *reference, *options, *trace, *output; /* NULL: the usual; not `output` */
};

/* 0, or the exit status after a line was printed.  quern: the program that runs and replays. */
int qn_engines_write_pack(const struct qn_engines_pack_request *q, const char *quern);
/* A pack, or a C file: a line for each check, "ok - ..." or "not ok - ...".  0: all are ok; 1; other exit statuses after a line on stderr. */
int qn_engines_test_module(const char *path, const char *quern);

/* 0: it is read; 1 after a line. */
int qn_engines_read_pack(const char *path, struct qn_engines_pack *p);
void qn_engines_free_pack(struct qn_engines_pack *p);

/* pack_run.c: what pack and test have run.  Each is the exit status; `out` gets what it prints, without the numbers of processes. */
struct qn_engines_trial {
    const char *quern, *slot, *file, *options, *folder; /* folder: for what is written */
};
int qn_engines_try_replay(const struct qn_engines_trial *t, const char *trace, const char *extra, const char *out);
int qn_engines_try_run(const struct qn_engines_trial *t, const char *out);
int qn_engines_try_trace(const struct qn_engines_trial *t, const char *trace, const char *count);
/* "behind a filter", of what qn_engines_try_run left. */
void qn_engines_trial_class(const struct qn_engines_trial *t, const char *out, char class[64]);
/* Lines of counts, sorted out of what either printed; free() it. */
char *qn_engines_trial_figures(const char *path);
char *qn_engines_pack_read(const char *path, size_t *bytes); /* free(); NULL: errno */

#endif
