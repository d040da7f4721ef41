/* tests/models/arrays.c - the levels of lib/sim/array, slowly: a list of lines, each of which knows its way and its place there; see levels.c. */
#include <stdlib.h>
#include <string.h>

#include "store.h"

struct held {
    uint64_t block, way, index, used;
    bool bit;
};

struct array {
    struct store *shape; /* its list: waypred, writebuf */
    const char *slot;
    struct held held[5000];
    size_t n;
    uint64_t random, now;
};

static struct array arrays[2]; /* D1, LL */

static void tell(const struct array *a, const char *event)
{
    char name[64];

    snprintf(name, sizeof name, "%s.%s", a->slot, event);
    levels_count(strdup(name));
}

static struct held *find_block(struct array *a, uint64_t block)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].block == block)
            return &a->held[i];
    return NULL;
}

static struct held *find_place(struct array *a, uint64_t way, uint64_t index)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].way == way && a->held[i].index == index)
            return &a->held[i];
    return NULL;
}

static void forget(struct array *a, struct held *h) { *h = a->held[--a->n]; }

/* ---- skewed ---- */

static uint64_t skewed_index(const struct array *a, uint64_t block, uint64_t way)
{
    uint64_t sets = a->shape->sets, high = block / sets % sets;

    for (uint64_t i = 0; i < way && sets > 1; i++) /* turned by one bit */
        high = 2 * high % sets + 2 * high / sets;
    return block % sets ^ high;
}

static struct held *skewed_room(struct array *a, uint64_t block)
{
    struct held *rivals[64];
    uint64_t ways = a->shape->ways, clear = 0;

    for (uint64_t w = 0; w < ways; w++) {
        rivals[w] = find_place(a, w, skewed_index(a, block, w));
        if (!rivals[w]) {
            a->held[a->n] = (struct held){block, w, skewed_index(a, block, w), 0, false};
            return &a->held[a->n++];
        }
        clear += !rivals[w]->bit;
    }
    for (uint64_t w = 0, skip = random_of(&a->random, (unsigned)(clear ? clear : ways));; w++)
        if (!(clear && rivals[w]->bit) && skip-- == 0) {
            rivals[w]->block = block;
            return rivals[w];
        }
}

static bool skewed(struct array *a, uint64_t block)
{
    struct held *h = find_block(a, block), *other;
    bool miss = !h, all = true;

    if (miss)
        h = skewed_room(a, block);
    h->bit = true;
    for (uint64_t w = 0; w < a->shape->ways; w++)
        all &= (other = find_place(a, w, skewed_index(a, block, w))) && other->bit;
    for (uint64_t w = 0; all && w < a->shape->ways; w++)
        find_place(a, w, skewed_index(a, block, w))->bit = w == h->way;
    return miss;
}

/* ---- zcache ---- */

static uint64_t hashed_index(const struct array *a, uint64_t block, uint64_t way)
{
    uint64_t x = (block + way * 7146057691288625177u) * 11400714819323198485u, sets = a->shape->sets;

    x = (x ^ x / 4294967296u) * 15485907386658061715u;
    return (uint64_t)((unsigned __int128)x * sets >> 64); /* the leading bits */
}

struct step {
    uint64_t way, index;
    struct step *parent;
    unsigned depth;
};

