/* tools/complain.c - one line on stderr, of which no byte steers the terminal.
 *
 * In:  qn_tool_complain("quern: %s: no such command", "a\033[31m")
 * Out: quern: a\x1b[31m: no such command
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "prof/escape.h"
#include "tools.h"

char *qn_tool_format(const char *format, va_list args)
{
    char *text, *visible, *to;

    if (vasprintf(&text, format, args) < 0)
        return NULL;
    visible = to = malloc(QN_PROF_ESCAPE_MAX * strlen(text) + 1);
    for (const char *from = text; *from && visible; from++) {
        char piece[QN_PROF_ESCAPE_MAX + 1];
        size_t n = qn_prof_escape_byte(piece, (unsigned char)*from);

        memcpy(to, piece, n);
        to += n;
    }
    free(text);
    if (visible)
        *to = '\0';
    return visible;
}

void qn_tool_complain_of(const char *prefix, const char *format, va_list args)
{
    char *text = qn_tool_format(format, args);

    if (text)
        fprintf(stderr, "%s%s\n", prefix, text);
    free(text);
}

void qn_tool_complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    qn_tool_complain_of("", format, args);
    va_end(args);
}
