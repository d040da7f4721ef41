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

/* ---- traces of conditional branches, in the format that `quern trace` writes ----
 *
 *   "QNTRACE2", then per branch a byte (kind 5, outcome from bit 3 on) and the distance from the branch before, as a
 *   zigzag varint; at the end a zero and three numbers of 8 bytes: how many bytes that was, their sum, the sum of those sums
 */

#define MAGIC "QNTRACE2"
#define KIND_CONDITIONAL 5
#define KIND_BITS 3

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

static void put_varint(FILE *f, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        putc((int)(v & 127) | 128, f);
    putc((int)v, f);
}

static void put_end(FILE *f, const char *bytes, size_t n)
{
    uint64_t end[3] = { n, 0, 0 };

    for (size_t i = 0; i < n; i++) {
        end[1] += (unsigned char)bytes[i];
        end[2] += end[1];
    }
    putc(0, f);
    fwrite(end, sizeof end, 1, f);
}

const char *qn_lab_write_branches(struct qn_lab_check *c, const struct qn_lab_branches *t, const char *name)
{
    const char *path;
    uint64_t last = 0;
    char *bytes;
    size_t size;
    FILE *f = QN_NEEDED(open_memstream(&bytes, &size));

    fputs(MAGIC, f);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t delta = t->at[i].pc - last;

        putc(KIND_CONDITIONAL | t->at[i].taken << KIND_BITS, f);
        put_varint(f, delta << 1 ^ (0 - (delta >> 63)));
        last = t->at[i].pc;
    }
    fflush(f);
    put_end(f, bytes + sizeof MAGIC - 1, size - (sizeof MAGIC - 1));
    fclose(f);
    path = qn_lab_write(c, name, bytes, size);
    free(bytes);
    return path;
}
