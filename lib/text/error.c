/*
 * Records the first failure with its one-line message. See error.h.
 *
 * In:  qn_text_fail(&e, QN_TEXT_BAD, "%s:%d: no events line", "a\tb", 3)
 * Out: e.text == "a\tb:3: no events line" with the tab spelled as backslash, t
 *
 * Invariant: text that could steer a terminal never reaches the message. If the format holds a newline (a message
 * that quotes two sums below each other), newlines before "- " stay; all others are escaped.
 */
#include "text/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/escape.h"

/* The only newline that a message keeps stands before an item of a list. */
#define LIST_ITEM "\n- "

/* Copies `raw` to text + at, escaped; with `keep_newlines`, those before items of a list stay. */
static void store_escaped(char *text, size_t at, const char *raw, int keep_newlines)
{
    for (size_t left = strlen(raw), taken; left; raw += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = 1;
        if (keep_newlines && strncmp(raw, LIST_ITEM, sizeof LIST_ITEM - 1) == 0)
            piece[0] = '\n', taken = 1;
        else
            n = qn_text_escape(piece, raw, left, &taken);
        if (at + n >= QN_TEXT_MAX)
            break;
        memcpy(text + at, piece, n);
        at += n;
    }
    text[at] = '\0';
}

/* Puts the message behind the first `at` bytes of the text. */
static void record(struct qn_text_error *err, unsigned at, const char *format, va_list args)
{
    char raw[QN_TEXT_MAX];
    vsnprintf(raw, sizeof raw, format, args);
    err->brief = at;
    store_escaped(err->text, at, raw, strchr(format, '\n') != NULL);
}

enum qn_text_status qn_text_fail(struct qn_text_error *err, enum qn_text_status status,
                                 const char *format, ...)
{
    if (!err || err->status != QN_TEXT_OK)
        return status;
    va_list args;
    va_start(args, format);
    record(err, 0, format, args);
    va_end(args);
    err->status = status;
    return status;
}

void qn_text_fail_more(struct qn_text_error *err, const char *format, ...)
{
    if (!err || err->brief)
        return;
    va_list args;
    va_start(args, format);
    record(err, (unsigned)strlen(err->text), format, args);
    va_end(args);
}

/* ---- complaints ---- */

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
