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

/* ---- the hash index ---- */

static void place(struct qn_text_hash *x, uint32_t id)
{
    uint32_t at = x->hashes[id];
    while (x->slots[at & x->mask])
        at++;
    x->slots[at & x->mask] = id + 1;
}

static void grow(struct qn_text_hash *x)
{
    uint64_t slots = x->slots ? 2 * ((uint64_t)x->mask + 1) : QN_TEXT_SLOTS;
    if (slots > UINT32_MAX)
        qn_no_memory();
    uint32_t room = (uint32_t)(slots * 7 / 10);
    x->hashes = QN_NEEDED(realloc(x->hashes, room * sizeof *x->hashes));
    free(x->slots);
    x->slots = QN_NEEDED(calloc(slots, sizeof *x->slots));
    x->mask = (uint32_t)slots - 1;
    x->room = room;
    for (uint32_t id = 0; id < x->count; id++)
        place(x, id);
}

uint32_t qn_text_hash_insert(struct qn_text_hash *x, uint32_t hash)
{
    if (x->count == x->room)
        grow(x);
    x->hashes[x->count] = hash;
    place(x, x->count);
    return x->count++;
}

void qn_text_hash_free(struct qn_text_hash *x)
{
    free(x->slots);
    free(x->hashes);
    memset(x, 0, sizeof *x);
}

uint32_t qn_text_hash_bytes(const char *text, size_t n)
{
    uint64_t h = n * 0x9e3779b97f4a7c15u;
    for (; n >= 8; n -= 8, text += 8) {
        uint64_t w;
        memcpy(&w, text, 8);
        h = (h ^ w) * 0xff51afd7ed558ccdu; /* odd constant of MurmurHash3's finaliser */
        h ^= h >> 29;
    }
    uint64_t tail = 0;
    memcpy(&tail, text, n);
    h = (h ^ tail) * 0xff51afd7ed558ccdu;
    return (uint32_t)(h ^ h >> 32);
}

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
