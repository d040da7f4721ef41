/*
 * Which bytes are a character of UTF-8.
 *
 * In:  "\xc3\xa4b"            Out: 2
 * In:  "\xff", or "\xc3" only Out: 0
 *
 * The rule is that of Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF. The locale plays no part.
 */
#ifndef QN_TEXT_UTF8_H
#define QN_TEXT_UTF8_H

#include <stddef.h>

/* The length in bytes of the character at the beginning of `text`, which has `left` bytes; 0: there is none. */
size_t qn_text_utf8_length(const char *text, size_t left);

#endif
