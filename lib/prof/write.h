/*
 * Writes one profile in Cachegrind's text format.
 *
 * In (in this order; desc may come zero or more times, counts as often as wanted):
 *     w = qn_prof_open_writer("cachegrind.out.7", &err);
 *     qn_prof_put_desc(w, "I1 cache:         32768 B, 64 B, 8-way associative");
 *     qn_prof_put_cmd(w, "./prog arg");
 *     qn_prof_put_events(w, names, count);
 *     qn_prof_put_file(w, "/abs/a.c");  qn_prof_put_fn(w, "main");  qn_prof_put_counts(w, 12, c);
 *     qn_prof_put_summary(w, totals);
 *     status = qn_prof_close_writer(w, &err);
 * Out: the file "cachegrind.out.7", mode 0600, complete, or nothing at all.
 *
 * Invariants: the text goes to a temporary name in the same directory and is renamed by close;
 * a failure at any point (full disk, directory not writable) is remembered, later calls do
 * nothing, close removes the temporary file and reports the first failure in one line.
 * A target that exists and is not a regular file (/dev/stdout, a pipe, /dev/full) is written directly.
 * Bytes below 0x20 and 0x7f in names, commands and descriptions are escaped (\n, \t, \xHH); all
 * other bytes, UTF-8 or not, pass unchanged. A backslash is not escaped: readers know no escapes.
 *
 * Not modelled: the order of files and lines is the caller's; use prof/table/table.h to get it sorted.
 */
#ifndef QN_PROF_WRITE_H
#define QN_PROF_WRITE_H

#include <stdint.h>

#include "text/error.h"
#include "prof/insn.h"

/* A count that is not known ("." in the text); only readers of other tools' files meet it. */
#define QN_PROF_NONE INT64_MIN

struct qn_prof_writer;

/* Opens a writer. Returns NULL with `err` filled where the target cannot be created. */
struct qn_prof_writer *qn_prof_open_writer(const char *path, struct qn_text_error *err);

/* The same on an open descriptor that stays the caller's; `name` is for messages. */
struct qn_prof_writer *qn_prof_open_writer_fd(int fd, const char *name);

/* The style of sums and differences: byte for byte that of cg_merge and cg_diff since Valgrind 3.21, or before. */
enum qn_prof_style { QN_PROF_MODERN, QN_PROF_CLASSIC };

/* Two forms of the same text. compact (the default): fl= only where the file changes, counts
 * separated by one space. merged: as cg_merge 3.19 prints, fl= before every fn=, three blanks after the
 * line number and a blank at the line's end. */
enum qn_prof_form { QN_PROF_COMPACT, QN_PROF_MERGED };
void qn_prof_set_form(struct qn_prof_writer *w, enum qn_prof_form form);

/* "desc: TEXT". Begin TEXT with "Name:" and pad to column 18, as Cachegrind does. */
void qn_prof_put_desc(struct qn_prof_writer *w, const char *text);

/* "cmd: TEXT"; newlines and other control bytes of the command are escaped. */
void qn_prof_put_cmd(struct qn_prof_writer *w, const char *text);


/* "events: A B C"; must come before the first counts. 1 <= count. Names hold no blanks. */
void qn_prof_put_events(struct qn_prof_writer *w, const char *const *names, int count);

/* "fl=NAME" and "fn=NAME". An empty or NULL name is written as ???. */
void qn_prof_put_file(struct qn_prof_writer *w, const char *name);
void qn_prof_put_fn(struct qn_prof_writer *w, const char *name);

/* What the body has beyond file, function and line, in comments that other tools' readers (but cg_merge's)
 * skip: "#positions: object line" or "#positions: object line instruction", after events. */
enum qn_prof_positions { QN_PROF_BY_OBJECT, QN_PROF_BY_INSN };
void qn_prof_put_positions(struct qn_prof_writer *w, enum qn_prof_positions positions);

/* "#ob=NAME": the object (file of code) that what follows belongs to. */
void qn_prof_put_object(struct qn_prof_writer *w, const char *name);

/* "#0xADDRESS BYTES c1 c2 ...": a part of the counts of the line before. */
void qn_prof_put_insn(struct qn_prof_writer *w, const struct qn_prof_insn *insn, const int64_t *counts);

/* "LINE c1 c2 ..."; counts has one entry per event; line 0 means not known. */
void qn_prof_put_counts(struct qn_prof_writer *w, uint32_t line, const int64_t *counts);

/* "summary: c1 c2 ..."; must be the last, but for regions. */
void qn_prof_put_summary(struct qn_prof_writer *w, const int64_t *counts);

/* Behind the summary, how many regions follow; then each: from now on every line becomes a comment (read.h). */
void qn_prof_put_regions(struct qn_prof_writer *w, int count);
void qn_prof_begin_region(struct qn_prof_writer *w, const char *path);

/* One line as it stands, control bytes escaped: for texts that another tool spells in its own way. */
void qn_prof_put_line(struct qn_prof_writer *w, const char *text);

/* For layouts of other tools: text as it stands (the caller has escaped it), text to be escaped, and the
 * number of counts in the next lines. */
void qn_prof_put_text(struct qn_prof_writer *w, const char *text);
void qn_prof_put_escaped(struct qn_prof_writer *w, const char *text);
void qn_prof_put_number(struct qn_prof_writer *w, int64_t value);     /* 42 */
void qn_prof_put_address(struct qn_prof_writer *w, uint64_t address); /* 0x2a */
void qn_prof_put_bytes(struct qn_prof_writer *w, const char *text, size_t n);
void qn_prof_set_events(struct qn_prof_writer *w, int count);

/* Writes the digits, at most QN_PROF_NUMBER_MAX bytes, without a NUL; returns their end. */
#define QN_PROF_NUMBER_MAX 20 /* "-9223372036854775808" */
char *qn_prof_format_number(char *to, int64_t value);

/* Flushes, renames into place and frees the writer, on success and on failure. Returns QN_TEXT_OK,
 * or the status of the first failure with its message in `err`, also one before; then no file is left behind. */
enum qn_text_status qn_prof_close_writer(struct qn_prof_writer *w, struct qn_text_error *err);

/* Gives up: removes the temporary file and frees the writer. Nothing is renamed. NULL is allowed. */
void qn_prof_abandon_writer(struct qn_prof_writer *w);

#endif
