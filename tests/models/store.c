/* tests/models/store.c - what is where: a list of lines with the time of their last use.  Every question walks the whole list. */
#include <stdlib.h>
#include <string.h>

#include "store.h"

static uint64_t now;

struct resident *store_find(const struct store *s, uint64_t block)
{
    for (struct resident *r = s->all; r; r = r->next)
        if (r->block == block)
            return r;
    return NULL;
}

static bool is(const struct store *s, const char *policy) { return s->policy && !strcmp(s->policy, policy); }
static bool is_beside(const struct store *s, const struct resident *r, uint64_t block) { return r->block % s->sets == block % s->sets; }

/* It is touched; if then all of its set are, it is the only one. */
static void touch(const struct store *s, struct resident *r)
{
    unsigned touched = 0;

    r->used = ++now;
    r->late = 0;
    r->touched = true;
    for (struct resident *o = s->all; o; o = o->next)
        touched += is_beside(s, o, r->block) && o->touched;
    for (struct resident *o = s->all; touched == s->ways && o; o = o->next)
        o->touched &= !is_beside(s, o, r->block) || o == r;
}

struct resident *store_use(const struct store *s, uint64_t block)
{
    struct resident *r = store_find(s, block);

    if (r)
        touch(s, r);
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

static struct resident *at_place(const struct store *s, uint64_t block, uint64_t place)
{
    struct resident *r = s->all;

    while (r && !(is_beside(s, r, block) && r->place == place))
        r = r->next;
    return r;
}

/* Of a full set. */
static struct resident *victim(const struct store *s, uint64_t block)
{
    struct resident *best = at_place(s, block, 0), *r;

    for (uint64_t place = 0; is(s, "nru") && place < s->ways; place++)
        if (!(best = at_place(s, block, place))->touched)
            return best;
    while (is(s, "srrip")) {
        for (uint64_t place = 0; place < s->ways; place++)
            if ((r = at_place(s, block, place))->late >= 3)
                return r;
        for (r = s->all; r; r = r->next)
            r->late += is_beside(s, r, block);
    }
    for (r = s->all; !is(s, "nru") && r; r = r->next)
        if (is_beside(s, r, block) && (is(s, "fifo") ? r->born < best->born : r->used < best->used))
            best = r;
    return best;
}

/* Adds a block; what had to leave its set for that is *out, whose block is NOTHING if none had. */
struct resident *store_put(struct store *s, uint64_t block, struct resident *out)
{
    struct resident *added = calloc(1, sizeof *added);
    uint64_t place = 0;

    out->block = NOTHING;
    while (place < s->ways && at_place(s, block, place))
        place++;
    if (place == s->ways) {
        const struct resident *gone = victim(s, block);

        place = gone->place;
        store_take(s, gone->block, out);
    }
    *added = (struct resident){.next = s->all, .block = block, .born = now + 1, .place = place};
    s->all = added;
    touch(s, added);
    added->late = 2;
    return added;
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
