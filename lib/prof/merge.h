/*
 * Sums profiles into one.
 *
 * In:  a.out, b.out, ...: read one after the other, never held whole
 * Out: one profile with the header of the first, in cg_merge's layout: classic, by file name, function name and line;
 *      modern, files, functions and lines in the order in which they came first
 *
 * Objects are kept; instructions are kept if all inputs have them.
 *
 * Invariants: memory holds one row per distinct (object, file, function, line, instruction) of all inputs,
 * whatever their number; all inputs have the same events.
 */
#ifndef QN_PROF_MERGE_H
#define QN_PROF_MERGE_H

#include <stddef.h>

#include "prof/read.h"
#include "prof/write.h"
#include "text/error.h"
#include "text/subst.h"

struct qn_prof_header;
struct qn_prof_merge;
struct qn_prof_reader;
struct qn_prof_table;

/* mod_file, mod_fn: changes to names, or NULL. */
struct qn_prof_merge *qn_prof_new_merge(const struct qn_text_subst *mod_file,
                                        const struct qn_text_subst *mod_fn);
void qn_prof_free_merge(struct qn_prof_merge *m);

/* Adds one profile. Where its provenance differs from the first one's, `warning` says how; else it is
 * made empty. */
enum qn_text_status qn_prof_merge_file(struct qn_prof_merge *m, const char *path, char *warning,
                                       size_t room, struct qn_text_error *err);

/* The same with a profile that was opened, and whose header may have been looked at; it stays open. */
enum qn_text_status qn_prof_merge_reader(struct qn_prof_merge *m, struct qn_prof_reader *r,
                                         const char *path, char *warning, size_t room,
                                         struct qn_text_error *err);

/* The sum as rows, for other forms of output. It belongs to the merge; NULL before the first profile. */
struct qn_prof_table *qn_prof_merge_table(const struct qn_prof_merge *m);

/* The head of the sum is that of this profile instead of the first one's. */
void qn_prof_head_merge(struct qn_prof_merge *m, const struct qn_prof_header *h);

/* One more description in the head of the sum. */
void qn_prof_describe_merge(struct qn_prof_merge *m, const char *text);

/* Writes the sum in the modern style, but sorted: the same whatever the order in which profiles were added. */
void qn_prof_write_sorted_merge(struct qn_prof_merge *m, struct qn_prof_writer *w);

/* Writes the sum. At least one profile has been added. */
void qn_prof_write_merge(struct qn_prof_merge *m, enum qn_prof_style style, struct qn_prof_writer *w);

/* ---- a profile of the same program in another folder ----
 *
 * In:  before.out with /home/ada/old/src/a.c, after.out with /home/ada/new/src/a.c
 * Out: from now on before.out is read as if it had /home/ada/new/src/a.c
 *
 * Files of the same name are the same file.  Of the others, a file of the earlier profile is the one of the later profile whose path ends in most of
 * the same folders; the folder before these that most files have in common is replaced, in names of files and of inlined functions.  This
 * repeats until no file has a partner, or QN_PROF_MOVES times.
 */

#define QN_PROF_MOVES 8

/* Whoever opens `before` after this gets the copy with the other names, if there are any. */
enum qn_text_status qn_prof_align(const char *before, const char *after, struct qn_text_error *err);

/* ---- tells whether two profiles were made in ways that make their numbers comparable ----
 *
 * In:  the descriptions of two profiles, one per line
 * Out: "D1 cache: `32768 B, 64 B, 8-way associative' and `4096 B, ...'", or nothing
 *
 * Compared are descriptions about caches, simulators, modules, predictors and the counting mode: keys
 * that hold one of those words. Others (versions, build-ids, dates) may differ.
 */

/* Puts the first difference that matters into `to`; 1 where there is one, else 0. */
int qn_prof_differ(const char *descs, const char *other_descs, char *to, size_t room);

/* All descriptions of a header, each followed by a newline; free() it. */
char *qn_prof_join_descs(const struct qn_prof_header *h);

#endif
