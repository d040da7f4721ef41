/* lib/report/errors.c - see errors.h. */
#include "report/errors.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/source.h"
#include "report/findings.h"

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Where the line names the object as a whole word; else where it begins. */
static size_t find_column(const char *line, size_t length, const char *object)
{
    size_t n = object ? strlen(object) : 0, blank = 0;

    for (size_t i = 0; n && i + n <= length; i++)
        if (!memcmp(line + i, object, n) && (!i || !is_of_name(line[i - 1])) && (i + n == length || !is_of_name(line[i + n])))
            return i + 1;
    while (blank < length && strchr(" \t\f", line[blank]))
        blank++;
    return blank < length ? blank + 1 : 1;
}

static size_t read_column(const struct qn_out_request *q, const struct qn_plot_centre *at, const char *object)
{
    struct qn_text_source source;
    char *path;
    const char *line;
    size_t length, column = 1;
    int include;

    if (!qn_out_open_source(q, &source, at->file, &path, &include)) {
        for (uint32_t i = 1; qn_text_next_source_line(&source, &line, &length); i++)
            if (i == at->line) {
                column = find_column(line, length, object);
                break;
            }
        qn_text_close_source(&source);
    }
    free(path);
    return column;
}

enum qn_text_status qn_report_put_errors(struct qn_out_sink *s, const struct qn_out_request *q, struct qn_text_error *err)
{
    struct qn_report_facts facts = {.report = NULL};
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    double unknown = 0;
    int count = 0;

    if (qn_report_read_profile(&facts, q->inputs[0], err) == QN_TEXT_OK && qn_report_has_event(&facts, "Ir"))
        count = qn_report_find(&facts, findings);
    for (int i = 0; i < facts.lines.count; i++)
        unknown += qn_report_has_line(&facts.lines.at[i]) ? 0 : facts.lines.at[i].value;
    if (unknown > facts.lines.total / 2)
        snprintf(q->warning, QN_TEXT_MAX, "most of %s is in code without line numbers: compile with -g", facts.lines.event);
    for (int i = 0; i < count; i++) {
        const struct qn_plot_centre *at = findings[i].line < 0 ? NULL : &facts.lines.at[findings[i].line];

        if (!at || !qn_report_has_line(at))
            continue;
        qn_out_name(s, at->file);
        qn_out_printf(s, ":%u:%zu: ", at->line, read_column(q, at, findings[i].object));
        qn_out_name(s, findings[i].brief);
        qn_out_putc(s, '\n');
    }
    qn_report_free_facts(&facts);
    return err->status;
}
