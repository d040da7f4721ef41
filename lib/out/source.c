/* Which lines of a source to show. See source.h. */
#include "out/source.h"

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
