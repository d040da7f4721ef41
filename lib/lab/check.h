/* lib/lab/check.h - the functions for the tests of labs: random inputs, building and running programs, remarks.
 *
 *   static bool counts_hits(struct qn_lab_check *c)
 *   {
 *       unsigned n = 10 + qn_lab_below(c, 90);
 *       ...
 *       return got == wanted || qn_lab_say(c, "%u references: got %u hits, wanted %u", n, got, wanted);
 *   }
 */
#ifndef QN_LAB_CHECK_H
#define QN_LAB_CHECK_H

#include "lab/lab.h"
#include "lab/sandbox/sandbox.h"
#include "lab/variant.h"

/* A remark below the test's line; always false, so that a test can return it. */
bool qn_lab_say(struct qn_lab_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first line of what a program printed, for a remark; long ones are cut and end in "...".  Two at a time. */
const char *qn_lab_first_line(const char *text);

/* Is an output, line by line, what is wanted?  false: a remark tells the first line that is not. */
bool qn_lab_same_lines(struct qn_lab_check *c, const char *output, const char *wanted);

/* A number in decimal and hexadecimal.  Four at a time. */
const char *qn_lab_number(uint64_t n);

/* ---- for --keep=DIR: files that a failing test leaves (check.c) ---- */
bool qn_lab_keeps(const struct qn_lab_check *c);
void qn_lab_keep(const struct qn_lab_check *c, const char *name, const char *bytes, size_t size);
/* A line of why.txt. */
void qn_lab_why(struct qn_lab_check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, a command that ends with the path of such a file. */
void qn_lab_why_with(struct qn_lab_check *c, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Drawn from the seed and the number of the test: the same for --case-seed, whichever tests are run. */
uint64_t qn_lab_draw(struct qn_lab_check *c);
unsigned qn_lab_below(struct qn_lab_check *c, unsigned n);     /* 0 to n - 1 */
unsigned qn_lab_between(struct qn_lab_check *c, unsigned from, unsigned to);
/* The rules of this student's variant, or the standard ones. */
const struct qn_lab_variant *qn_lab_rules(const struct qn_lab_check *c);
bool qn_lab_is_variant(const struct qn_lab_check *c);
bool qn_lab_knows_student(const struct qn_lab_check *c);
uint64_t qn_lab_student(const struct qn_lab_check *c);

/* ---- files; those returned belong to the check ---- */

/* Writes a file that the student's programs can read.  Its path. */
const char *qn_lab_write(struct qn_lab_check *c, const char *name, const char *bytes, size_t size);
/* An empty file that they can write, and what they wrote (*size bytes and a zero behind them; free() it). */
const char *qn_lab_out(struct qn_lab_check *c, const char *name);
char *qn_lab_read_out(struct qn_lab_check *c, const char *name, size_t *size);
/* The copy of a file that was handed in, or NULL. */
const char *qn_lab_handed_in(struct qn_lab_check *c, const char *name);

/* ---- programs; built once per check.  NULL: a remark says why. ---- */

/* From a file that was handed in, and files that the lab gives (folder starter; NULL at the end, or NULL). */
const char *qn_lab_program(struct qn_lab_check *c, const char *source, const char *const *given);
/* Made by the lab's own function, out of what was handed in as `source`; output: below build/.  Once, too. */
const char *qn_lab_made(struct qn_lab_check *c, const char *source, const char *name,
                        bool (*make)(struct qn_lab_check *c, const char *output));
/* For these: a command of the compiler (its words without the compiler, NULL at the end), or of quern; `what` begins
 * the remark if it fails. */
bool qn_lab_compile(struct qn_lab_check *c, const char *const *words);
bool qn_lab_run_tool(struct qn_lab_check *c, const char *const *argv, const char *what);
const char *qn_lab_quern(const struct qn_lab_check *c);    /* the command */
const char *qn_lab_library(const struct qn_lab_check *c);  /* the folder of sim/ and base/ */
const char *qn_lab_starter(const struct qn_lab_check *c);  /* the lab's folder of that name */
const char *qn_lab_host(const struct qn_lab_check *c);     /* labs/host: what runs code that was handed in */

/* Did the program that was run last end well? */
bool qn_lab_ran_well(const struct qn_lab_check *c);

/* What several tests want, such as little memory: `holds` is asked once per check, with the same random numbers
 * whichever test asks. */
bool qn_lab_once(struct qn_lab_check *c, bool (*holds)(struct qn_lab_check *c));

/* This test is about speed: its programs have all the time there is, not a small part of it. */
void qn_lab_measure_time(struct qn_lab_check *c);

/* Runs a program that was built.  false: it did not end by itself with status 0, which a remark says.  One that did not end in a test
 * before is not run again with the same first word, and the others have less time then: so a student has not to wait for long. */
bool qn_lab_run_program(struct qn_lab_check *c, struct qn_lab_job *job);
/* It does not come to an end: as if it had been stopped. */
void qn_lab_mark_stuck(struct qn_lab_check *c, const struct qn_lab_job *job);
/* quern itself, on a program that was built. */
bool qn_lab_run_quern(struct qn_lab_check *c, struct qn_lab_job *job);
/* The number behind `name` in the summary that it has printed; 0: it is not there. */
unsigned long qn_lab_find_count(const char *summary, const char *name);

/* ---- compiled code (sandbox/inspect.c) ---- */

/* Inspects an object file that the compiler has made.  false, with a remark: its code has a system call or a request to quern, or the file has
 * more than functions and variables.  A kernel runs in the process of the engine that counts, so these may not even be inside other
 * instructions; a module calls only services. */
enum qn_lab_code { QN_LAB_KERNEL, QN_LAB_MODULE };
bool qn_lab_inspect(struct qn_lab_check *c, const char *path, enum qn_lab_code kind);

/* Has its code an instruction that reads and writes memory in one step for other threads, too? */
bool qn_lab_has_atomic(struct qn_lab_check *c, const char *path);

/* The bytes of a file's variables, which are all writable sections.  false: it cannot be read. */
bool qn_lab_storage(struct qn_lab_check *c, const char *path, uint64_t *bytes);

#endif
