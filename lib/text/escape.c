/*
 * Visible forms of control bytes. See escape.h.
 *
 * In:  '\t', 0x7f, 'a'
 * Out: \t, \x7f, a
 */
#define _GNU_SOURCE
#include "text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t qn_text_escape_byte(char to[QN_TEXT_ESCAPE_MAX + 1], unsigned char c)
{
    static const char digits[] = "0123456789abcdef";
    if (!qn_text_is_control(c)) {
        to[0] = (char)c;
        return 1;
    }
    to[0] = '\\';
    if (c == '\n' || c == '\t' || c == '\r') {
        to[1] = c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
        return 2;
    }
    to[1] = 'x';
    to[2] = digits[c >> 4];
    to[3] = digits[c & 15];
    return 4;
}

size_t qn_text_plain_bytes(const char *text)
{
    size_t n = 0;

    while (text[n] && !qn_text_is_control((unsigned char)text[n]))
        n++;
    return n;
}

int qn_text_has_control(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (qn_text_is_control((unsigned char)text[i]))
            return 1;
    return 0;
}

/* The text that vprintf would print, with control bytes made visible, in fresh memory; NULL: no memory. */
static char *escape_format(const char *format, va_list args)
{
    char *text, *visible, *to;

    if (vasprintf(&text, format, args) < 0)
        return NULL;
    visible = to = malloc(QN_TEXT_ESCAPE_MAX * strlen(text) + 1);
    for (const char *from = text; *from && visible; from++) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape_byte(piece, (unsigned char)*from);

        memcpy(to, piece, n);
        to += n;
    }
    free(text);
    if (visible)
        *to = '\0';
    return visible;
}

const char *qn_text_visible(char **made, const char *format, va_list args)
{
    *made = escape_format(format, args);
    return *made ? *made : format;
}
