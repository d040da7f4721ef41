/* lib/lab/trace_branches.c - traces of conditional branches, in the format that `quern trace` writes:
 *
 *   "QNTRACE1", then per branch a byte (kind 5, outcome from bit 3 on) and the distance from the branch before, as a
 *   zigzag varint
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "lab/trace.h"

#define MAGIC "QNTRACE1"
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

const char *qn_lab_write_branches(struct qn_lab_check *c, const struct qn_lab_branches *t, const char *name)
{
    const char *path;
    uint64_t last = 0;
    char *bytes;
    size_t size;
    FILE *f = open_memstream(&bytes, &size);

    if (!f)
        abort();
    fputs(MAGIC, f);
    for (size_t i = 0; i < t->n; i++) {
        uint64_t delta = t->at[i].pc - last;

        putc(KIND_CONDITIONAL | t->at[i].taken << KIND_BITS, f);
        put_varint(f, delta << 1 ^ (0 - (delta >> 63)));
        last = t->at[i].pc;
    }
    fclose(f);
    path = qn_lab_write(c, name, bytes, size);
    free(bytes);
    return path;
}
