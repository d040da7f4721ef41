/* lib/page/watch/places.c - see places.h. */
#include "page/watch/places.h"

#include <stdlib.h>
#include <string.h>

#include "page/json.h"
#include "page/sources.h"

#define SOURCE_BYTES 300000

size_t qn_page_find_place(struct qn_page_places *p, const char *file, const char *line, const char *function)
{
    for (size_t i = p->count; i-- > 0;)
        if (!strcmp(p->list[i].line, line) && !strcmp(p->list[i].file, file) && !strcmp(p->list[i].function, function))
            return i;
    p->list = qn_text_grow(p->memory, p->list, p->count, sizeof *p->list);
    p->list[p->count] = (struct qn_page_place){ file, line, function };
    return p->count++;
}

void qn_page_put_places(const struct qn_page_places *p, FILE *out)
{
    fputs("\"places\":[", out);
    for (size_t i = 0; i < p->count; i++) {
        fputs(i ? ",[" : "[", out);
        qn_page_put_text(out, p->list[i].file);
        fprintf(out, ",%s,", p->list[i].line);
        qn_page_put_text(out, p->list[i].function);
        putc(']', out);
    }
    putc(']', out);
}

static void put_file(const struct qn_page_places *p, FILE *out, size_t place, size_t *room, const char **separator)
{
    const char *name = p->list[place].file;
    struct qn_page_numbers n = { qn_text_alloc(p->memory, p->count * sizeof *n.at), 0 };
    struct qn_text_source source;

    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->list[i].file, name))
            continue;
        if (i < place)
            return; /* an earlier place has written this file */
        n.at[n.count++] = (uint32_t)strtoul(p->list[i].line, NULL, 10);
    }
    if (!*name || qn_text_open_source(&source, name))
        return;
    qn_page_sort_numbers(&n);
    fprintf(out, "%s{\"name\":", *separator);
    qn_page_put_text(out, name);
    *room = qn_page_put_pieces(out, &source, &n, false, *room);
    putc('}', out);
    *separator = ",\n";
    qn_text_close_source(&source);
}

void qn_page_put_place_sources(const struct qn_page_places *p, FILE *out)
{
    size_t room = SOURCE_BYTES;
    const char *separator = "";

    fputs("\"files\":[", out);
    for (size_t i = 0; i < p->count; i++)
        put_file(p, out, i, &room, &separator);
    putc(']', out);
}
