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

#include <stddef.h>

enum { QN_OUT_BUFFER_BYTES = 1 << 16 };

struct qn_out_sink {
    int fd;
    int error; /* errno of the first failure, 0: none */
    size_t used;
    char buffer[QN_OUT_BUFFER_BYTES];
};

void qn_out_open_sink(struct qn_out_sink *s, int fd);
void qn_out_put(struct qn_out_sink *s, const char *bytes, size_t n);
void qn_out_puts(struct qn_out_sink *s, const char *text);
void qn_out_putc(struct qn_out_sink *s, char c);

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

#endif
