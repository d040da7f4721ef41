/* lib/text/complain.h - one line on stderr about what a user gave, and the exit status that follows.
 *
 *   qn_text_complain("quern: %s: no such command", "a\033[31m")   ->   quern: a\x1b[31m: no such command
 */
#ifndef QN_TEXT_COMPLAIN_H
#define QN_TEXT_COMPLAIN_H

#include <stdarg.h>

#define QN_EXIT_USAGE 2

/* Prints a line on stderr. Control bytes in it are made visible. */
void qn_text_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same behind a prefix, which is printed as it is. */
void qn_text_complain_of(const char *prefix, const char *format, va_list args);

#endif
