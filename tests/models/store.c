/* tests/models/store.c - what is where: a list of lines with the time of their last use.  Every question walks the whole list. */
#include <stdlib.h>

#include "store.h"

static uint64_t now;

struct resident *store_find(const struct store *s, uint64_t block)
{
    for (struct resident *r = s->all; r; r = r->next)
        if (r->block == block)
            return r;
    return NULL;
}

struct resident *store_use(const struct store *s, uint64_t block)
{
    struct resident *r = store_find(s, block);

    if (r)
        r->used = ++now;
    return r;
}

bool store_take(struct store *s, uint64_t block, struct resident *taken)
{
    for (struct resident **r = &s->all; *r; r = &(*r)->next)
        if ((*r)->block == block) {
            struct resident *gone = *r;

            *taken = *gone;
            *r = gone->next;
            free(gone);
            return true;
        }
    return false;
}

/* Adds a block; what had to leave its set for that is *out, whose block is NOTHING if none had. */
struct resident *store_put(struct store *s, uint64_t block, struct resident *out)
{
    struct resident *oldest = NULL, *added = calloc(1, sizeof *added);
    unsigned there = 0;

    out->block = NOTHING;
    for (struct resident *r = s->all; r; r = r->next)
        if (r->block % s->sets == block % s->sets) {
            there++;
            oldest = !oldest || r->used < oldest->used ? r : oldest;
        }
    if (there == s->ways)
        store_take(s, oldest->block, out);
    *added = (struct resident){s->all, block, ++now, false, false};
    return s->all = added;
}

/* Of a range of addresses, the first and last block. */
uint64_t first_block(const struct store *s, uint64_t addr) { return addr / s->bytes; }
uint64_t last_block(const struct store *s, uint64_t addr, uint64_t bytes) { return (addr + bytes - 1) / s->bytes; }

/* Plain: whatever is missing comes in.  True if anything was missing. */
bool store_touch(struct store *s, uint64_t addr, uint64_t bytes)
{
    struct resident out;
    bool miss = false;

    for (uint64_t b = first_block(s, addr); b <= last_block(s, addr, bytes); b++)
        if (!store_use(s, b)) {
            miss = true;
            store_put(s, b, &out);
        }
    return miss;
}
