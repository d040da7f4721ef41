/* lib/text/complain.c - prints one line on stderr; none of its bytes can steer the terminal.
 *
 * In:  qn_text_complain("quern: %s: no such command", "a\033[31m")
 * Out: quern: a\x1b[31m: no such command
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/escape.h"
#include "text/complain.h"

void qn_text_complain_of(const char *prefix, const char *format, va_list args)
{
    char *made;

    fprintf(stderr, "%s%s\n", prefix, qn_text_visible(&made, format, args));
    free(made);
}

void qn_text_complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    qn_text_complain_of("", format, args);
    va_end(args);
}
