/* Sources of annotated files. See source.h. */
#define _GNU_SOURCE
#include "out/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/counts.h"

int qn_out_open_source(const struct qn_out_request *q, struct qn_text_source *s, const char *name, char **path, int *include)
{
    *include = -1;
    *path = QN_NEEDED(strdup(name));
    int error = qn_text_open_source(s, *path);
    while (error && error != EISDIR && *include + 1 < q->include_count) {
        const char *folder = q->includes[++*include];
        size_t n = strlen(folder);
        n -= n > 0 && folder[n - 1] == '/';
        free(*path);
        if (asprintf(path, "%.*s/%s", (int)n, folder, name) < 0)
            qn_no_memory();
        error = qn_text_open_source(s, *path);
    }
    return error;
}

char *qn_out_source_hint(const char *name)
{
    char *hint;
    if (*name != '/')
        return QN_NEEDED(strdup("-I FOLDER"));
    if (asprintf(&hint, "--source-map=%.*s=FOLDER", (int)(strrchr(name, '/') - name), name) < 0)
        qn_no_memory();
    return hint;
}

void qn_out_next_line(struct qn_out_lines *l)
{
    int got = qn_prof_next_line(&l->of, &l->line, l->counts);
    if (got < 0)
        qn_text_fail(l->err, QN_TEXT_BAD, "a sum of counts does not fit in 64 bits");
    l->pending = got > 0;
    for (int i = 0; i < l->events && l->pending; i++)
        l->counts[i] = qn_prof_count(l->counts[i]);
}

void qn_out_first_line(struct qn_out_lines *l)
{
    l->of.at = l->of.first;
    qn_out_next_line(l);
}

int64_t qn_out_end_of_range(const struct qn_out_lines *l, int64_t context)
{
    int64_t last = l->line;
    for (size_t i = l->of.at; i < l->of.end; i++) {
        int64_t next = qn_prof_table_at(l->of.table, i).line;
        if (last + 2 * context < next)
            break;
        last = next;
    }
    return last + context;
}

void qn_out_put_gap(struct qn_out_sink *s, int64_t line)
{
    qn_out_printf(s, "-- line %lld ----------------------------------------\n", (long long)line);
}
