/* lib/page/advice.c - the advice of out/advice.h as JSON.  See profile.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "out/advice.h"
#include "page/json.h"
#include "page/profile.h"

/* The advice as a listing has it: a line for the subject, and below it, indented, what is advised.  NULL: it cannot be made. */
static FILE *list_advice(const struct qn_prof_data *data)
{
    struct qn_out_sink *sink = QN_NEEDED(malloc(sizeof *sink));
    FILE *list = tmpfile();

    if (list) {
        qn_out_open_sink(sink, fileno(list));
        qn_out_put_advice(sink, data);
        if (qn_out_flush(sink)) {
            fclose(list);
            list = NULL;
        }
    }
    if (list)
        rewind(list); /* the sink wrote to the descriptor, not through the stream */
    free(sink);
    return list;
}

void qn_page_put_advice(struct qn_page_profile *p, FILE *out)
{
    FILE *list = list_advice(&p->data);
    char *line = NULL;
    size_t room = 0, items = 0;

    fputs("\"advice\":[", out);
    while (list && getline(&line, &room, list) > 0) {
        size_t indent = strspn(line, " ");

        line[strcspn(line, "\n")] = '\0';
        if (!line[indent] || !strncmp(line, "--", 2) || (indent && !items))
            continue;
        fputs(indent ? "," : items++ ? "],\n[" : "[", out);
        qn_page_put_text(out, line + indent);
    }
    fputs(items ? "]],\n" : "],\n", out);
    free(line);
    if (list)
        fclose(list);
}
