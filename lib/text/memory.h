/* lib/text/memory.h - memory that lives as long as an experiment and is freed as a whole.
 *
 *   struct qn_text_memory m = { 0 };
 *   text = qn_text_format(&m, "%s:%d", file, line);
 *   list = qn_text_grow(&m, list, count, sizeof *list);   room for one more
 *   qn_text_free_memory(&m);
 *
 * Invariants: only lists that qn_text_grow enlarges move; without memory the process ends with one line and status 1
 * (experiments are small, and files are renamed when they are complete, so none is left half-written).
 */
#ifndef QN_TEXT_MEMORY_H
#define QN_TEXT_MEMORY_H

#include <obstack.h>
#include <stdbool.h>
#include <stddef.h>

struct qn_text_memory {
    struct obstack stack;
};

void qn_text_free_memory(struct qn_text_memory *m);

/* Zeroed. */
void *qn_text_alloc(struct qn_text_memory *m, size_t bytes);
char *qn_text_copy(struct qn_text_memory *m, const char *text);
char *qn_text_copy_part(struct qn_text_memory *m, const char *text, size_t length);
char *qn_text_format(struct qn_text_memory *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* `list` holds `count` things of `size` bytes; the result has room for one more at least. */
void *qn_text_grow(struct qn_text_memory *m, void *list, size_t count, size_t size);

/* The words of a command, with NULL behind the last. */
struct qn_text_words {
    struct qn_text_memory *memory;
    char **at; /* NULL: there is none */
    size_t count;
};
void qn_text_add_word(struct qn_text_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds all words of a list that ends with NULL, which keeps their texts. */
void qn_text_add_words(struct qn_text_words *w, char *const *words);

#endif
