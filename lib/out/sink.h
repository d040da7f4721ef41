/*
 * Buffered text output with one remembered failure.
 *
 * In:  qn_out_puts(s, "abc"), qn_out_pad(s, ' ', 3), qn_out_name(s, "a\x1b")
 * Out: abc   a\x1b
 *
 * Invariants: after the first failed write nothing more is written; qn_out_flush reports it. A
 * broken pipe ends the process by SIGPIPE, as the shell expects of `quern annotate | head`, also
 * where the parent had SIGPIPE ignored.
 */
#ifndef QN_OUT_SINK_H
#define QN_OUT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QN_OUT_BUFFER_BYTES = 1 << 16 };

struct qn_out_sink {
    int fd;
    int error; /* errno of the first failure, 0: none */
    size_t used;
    int width;    /* of a terminal; 0: lines are as long as they are */
    bool cutting; /* this line is cut after so many characters, with > as the last one; tabs are 4 wide */
    int column;   /* where the next character goes; only with a width */
    char held[8], in_escape;
    char buffer[QN_OUT_BUFFER_BYTES];
};

void qn_out_open_sink(struct qn_out_sink *s, int fd);
void qn_out_put(struct qn_out_sink *s, const char *bytes, size_t n);
void qn_out_puts(struct qn_out_sink *s, const char *text);
void qn_out_putc(struct qn_out_sink *s, char c);

/* A line of 80 dashes. */
void qn_out_put_frame(struct qn_out_sink *s);

/* n times the character; nothing where n <= 0. */
void qn_out_pad(struct qn_out_sink *s, char c, long n);

/* At most 511 bytes of text are made. */
void qn_out_printf(struct qn_out_sink *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A name from a profile: what could steer a terminal is made visible (text/escape.h). */
void qn_out_name(struct qn_out_sink *s, const char *name);

/* Lines of a source, or of a description: the same, but tabs, form feeds and ends of lines stay. */
void qn_out_put_line(struct qn_out_sink *s, const char *text, size_t length);

/* 0, or the errno of the first failure since the sink was opened. */
int qn_out_flush(struct qn_out_sink *s);

/* ---- Numbers as the annotators print them ----
 *
 * In:  -1234567; 1 of 3; 0.1
 * Out: "-1,234,567"; "33.3"; "0.1"
 *
 * Invariants: results are NUL-terminated in the caller's room; each function returns the length.
 * Rounding is that of printf on the double nearest to the quotient, ties as binary has them.
 */

/* Room for "-9,223,372,036,854,775,808". */
enum { QN_OUT_COUNT_MAX = 32 };
/* Room for a percentage: the largest is 100 * 2^63 with one decimal. */
enum { QN_OUT_PERCENT_MAX = 48 };

/* "9,999", "16.9 M", "-1.23 G": at most 7 characters. */
void qn_out_brief(char to[QN_OUT_PERCENT_MAX], double value);

/* Decimal digits with a comma before each group of three. */
int qn_out_commify(char to[QN_OUT_COUNT_MAX], int64_t value);

/* 100 * count / total as a double. total != 0. */
double qn_out_percent(int64_t count, int64_t total);

/* A value with 1 or 2 decimals, as printf("%.*f"). */
int qn_out_fixed(char to[QN_OUT_PERCENT_MAX], double value, int decimals);

/* The shortest decimal that reads back as the same double, always with a point or an exponent:
 * "0.1", "20.0", "1e-05" (Python's repr, which the modern cg_annotate shows). */
int qn_out_shortest(char to[QN_OUT_PERCENT_MAX], double value);

#endif
