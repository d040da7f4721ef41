/* Sources of annotated files. See source.h. */
#define _GNU_SOURCE
#include "out/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

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

int64_t qn_out_end_of_range(const struct qn_prof_log_lines *lines, uint32_t line, int64_t context)
{
    int64_t last = line;
    for (size_t i = lines->at; i < lines->count; i++) {
        int64_t next = (int64_t)lines->keys[i].key;
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
