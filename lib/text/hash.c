/*
 * Growth of the numbering hash index. See hash.h.
 *
 * In:  insert(h1), insert(h2), insert(h1)
 * Out: 0, 1, 2 (the owner looks for an equal entry first)
 */
#include "text/hash.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "text/sizes.h"

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
