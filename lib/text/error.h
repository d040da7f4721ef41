/*
 * One failure: a status and one line for the user.
 *
 * In:  qn_text_fail(&e, QN_TEXT_BAD, "%s:%ld: ...", file, line, ...)
 * Out: e.status == QN_TEXT_BAD, e.text == "a.out:5: too many counts, got 3, wanted at most 2"
 *
 * Invariants: text holds no newline except where the message quotes several lines on purpose,
 * and is never empty while status is not QN_TEXT_OK. Without memory the process ends (base/grow.h). Else nothing in lib/prof prints or exits, and nothing in lib/text
 * but qn_text_complain prints.
 */
#ifndef QN_TEXT_ERROR_H
#define QN_TEXT_ERROR_H

#include <stdarg.h>

enum qn_text_status {
    QN_TEXT_OK,     /* no failure */
    QN_TEXT_BAD,    /* malformed input: exit 1 */
    QN_TEXT_IO,     /* the system refused: open, read, write, rename: exit 1 */
};

/* Bytes of one message with its NUL; a longer one (a very long name) is cut. */
#define QN_TEXT_MAX 2048

struct qn_text_error {
    enum qn_text_status status;
    unsigned brief; /* if > 0: the first `brief` bytes of text are the message in Cachegrind's own wording */
    char text[QN_TEXT_MAX];
};

/* Records a failure, unless one is recorded already: the first one stays. Returns `status`.
 * `err` may be NULL. Control bytes in the message are escaped. */
enum qn_text_status qn_text_fail(struct qn_text_error *err, enum qn_text_status status,
                                 const char *format, ...)
    __attribute__((format(printf, 3, 4), nonnull(3)));

/* Appends to the message just recorded. What it was before becomes its brief form, for a tool that keeps the
 * wording of another one. Does nothing if it has a brief form already. */
void qn_text_fail_more(struct qn_text_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

/* ---- one line on stderr about what a user gave, and the exit status that follows ----
 *
 *   qn_text_complain("quern: %s: no such command", "a\033[31m")   ->   quern: a\x1b[31m: no such command
 */

#define QN_EXIT_USAGE 2

/* Prints a line on stderr. Control bytes in it are made visible. */
void qn_text_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same behind a prefix, which is printed as it is. */
void qn_text_complain_of(const char *prefix, const char *format, va_list args);

#endif
