/*
 * Buffered text output. See sink.h.
 *
 * In:  pieces of text
 * Out: writes of QN_OUT_BUFFER_BYTES
 */
#define _GNU_SOURCE
#include "out/sink.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text/escape.h"

enum { FORMAT_MAX = 512 };

void qn_out_open_sink(struct qn_out_sink *s, int fd)
{
    s->fd = fd;
    s->error = 0;
    s->used = 0;
}

/* Returns only where the signal is blocked. */
static void die_of_broken_pipe(void)
{
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
}

int qn_out_flush(struct qn_out_sink *s)
{
    size_t done = 0;
    while (done < s->used && !s->error) {
        ssize_t n = write(s->fd, s->buffer + done, s->used - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            s->error = errno;
        if (s->error == EPIPE)
            die_of_broken_pipe();
    }
    s->used = 0;
    return s->error;
}

void qn_out_put(struct qn_out_sink *s, const char *bytes, size_t n)
{
    while (n > 0) {
        size_t room = sizeof s->buffer - s->used;
        size_t part = n < room ? n : room;
        memcpy(s->buffer + s->used, bytes, part);
        s->used += part;
        bytes += part;
        n -= part;
        if (s->used == sizeof s->buffer)
            qn_out_flush(s);
    }
}

void qn_out_puts(struct qn_out_sink *s, const char *text)
{
    qn_out_put(s, text, strlen(text));
}

void qn_out_putc(struct qn_out_sink *s, char c)
{
    s->buffer[s->used++] = c;
    if (s->used == sizeof s->buffer)
        qn_out_flush(s);
}

void qn_out_pad(struct qn_out_sink *s, char c, long n)
{
    for (; n > 0; n--)
        qn_out_putc(s, c);
}

void qn_out_printf(struct qn_out_sink *s, const char *format, ...)
{
    char text[FORMAT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    qn_out_puts(s, text);
}

void qn_out_name(struct qn_out_sink *s, const char *name)
{
    for (size_t left = strlen(name), taken; left; name += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, name, left, &taken);

        qn_out_put(s, piece, n);
    }
}

/* A carriage return that is not at the line's end would let a terminal write over the counts. */
void qn_out_put_line(struct qn_out_sink *s, const char *text, size_t length)
{
    for (size_t taken; length; text += taken, length -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = 1;

        if (memchr("\t\f\n", *text, 3) || (*text == '\r' && (length == 1 || (length == 2 && text[1] == '\n'))))
            *piece = *text, taken = 1;
        else
            n = qn_text_escape(piece, text, length, &taken);
        qn_out_put(s, piece, n);
    }
}
