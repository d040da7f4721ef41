/*
 * Makes control bytes visible, so that a name cannot steer a terminal or break a line.
 *
 * In:  the bytes 'a' 0x0a 0x1b 'b'
 * Out: a\n\x1bb
 *
 * Invariants: bytes 0x20..0x7e and 0x80..0xff pass unchanged (UTF-8 stays as it is, other
 * encodings too); the backslash is not doubled, since readers of profiles know no escapes.
 */
#ifndef QN_TEXT_ESCAPE_H
#define QN_TEXT_ESCAPE_H

#include <stdarg.h>
#include <stddef.h>

/* The longest escape: \xHH. */
#define QN_TEXT_ESCAPE_MAX 4

static inline int qn_text_is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* Writes the visible form of `c` (no terminator) into `to`; returns its length, 1 to 4. */
size_t qn_text_escape_byte(char to[QN_TEXT_ESCAPE_MAX + 1], unsigned char c);

/* The number of bytes before the first control byte. */
size_t qn_text_plain_bytes(const char *text);

/* Nonzero if the text of `n` bytes holds a control byte. */
int qn_text_has_control(const char *text, size_t n);

/* The text that vprintf would print, with control bytes made visible; without memory `format` itself. The caller frees *made. */
const char *qn_text_visible(char **made, const char *format, va_list args);

#endif