static bool zcache(struct array *a, uint64_t block)
{
    struct step steps[600], *best = NULL;
    size_t n = 0;
    struct held *h = find_block(a, block), *oldest = NULL;

    if (h) {
        h->used = ++a->now;
        return false;
    }
    for (size_t at = 0, first = 1; first || at < n; first ? first = 0 : at++) {
        struct step *s = first ? NULL : &steps[at];
        struct held *here = s ? find_place(a, s->way, s->index) : NULL;

        if (s && (!here || !best || here->used < oldest->used)) {
            best = s;
            oldest = here;
        }
        if (s && !here)
            break;
        for (uint64_t w = 0; (s ? s->depth : 0) < option("zcache-levels", 2) && w < a->shape->ways; w++) {
            uint64_t index = hashed_index(a, s ? here->block : block, w);
            bool known = false;

            for (size_t i = 0; i < n; i++)
                known |= steps[i].way == w && steps[i].index == index;
            if (!known)
                steps[n++] = (struct step){w, index, s, s ? s->depth + 1 : 1};
        }
    }
    if (oldest)
        forget(a, oldest);
    for (; best->parent; best = best->parent) {
        struct held *moved = find_place(a, best->parent->way, best->parent->index);

        moved->way = best->way;
        moved->index = best->index;
        tell(a, "relocations");
    }
    a->held[a->n++] = (struct held){block, best->way, best->index, ++a->now, false};
    return true;
}

/* ---- sectored: held are the lines that are valid; `index` is their sector, `used` when a line of it was referenced ---- */

static bool sectored(struct array *a, uint64_t block)
{
    uint64_t size = option("sector-lines", 4), sets = a->shape->sets / size, sector = block / size, there[64], n = 0, leaves = NOTHING, last = 0;
    struct held *h = find_block(a, block);
    bool known = false, miss = !h;

    for (size_t i = 0; i < a->n; i++) {
        known |= a->held[i].index == sector;
        if (a->held[i].index % sets != sector % sets)
            continue;
        bool counted = false;
        for (uint64_t k = 0; k < n; k++)
            counted |= there[k] == a->held[i].index;
        if (!counted)
            there[n++] = a->held[i].index;
        if (leaves == NOTHING || a->held[i].used < last) {
            leaves = a->held[i].index;
            last = a->held[i].used;
        }
    }
    if (!known)
        tell(a, "sector-misses");
    for (size_t i = 0; !known && n == a->shape->ways && i < a->n;)
        if (a->held[i].index == leaves)
            forget(a, &a->held[i]);
        else
            i++;
    if (miss)
        a->held[a->n++] = (struct held){block, 0, sector, 0, false};
    a->now++;
    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].index == sector)
            a->held[i].used = a->now;
    return miss;
}

/* ---- ceaser ---- */

static uint64_t keys[2][4], references, pointer; /* the current key, the next */

static uint64_t scrambled(const struct array *a, const uint64_t *key, uint64_t block)
{
    uint64_t half = 16777216, left = block / half % half, right = block % half;

    for (int i = 0; i < 4; i++) {
        uint64_t mixed = (right ^ key[i]) * 11400714819323198485u / 1099511627776u;

        mixed ^= left;
        left = right;
        right = mixed;
    }
    return right % a->shape->sets;
}

static void new_key(struct array *a, uint64_t *key)
{
    for (int i = 0; i < 4; i++)
        key[i] = random_of(&a->random, 16777216);
}

static void scrambled_put(struct array *a, uint64_t block, uint64_t index)
{
    struct held *oldest = NULL;
    uint64_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].index == index) {
            n++;
            oldest = !oldest || a->held[i].used < oldest->used ? &a->held[i] : oldest;
        }
    if (n == a->shape->ways)
        forget(a, oldest);
    a->held[a->n++] = (struct held){block, 0, index, ++a->now, false};
}

static void scrambled_move(struct array *a)
{
    struct held *h = NULL;

    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].index == pointer && scrambled(a, keys[0], a->held[i].block) == pointer && scrambled(a, keys[1], a->held[i].block) != pointer &&
            (!h || a->held[i].used < h->used))
            h = &a->held[i];
    if (!h)
        return;
    uint64_t block = h->block;
    forget(a, h);
    scrambled_put(a, block, scrambled(a, keys[1], block));
    tell(a, "remapped");
    scrambled_move(a);
}

