/*
 * Makes visible what could steer a terminal or a page, so that a name cannot hide, break or reorder a line.
 *
 * In:  'a' newline escape 'b' U+202E 'c'
 * Out: a\n\x1bb\u202ec
 *
 * Invariants: all other text passes unchanged (bytes that are not UTF-8, too: other encodings); the backslash is not doubled, since
 * readers of profiles know no escapes.  Files for programs (profiles, CSV) have only their control bytes escaped.
 */
#ifndef QN_TEXT_ESCAPE_H
#define QN_TEXT_ESCAPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* The longest escape: \UHHHHHHHH. */
#define QN_TEXT_ESCAPE_MAX 10

static inline int qn_text_is_control(unsigned char c)
{
    return c < 0x20 || c == 0x7f;
}

/* Writes the first character of `text`, which has `left` bytes (1 or more), in its visible form into `to` (no terminator); returns its
 * length.  *taken: bytes of the character.  Besides control bytes it shows C1 controls, marks of direction, and characters without width. */
size_t qn_text_escape(char to[QN_TEXT_ESCAPE_MAX + 1], const char *text, size_t left, size_t *taken);

/* Writes the visible form of `c` (no terminator) into `to`; returns its length, 1 to 4.  For files that programs read. */
size_t qn_text_escape_byte(char to[QN_TEXT_ESCAPE_MAX + 1], unsigned char c);

/* The number of bytes before the first control byte. */
size_t qn_text_plain_bytes(const char *text);

/* Nonzero if the text of `n` bytes holds a control byte. */
int qn_text_has_control(const char *text, size_t n);

/* The text that vprintf would print, made visible; without memory `format` itself. The caller frees *made. */
const char *qn_text_visible(char **made, const char *format, va_list args);

/* ---- which bytes are a character of UTF-8 ----
 *
 * In:  "\xc3\xa4b"            Out: 2
 * In:  "\xff", or "\xc3" only Out: 0
 *
 * The rule is that of Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF. The locale plays no part.
 */

/* The length in bytes of the character at the beginning of `text`, which has `left` bytes; 0: there is none. */
size_t qn_text_utf8_length(const char *text, size_t left);
/* Is all of it? */
bool qn_text_is_utf8(const char *text, size_t n);

#endif
