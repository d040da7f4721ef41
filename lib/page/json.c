/* lib/page/json.c - see json.h. */
#include "page/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "prof/counts.h"
#include "report/html.h"
#include "text/escape.h"

#define EXACT (INT64_C(1) << 53) /* up to here each integer is a double (IEEE 754) */

/* JSON allows these characters in strings; JavaScript before ECMAScript 2019 took them for line ends. */
#define LINE_SEPARATOR "\xe2\x80\xa8"
#define PARAGRAPH_SEPARATOR "\xe2\x80\xa9"

static void put_byte(FILE *out, unsigned char c)
{
    if (c == '"' || c == '\\')
        fprintf(out, "\\%c", c);
    else if (c == '\t')
        fputs("\\t", out);
    else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&')
        fprintf(out, "\\u%04x", c);
    else
        putc(c, out);
}

void qn_page_put_string(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    for (size_t at = 0, n; at < length; at += n ? n : 1) {
        n = qn_text_utf8_length(text + at, length - at);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (n == 1)
            put_byte(out, (unsigned char)text[at]);
        else if (n == 3 && (!memcmp(text + at, LINE_SEPARATOR, n) || !memcmp(text + at, PARAGRAPH_SEPARATOR, n)))
            fprintf(out, "\\u20%02x", (unsigned)(unsigned char)text[at + 2] - 0x80);
        else
            fwrite(text + at, 1, n, out);
    }
    putc('"', out);
}

void qn_page_put_text(FILE *out, const char *text) { qn_page_put_string(out, text ? text : "", text ? strlen(text) : 0); }

void qn_page_put(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    qn_report_put_by(out, qn_page_put_text, format, args);
    va_end(args);
}

void qn_page_put_count(FILE *out, int64_t count)
{
    count = qn_prof_count(count);
    fprintf(out, count > EXACT || count < -EXACT ? "\"%" PRId64 "\"" : "%" PRId64, count);
}

void qn_page_put_counts(FILE *out, const int64_t *counts, int events)
{
    while (events && qn_prof_count(counts[events - 1]) == 0)
        events--;
    for (int i = 0; i < events; i++) {
        putc(',', out);
        qn_page_put_count(out, counts[i]);
    }
}

/* ---- the cost from which on a row has room on the page ---- */

static int compare_falling(const void *a, const void *b) { return QN_COMPARE(*(const double *)b, *(const double *)a); }

double qn_page_find_least(double *costs, size_t count, size_t most)
{
    if (count <= most)
        return 0;
    qsort(costs, count, sizeof *costs, compare_falling);
    return costs[most - 1];
}
