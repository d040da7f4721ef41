/* lib/text/memory.c - see memory.h.  GNU obstacks do the work. */
#define _GNU_SOURCE
#include "text/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define obstack_chunk_alloc qn_text_chunk
#define obstack_chunk_free free

static void *qn_text_chunk(size_t bytes)
{
    void *chunk = malloc(bytes);

    if (chunk)
        return chunk;
    fputs("quern: no memory\n", stderr);
    exit(1);
}

static struct obstack *stack_of(struct qn_text_memory *m)
{
    if (!m->stack.chunk)
        obstack_init(&m->stack);
    return &m->stack;
}

void qn_text_free_memory(struct qn_text_memory *m)
{
    if (m->stack.chunk)
        obstack_free(&m->stack, NULL);
    memset(m, 0, sizeof *m);
}

void *qn_text_alloc(struct qn_text_memory *m, size_t bytes)
{
    return memset(obstack_alloc(stack_of(m), bytes), 0, bytes);
}

char *qn_text_copy_part(struct qn_text_memory *m, const char *text, size_t length)
{
    return obstack_copy0(stack_of(m), text, length);
}

char *qn_text_copy(struct qn_text_memory *m, const char *text) { return qn_text_copy_part(m, text, strlen(text)); }

static char *format_list(struct qn_text_memory *m, const char *format, va_list args)
{
    struct obstack *stack = stack_of(m);

    obstack_vprintf(stack, format, args);
    obstack_1grow(stack, 0);
    return obstack_finish(stack);
}

char *qn_text_format(struct qn_text_memory *m, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = format_list(m, format, args);
    va_end(args);
    return text;
}

/* Room is doubled whenever the count reaches a power of two, so it need not be stored. */
void *qn_text_grow(struct qn_text_memory *m, void *list, size_t count, size_t size)
{
    void *more;

    if (count && !qn_is_pow2(count))
        return list;
    more = obstack_alloc(stack_of(m), (count ? 2 * count : 1) * size);
    return count ? memcpy(more, list, count * size) : more;
}

static void add_word(struct qn_text_words *w, char *word)
{
    if (!w->at)
        w->at = qn_text_alloc(w->memory, sizeof *w->at);
    w->at = qn_text_grow(w->memory, w->at, w->count + 1, sizeof *w->at);
    w->at[w->count++] = word;
    w->at[w->count] = NULL;
}

void qn_text_add_word(struct qn_text_words *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    add_word(w, format_list(w->memory, format, args));
    va_end(args);
}

void qn_text_add_words(struct qn_text_words *w, char *const *words)
{
    for (; *words; words++)
        add_word(w, *words);
}