static bool ceaser(struct array *a, uint64_t block)
{
    struct held *h = find_block(a, block);
    uint64_t index;

    if (!references++) {
        new_key(a, keys[0]);
        new_key(a, keys[1]);
    }
    if (h) {
        h->used = ++a->now;
    } else {
        index = scrambled(a, keys[0], block);
        scrambled_put(a, block, index < pointer ? scrambled(a, keys[1], block) : index);
    }
    if (option("ceaser-period", 100) && references % (option("ceaser-period", 100) * a->shape->ways) == 0) {
        scrambled_move(a);
        if (++pointer == a->shape->sets) {
            pointer = 0;
            memcpy(keys[0], keys[1], sizeof keys[0]);
            new_key(a, keys[1]);
        }
    }
    return !h;
}

/* ---- waypred ---- */

static bool waypred(struct array *a, uint64_t block)
{
    const struct resident *latest = NULL, *mine = store_find(a->shape, block);

    for (const struct resident *r = a->shape->all; r; r = r->next)
        if (r->block % a->shape->sets == block % a->shape->sets && (!latest || r->used > latest->used))
            latest = r;
    if (mine && mine != latest)
        tell(a, "way-mispredicts");
    return store_touch(a->shape, block * a->shape->bytes, 1);
}

bool arrays_look(const char *kind, bool is_ll, uint64_t addr, uint64_t bytes)
{
    struct array *a = &arrays[is_ll];
    bool miss = false;

    for (uint64_t b = first_block(a->shape, addr); b <= last_block(a->shape, addr, bytes); b++)
        miss |= !strcmp(kind, "skewed") ? skewed(a, b) : !strcmp(kind, "zcache") ? zcache(a, b) : !strcmp(kind, "sectored") ? sectored(a, b) : !strcmp(kind, "ceaser") ? ceaser(a, b) : waypred(a, b);
    return miss;
}

/* ---- writebuf: held are the entries of the buffer, `used` is when they were made ---- */

static void write_out(struct array *a, struct held *h)
{
    levels_look(h->block * a->shape->bytes, a->shape->bytes);
    tell(a, "retired-writes");
    forget(a, h);
}

static bool buffered_read(struct array *a, uint64_t block, bool *ll_miss)
{
    struct held *h = find_block(a, block);
    struct resident out;

    if (store_use(a->shape, block))
        return false;
    if (h) {
        tell(a, "hazards");
        write_out(a, h);
    }
    *ll_miss |= levels_look(block * a->shape->bytes, a->shape->bytes);
    store_put(a->shape, block, &out);
    return true;
}

static void buffered_write(struct array *a, uint64_t block)
{
    struct held *first = &a->held[0];

    if (find_block(a, block)) {
        tell(a, "merged-writes");
        return;
    }
    for (size_t i = 0; i < a->n; i++)
        if (a->held[i].used < first->used)
            first = &a->held[i];
    if (a->n == option("write-buffer", 4))
        write_out(a, first);
    a->held[a->n++] = (struct held){block, 0, 0, ++a->now, false};
}

unsigned arrays_buffered(uint64_t addr, uint64_t bytes, bool reads, bool writes)
{
    struct array *a = &arrays[0];
    bool miss = false, ll_miss = false;

    for (uint64_t b = first_block(a->shape, addr); b <= last_block(a->shape, addr, bytes); b++) {
        miss |= reads ? buffered_read(a, b, &ll_miss) : !store_use(a->shape, b);
        if (writes)
            buffered_write(a, b);
    }
    return miss + 2u * ll_miss;
}

/* An inclusive last level has given up these bytes. */
void arrays_drop(const char *kind, uint64_t addr, uint64_t bytes)
{
    struct array *a = &arrays[0];
    struct held *h;

    for (uint64_t b = first_block(a->shape, addr); strcmp(kind, "writebuf") && b <= last_block(a->shape, addr, bytes); b++)
        if ((h = find_block(a, b)))
            forget(a, h);
}

void arrays_make(struct store *d1, struct store *ll)
{
    for (unsigned i = 0; i < 2; i++) {
        arrays[i].shape = i ? ll : d1;
        arrays[i].slot = i ? "LL" : "D1";
        arrays[i].random = (model_seed() + 1) * 0x9e3779b97f4a7c15 | 1;
    }
}
