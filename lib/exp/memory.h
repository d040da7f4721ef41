/* lib/exp/memory.h - memory that lives as long as an experiment and is freed as a whole.
 *
 *   struct qn_exp_memory m = { 0 };
 *   text = qn_exp_format(&m, "%s:%d", file, line);
 *   list = qn_exp_grow(&m, list, count, sizeof *list);   room for one more
 *   qn_exp_free_memory(&m);
 *
 * Invariants: only lists that qn_exp_grow enlarges move; without memory the process ends with one line and status 1
 * (experiments are small, and files are renamed when they are complete, so none is left half-written).
 */
#ifndef QN_EXP_MEMORY_H
#define QN_EXP_MEMORY_H

#include <obstack.h>
#include <stdbool.h>
#include <stddef.h>

struct qn_exp_memory {
    struct obstack stack;
};

void qn_exp_free_memory(struct qn_exp_memory *m);

/* Zeroed. */
void *qn_exp_alloc(struct qn_exp_memory *m, size_t bytes);
char *qn_exp_copy(struct qn_exp_memory *m, const char *text);
char *qn_exp_copy_part(struct qn_exp_memory *m, const char *text, size_t length);
char *qn_exp_format(struct qn_exp_memory *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `list` holds `count` things of `size` bytes; the result has room for one more at least. */
void *qn_exp_grow(struct qn_exp_memory *m, void *list, size_t count, size_t size);

#endif
