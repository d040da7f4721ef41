/*
 * Buffered text output. See sink.h.
 *
 * In:  pieces of text
 * Out: writes of QN_OUT_BUFFER_BYTES
 */
#define _GNU_SOURCE
#include "out/sink.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/escape.h"

enum { FORMAT_MAX = 512, FRAME_WIDTH = 80, TAB = 4 };

void qn_out_open_sink(struct qn_out_sink *s, int fd)
{
    s->fd = fd;
    s->error = 0;
    s->used = 0;
    s->width = s->column = 0;
    s->in_escape = *s->held = '\0';
    s->cutting = false;
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
        if (s->error == EPIPE) {
            signal(SIGPIPE, SIG_DFL);
            raise(SIGPIPE); /* returns only where the signal is blocked */
        }
    }
    s->used = 0;
    return s->error;
}

static void put_cut(struct qn_out_sink *s, char c);

void qn_out_put(struct qn_out_sink *s, const char *bytes, size_t n)
{
    for (; s->width && n > 0; n--)
        put_cut(s, *bytes++);
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

static void put_byte(struct qn_out_sink *s, char c)
{
    s->buffer[s->used++] = c;
    if (s->used == sizeof s->buffer)
        qn_out_flush(s);
}

/* A character in the last column waits for the next one: if the line ends, it is written, else > is. */
static void put_cut(struct qn_out_sink *s, char c)
{
    size_t held = strlen(s->held);

    if (c == '\x1b' || s->in_escape) { /* ESC [ ... m has no width */
        s->in_escape = c != 'm';
        put_byte(s, c);
    } else if (c == '\n') {
        for (size_t i = 0; i < held; i++)
            put_byte(s, s->held[i]);
        *s->held = '\0';
        s->column = 0;
        s->cutting = false;
        put_byte(s, c);
    } else if (!s->cutting) {
        s->column += ((unsigned char)c & 0xc0) != 0x80;
        put_byte(s, c);
    } else if (c == '\t') {
        do
            put_cut(s, ' ');
        while (s->column % TAB && s->column <= s->width);
    } else if (((unsigned char)c & 0xc0) == 0x80) { /* more of a character in UTF-8 */
        if (s->column < s->width)
            put_byte(s, c);
        else if (s->column == s->width && held && held + 1 < sizeof s->held)
            memcpy(s->held + held, (char[]){c, '\0'}, 2);
    } else {
        if (s->column == s->width) {
            put_byte(s, '>');
            *s->held = '\0';
        }
        if (s->column == s->width - 1)
            memcpy(s->held, (char[]){c, '\0'}, 2);
        else if (s->column < s->width)
            put_byte(s, c);
        s->column += s->column <= s->width;
    }
}

void qn_out_putc(struct qn_out_sink *s, char c)
{
    if (s->width)
        put_cut(s, c);
    else
        put_byte(s, c);
}

void qn_out_pad(struct qn_out_sink *s, char c, long n)
{
    for (; n > 0; n--)
        qn_out_putc(s, c);
}

void qn_out_put_frame(struct qn_out_sink *s)
{
    qn_out_pad(s, '-', s->width && s->width < FRAME_WIDTH ? s->width : FRAME_WIDTH);
    qn_out_putc(s, '\n');
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

/* ---- Numbers as text ----
 *
 * In:  1234, 12.35, 20
 * Out: "1,234", "12.3" (12.35 is a little less than it says), "20.0"
 */

int qn_out_commify(char to[QN_OUT_COUNT_MAX], int64_t value)
{
    char digits[QN_OUT_COUNT_MAX];
    int at = QN_OUT_COUNT_MAX, group = 0;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        if (group == 3) {
            digits[--at] = ',';
            group = 0;
        }
        digits[--at] = (char)('0' + left % 10);
        group++;
    } while (left /= 10);
    if (value < 0)
        digits[--at] = '-';
    int n = QN_OUT_COUNT_MAX - at;
    memcpy(to, digits + at, (size_t)n);
    to[n] = '\0';
    return n;
}

void qn_out_brief(char to[QN_OUT_PERCENT_MAX], double value)
{
    static const char units[] = " kMGTPE";
    double magnitude = fabs(value);
    int unit = 0;

    if (magnitude < 9999.5) {
        char text[QN_OUT_COUNT_MAX];
        qn_out_commify(text, llround(value));
        strcpy(to, text);
        return;
    }
    for (; magnitude >= 999.5 && units[unit + 1]; unit++)
        magnitude /= 1000;
    snprintf(to, QN_OUT_PERCENT_MAX, "%s%.*f %c", value < 0 ? "-" : "", magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0, magnitude, units[unit]);
}

double qn_out_percent(int64_t count, int64_t total)
{
    return (double)((__int128)count * 100) / (double)total;
}

/* A magnitude in units of 1/scale, rounded; -1 if it is so near to the middle between two numbers that only exact
 * arithmetic can decide, or too large for this shortcut. */
static int64_t quick_round(double magnitude, int scale)
{
    const double largest = 1e9, edge = 1e-3;
    if (!(magnitude < largest))
        return -1;
    double scaled = magnitude * scale;
    int64_t floor = (int64_t)scaled;
    double rest = scaled - (double)floor;
    if (rest > 0.5 - edge && rest < 0.5 + edge)
        return -1;
    return floor + (rest > 0.5);
}

int qn_out_fixed(char to[QN_OUT_PERCENT_MAX], double value, int decimals)
{
    int64_t units = quick_round(fabs(value), decimals == 1 ? 10 : 100);
    if (units < 0)
        return snprintf(to, QN_OUT_PERCENT_MAX, "%.*f", decimals, value);
    char digits[QN_OUT_PERCENT_MAX];
    int at = QN_OUT_PERCENT_MAX;
    for (int i = 0; i < decimals; i++, units /= 10)
        digits[--at] = (char)('0' + units % 10);
    digits[--at] = '.';
    do
        digits[--at] = (char)('0' + units % 10);
    while (units /= 10);
    if (signbit(value))
        digits[--at] = '-';
    int n = QN_OUT_PERCENT_MAX - at;
    memcpy(to, digits + at, (size_t)n);
    to[n] = '\0';
    return n;
}

/* Significant digits that read back as `value`: at most 17 are ever needed. */
static int shortest_digits(double value)
{
    for (int n = 1; n < 17; n++) {
        char text[QN_OUT_PERCENT_MAX];
        snprintf(text, sizeof text, "%.*e", n - 1, value);
        if (strtod(text, NULL) == value)
            return n;
    }
    return 17;
}

int qn_out_shortest(char to[QN_OUT_PERCENT_MAX], double value)
{
    int digits = shortest_digits(value);
    char text[QN_OUT_PERCENT_MAX];
    snprintf(text, sizeof text, "%.*e", digits - 1, value);
    int exponent = atoi(strchr(text, 'e') + 1);
    /* repr changes to an exponent below 1e-4 and from 1e16 on. */
    if (value != 0 && (exponent < -4 || exponent >= 16))
        return snprintf(to, QN_OUT_PERCENT_MAX, "%s", text);
    int decimals = digits - 1 - exponent;
    return snprintf(to, QN_OUT_PERCENT_MAX, "%.*f", decimals < 1 ? 1 : decimals, value);
}
