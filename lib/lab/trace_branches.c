/* lib/lab/trace_branches.c - traces of conditional branches, in the format that `quern trace` writes:
 *
 *   "QNTRACE2", then per branch a byte (kind 5, outcome from bit 3 on) and the distance from the branch before, as a
 *   zigzag varint; at the end a zero and three numbers of 8 bytes: how many bytes that was, their sum, the sum of those sums
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "lab/trace.h"

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
