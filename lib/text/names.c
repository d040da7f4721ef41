/*
 * Interned names. See names.h.
 *
 * In:  texts in any order, with repeats
 * Out: dense ids, one copy of each text, ranks in bytewise order
 */
#define _GNU_SOURCE
#include "text/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/sizes.h"


struct qn_text_block {
    struct qn_text_block *older;
    char bytes[];
};

static char *new_block(struct qn_text_names *names, size_t bytes)
{
    struct qn_text_block *b = QN_NEEDED(malloc(sizeof *b + bytes));
    b->older = names->blocks;
    names->blocks = b;
    return b->bytes;
}

/* Copies the text with a NUL into storage that stays; a long one gets a block of its own. */
static const char *store(struct qn_text_names *names, const char *text, size_t n)
{
    char *to;
    if (n + 1 > QN_TEXT_NAME_BYTES / 8) {
        to = new_block(names, n + 1);
        names->left = 0;
    } else {
        if (n + 1 > names->left) {
            names->free_at = new_block(names, QN_TEXT_NAME_BYTES);
            names->left = QN_TEXT_NAME_BYTES;
        }
        to = names->free_at;
    }
    memcpy(to, text, n);
    to[n] = '\0';
    if (names->left) {
        names->free_at += n + 1;
        names->left -= n + 1;
    }
    return to;
}

static uint32_t find(const struct qn_text_names *names, const char *text, size_t n, uint32_t hash)
{
    uint32_t at;
    uint32_t id = qn_text_hash_first(&names->index, hash, &at);
    while (id != QN_TEXT_NO_ID &&
           (strncmp(names->texts[id], text, n) != 0 || names->texts[id][n] != '\0'))
        id = qn_text_hash_next(&names->index, hash, &at);
    return id;
}

uint32_t qn_text_find_name(const struct qn_text_names *names, const char *text, size_t n)
{
    return find(names, text, n, qn_text_hash_bytes(text, n));
}

uint32_t qn_text_intern(struct qn_text_names *names, const char *text, size_t n)
{
    uint32_t hash = qn_text_hash_bytes(text, n);
    uint32_t id = find(names, text, n, hash);
    if (id != QN_TEXT_NO_ID)
        return id;
    QN_MORE(names->texts, names->index.count, names->room, QN_TEXT_ROOM);
    id = qn_text_hash_insert(&names->index, hash);
    names->texts[id] = store(names, text, n);
    return id;
}

static int compare_texts(const void *a, const void *b, void *texts)
{
    const char *const *t = texts;
    return strcmp(t[*(const uint32_t *)a], t[*(const uint32_t *)b]);
}

uint32_t *qn_text_rank_names(const struct qn_text_names *names)
{
    uint32_t count = names->index.count;
    uint32_t *order = QN_NEEDED(malloc((count + 1) * sizeof *order));
    uint32_t *rank = QN_NEEDED(malloc((count + 1) * sizeof *rank));
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, compare_texts, names->texts);
    for (uint32_t i = 0; i < count; i++)
        rank[order[i]] = i;
    free(order);
    return rank;
}

void qn_text_free_names(struct qn_text_names *names)
{
    while (names->blocks) {
        struct qn_text_block *older = names->blocks->older;
        free(names->blocks);
        names->blocks = older;
    }
    free(names->texts);
    qn_text_hash_free(&names->index);
    memset(names, 0, sizeof *names);
}
