/* lib/page/sources.c - see sources.h. */
#include "page/sources.h"

#include <stdlib.h>
#include <string.h>

#include "page/json.h"
#include "text/source.h"

#define WHOLE_MOST 400000 /* bytes; of a longer file only the surroundings of counted lines are written */
#define LINE_MOST 2000    /* bytes */
#define CONTEXT 8         /* lines, before and behind */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

void qn_page_sort_numbers(struct qn_page_numbers *n)
{
    if (n->count)
        qsort(n->at, n->count, sizeof *n->at, compare_numbers);
}

static struct qn_page_numbers list_counted(struct qn_page_profile *p, const struct qn_page_file *file)
{
    struct qn_page_numbers n = { qn_text_alloc(&p->memory, (file->end - file->first + 1) * sizeof *n.at), 0 };

    for (size_t i = file->first; i < file->end; i++) {
        struct qn_prof_row row = qn_prof_table_at(p->lines, i);

        if (!row.insn && row.line && qn_page_cost(p, row.counts) >= p->least_line)
            n.at[n.count++] = row.line;
    }
    qn_page_sort_numbers(&n);
    return n;
}

static int read_source(struct qn_page_profile *p, const struct qn_page_request *q, const char *name, struct qn_text_source *source)
{
    int error = qn_text_open_source(source, name);

    for (const char *const *folder = q->includes; error && folder && *folder; folder++)
        if (!qn_text_open_source(source, qn_text_format(&p->memory, "%s/%s", *folder, name)))
            error = 0;
    return error;
}

static size_t put_line(FILE *out, const char *line, size_t length)
{
    if (length <= LINE_MOST) {
        qn_page_put_string(out, line, length);
        return length;
    }
    putc('[', out);
    qn_page_put_string(out, line, LINE_MOST);
    fprintf(out, ",%zu]", length);
    return LINE_MOST;
}

/* Is the line near a counted one?  Lines come in ascending order; *at moves along. */
static bool is_near(const struct qn_page_numbers *n, size_t *at, uint32_t line)
{
    while (*at < n->count && n->at[*at] + (uint64_t)CONTEXT < line)
        (*at)++;
    return *at < n->count && line + (uint64_t)CONTEXT >= n->at[*at];
}

size_t qn_page_put_pieces(FILE *out, struct qn_text_source *source, const struct qn_page_numbers *n, bool whole, size_t room)
{
    const char *line;
    size_t length, at = 0;
    uint32_t number = 0;
    bool open = false, any = false;

    fputs(",\"text\":[", out);
    while (qn_text_next_source_line(source, &line, &length)) {
        bool wanted = (is_near(n, &at, ++number) || whole) && room >= (length < LINE_MOST ? length : LINE_MOST);

        if (open && !wanted)
            fputs("]]", out);
        else if (wanted && open)
            putc(',', out);
        else if (wanted)
            fprintf(out, "%s[%u,[", any ? "," : "", number);
        open = wanted;
        any = any || wanted;
        if (wanted)
            room -= put_line(out, line, length);
    }
    fprintf(out, "%s],\"size\":%u", open ? "]]" : "", number);
    if (source->error)
        qn_page_put(out, ",\"why\":%s", qn_text_source_why(source->error));
    return room;
}

size_t qn_page_put_source(struct qn_page_profile *p, const struct qn_page_request *q, struct qn_page_file *file, FILE *out,
                          size_t room)
{
    struct qn_page_numbers n = list_counted(p, file);
    struct qn_text_source source;
    struct timespec made;
    bool whole;
    int error;

    if (!n.count)
        return room;
    error = read_source(p, q, file->name, &source);
    if (error) {
        qn_page_put(out, ",\"why\":%s", qn_text_source_why(error));
        return room;
    }
    if (!qn_text_time_of(p->path, &made) && qn_text_is_newer(source.modified, made))
        fputs(",\"newer\":true", out);
    whole = source.size <= WHOLE_MOST && (size_t)source.size <= room;
    file->more = !whole && q->more && (size_t)source.size <= QN_PAGE_MORE_BYTES - p->more_bytes;
    if (file->more) {
        p->more_bytes += (size_t)source.size;
        fputs(",\"more\":true", out);
    }
    room = qn_page_put_pieces(out, &source, &n, whole, room);
    qn_text_close_source(&source);
    return room;
}

static void put_whole(struct qn_page_profile *p, const struct qn_page_request *q, const char *name)
{
    struct qn_text_source source;
    struct qn_page_numbers none = { NULL, 0 };

    qn_page_put(q->more, "{\"name\":%s", name);
    /* It could be read for the page; if it has vanished since, the page has its pieces only. */
    if (!read_source(p, q, name, &source)) {
        qn_page_put_pieces(q->more, &source, &none, true, SIZE_MAX);
        qn_text_close_source(&source);
    }
    putc('}', q->more);
}

void qn_page_put_more(struct qn_page_profile *p, const struct qn_page_request *q, size_t *count)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].more) {
            fputs((*count)++ ? ",\n" : "sourcesCame([", q->more);
            put_whole(p, q, p->files[i].name);
        }
}

void qn_page_end_more(const struct qn_page_request *q, size_t count)
{
    if (count)
        fputs("]);\n", q->more);
}
