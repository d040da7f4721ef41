/* lib/lab/trace.c - see trace.h. */
#define _GNU_SOURCE
#include "lab/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define HOT_PERCENT 60  /* of the references go to a quarter of the lines */
#define HOT_SHARE 4

void qn_lab_add_ref(struct qn_lab_trace *t, char op, uint64_t addr, unsigned size)
{
    if (!QN_GROW(t->at, t->n, t->room, 256))
        abort();
    t->at[t->n++] = (struct qn_lab_ref){ addr, size, op };
}

void qn_lab_free_trace(struct qn_lab_trace *t)
{
    free(t->at);
    *t = (struct qn_lab_trace){ .n = 0 };
}

void qn_lab_draw_refs(struct qn_lab_check *c, struct qn_lab_trace *t, const struct qn_lab_pattern *p, unsigned n)
{
    unsigned hot = p->lines / HOT_SHARE ? p->lines / HOT_SHARE : 1, bytes = 1u << p->line_bits;

    for (unsigned i = 0; i < n; i++) {
        unsigned line = qn_lab_below(c, qn_lab_below(c, 100) < HOT_PERCENT ? hot : p->lines);
        uint64_t start = p->base + ((uint64_t)line * p->step << p->line_bits);
        char op = p->ops[qn_lab_below(c, (unsigned)strlen(p->ops))];

        qn_lab_add_ref(t, op, start + (bytes > 1 ? qn_lab_below(c, bytes - 1) : 0), 1);
    }
}

const char *qn_lab_write_trace(struct qn_lab_check *c, const struct qn_lab_trace *t, const char *name)
{
    const char *path;
    char *text;
    size_t size;
    FILE *f = QN_NEEDED(open_memstream(&text, &size));

    for (size_t i = 0; i < t->n; i++)
        fprintf(f, t->at[i].op == 'I' ? "%c  %" PRIx64 ",%u\n" : " %c %" PRIx64 ",%u\n", t->at[i].op, t->at[i].addr,
                t->at[i].size);
    fclose(f);
    path = qn_lab_write(c, name, text, size);
    free(text);
    return path;
}

/* ---- traces of conditional branches, in the text that `quern replay` reads ---- */

void qn_lab_add_branch(struct qn_lab_branches *t, uint64_t pc, bool taken)
{
    if (!QN_GROW(t->at, t->n, t->room, 1024))
        abort();
    t->at[t->n++] = (struct qn_lab_branch){ pc, taken };
}

void qn_lab_free_branches(struct qn_lab_branches *t)
{
    free(t->at);
    *t = (struct qn_lab_branches){ .n = 0 };
}

const char *qn_lab_write_branches(struct qn_lab_check *c, const struct qn_lab_branches *t, const char *name)
{
    const char *path;
    char *text;
    size_t size;
    FILE *f = QN_NEEDED(open_memstream(&text, &size));

    for (size_t i = 0; i < t->n; i++)
        fprintf(f, "b 0x%" PRIx64 " forward %s\n", t->at[i].pc, t->at[i].taken ? "taken" : "not");
    fclose(f);
    path = qn_lab_write(c, name, text, size);
    free(text);
    return path;
}
