/*
 * Visible forms of control bytes and of characters that hide. See escape.h.
 *
 * In:  '\t', 0x7f, 'a', U+200B
 * Out: \t, \x7f, a, \u200b
 */
#define _GNU_SOURCE
#include "text/escape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- UTF-8 ---- */

/* The length of a character by its first byte; 0: no character begins with it. */
static size_t promised(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c >= 0xc2 && c < 0xe0)
        return 2;
    if ((c & 0xf0) == 0xe0)
        return 3;
    return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/* Some first bytes exclude a part of the range of second bytes: overlong forms, surrogates, above U+10FFFF. */
static int is_excluded(unsigned char first, unsigned char second)
{
    return (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
           (first == 0xf4 && second > 0x8f);
}

size_t qn_text_utf8_length(const char *text, size_t left)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n = left ? promised(s[0]) : 0;
    if (n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return n > 1 && is_excluded(s[0], s[1]) ? 0 : n;
}

bool qn_text_is_utf8(const char *text, size_t n)
{
    size_t at = 0;
    for (size_t length = 1; at < n && length; at += length)
        length = qn_text_utf8_length(text + at, n - at);
    return at == n;
}

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

/* C1 controls, marks of direction, and what has no width (Unicode 15: categories Cc, Cf, Zl, Zp).  lib/page/scripts/common_dom.js has the same. */
static int is_hidden(uint32_t c)
{
    static const struct { uint32_t first, last; } ranges[] = {
        { 0x80, 0x9f }, { 0xad, 0xad }, { 0x600, 0x605 }, { 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x180e, 0x180e }, { 0x200b, 0x200f },
        { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
    };

    for (size_t i = 0; i < QN_ARRAY_LEN(ranges); i++)
        if (c >= ranges[i].first && c <= ranges[i].last)
            return 1;
    return 0;
}

static uint32_t decode(const char *text, size_t n)
{
    static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t c = (unsigned char)*text & first_bits[n];

    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return c;
}

size_t qn_text_escape(char to[QN_TEXT_ESCAPE_MAX + 1], const char *text, size_t left, size_t *taken)
{
    size_t n = qn_text_utf8_length(text, left);
    uint32_t c = n > 1 ? decode(text, n) : 0;

    *taken = n ? n : 1;
    if (n > 1 && is_hidden(c))
        return (size_t)sprintf(to, c > 0xffff ? "\\U%08x" : "\\u%04x", c);
    if (n <= 1)
        return qn_text_escape_byte(to, (unsigned char)*text);
    memcpy(to, text, n);
    return n;
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

/* The text that vprintf would print, made visible, in fresh memory; NULL: no memory. */
static char *escape_format(const char *format, va_list args)
{
    char *text, *visible, *to;
    size_t left, taken;

    if (vasprintf(&text, format, args) < 0)
        return NULL;
    visible = to = malloc(QN_TEXT_ESCAPE_MAX * strlen(text) + 1);
    left = strlen(text);
    for (const char *from = text; left && visible; from += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, from, left, &taken);

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
