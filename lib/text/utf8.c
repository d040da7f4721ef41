/* UTF-8. See utf8.h. */
#include "text/utf8.h"

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
