/* lib/run/observe/data/data_blocks.c - the allocated blocks of memory: finds the block that holds an address.
 *
 *   qn_blocks_add(0x5000, 64, 3);  qn_blocks_find(0x5020)   ->   0x5000..0x5040, object 3
 *
 * Blocks of up to SMALL_MAX bytes are in lists, sorted by address, one for each 4 KiB page in which blocks begin.  If a block of an
 * earlier page reaches into a page, the page has it in `over`.  So a look-up needs one table of pages and one short list.  Larger blocks
 * are in a tree.
 *
 * A block may lie inside another one (a program's own allocator, whose memory comes from malloc): the innermost one is found.  Two blocks
 * are nested or disjoint, because a new block ends an old one that it overlaps otherwise.
 */
#include "run/observe/data/data.h"

#include "base/tree.h"

#define SMALL_MAX 65536u
#define PAGE_BITS 12u
#define PAGE (1ull << PAGE_BITS)
#define LEAF_BITS 18u                    /* pages of a leaf: 1 GiB */
#define LEAVES (1u << (47 - PAGE_BITS - LEAF_BITS))
#define CHUNK_BITS 16u                   /* blocks or pages that are made at once */
#define CHUNKS 4096u
#define LIST_FIRST 8u
#define LIST_CLASSES 16u                 /* of LIST_FIRST << class */

struct entry {
    uint32_t block;
    uint16_t start;                      /* in the page */
};

struct page {
    uint32_t over;                       /* innermost block that holds the page's first byte and begins before */
    uint16_t n, class;                   /* entries; room is LIST_FIRST << class */
    struct entry *list;                  /* by start; of several at one place the outer one first */
};

static uint32_t *leaves[LEAVES];         /* number of the page; 0 = nothing there */
static struct page *pages[CHUNKS];
static struct qn_live_block *blocks[CHUNKS];
static uint32_t npages = 1, nblocks = 1, free_block;
static void *free_lists[LIST_CLASSES];

static struct qn_tree large = {.alloc = qn_engine_alloc}; /* value: the innermost large block that begins there */
struct qn_small_block qn_small_blocks[QN_SMALL_BLOCKS];
uint64_t qn_epochs_changes, qn_epochs[QN_EPOCHS];

/* A block there comes or goes. */
static void change_epochs(uint64_t base, uint64_t end)
{
    if ((end - base) >> QN_EPOCH_BITS >= QN_EPOCHS) {
        qn_epochs_change_all();
        return;
    }
    qn_epochs_changes++;
    for (uint64_t at = base >> QN_EPOCH_BITS; at <= (end - 1) >> QN_EPOCH_BITS; at++)
        qn_epochs[at % QN_EPOCHS] = qn_epochs_changes;
}

/* ---- numbers to things ---- */

static struct page *page_of(uint32_t number) { return &pages[number >> CHUNK_BITS][number & ((1u << CHUNK_BITS) - 1)]; }

static struct qn_live_block *block_of(uint32_t number)
{
    return number ? &blocks[number >> CHUNK_BITS][number & ((1u << CHUNK_BITS) - 1)] : NULL;
}

static struct page *find_page(uint64_t at)
{
    const uint32_t *leaf = at >> 47 ? NULL : leaves[at >> (PAGE_BITS + LEAF_BITS)];
    uint32_t number = leaf ? leaf[at >> PAGE_BITS & ((1u << LEAF_BITS) - 1)] : 0;

    return number ? page_of(number) : NULL;
}

static struct page *make_page(uint64_t at)
{
    uint32_t **leaf = &leaves[at >> (PAGE_BITS + LEAF_BITS)], *number;

    if (!*leaf)
        *leaf = qn_engine_alloc(sizeof **leaf << LEAF_BITS);
    number = &(*leaf)[at >> PAGE_BITS & ((1u << LEAF_BITS) - 1)];
    if (!*number) {
        *number = npages++;
        if (!pages[*number >> CHUNK_BITS])
            pages[*number >> CHUNK_BITS] = qn_engine_alloc(sizeof(struct page) << CHUNK_BITS);
    }
    return page_of(*number);
}

static struct qn_live_block *make_block(void)
{
    uint32_t number = free_block ? free_block : nblocks++;
    struct qn_live_block *b;

    if (!blocks[number >> CHUNK_BITS])
        blocks[number >> CHUNK_BITS] = qn_engine_alloc(sizeof *b << CHUNK_BITS);
    b = block_of(number);
    if (free_block)
        free_block = b->outer;
    *b = (struct qn_live_block){.number = number, .epoch = qn_epochs_changes};
    return b;
}

static void give_block(struct qn_live_block *b)
{
    b->outer = free_block;
    b->epoch = qn_epochs_changes;
    free_block = b->number;
}

/* ---- lists ---- */

static struct entry *take_list(unsigned class)
{
    struct entry *list = free_lists[class];

    if (list)
        __builtin_memcpy(&free_lists[class], list, sizeof(void *));
    else if ((LIST_FIRST << class) * sizeof *list >= PAGE)
        list = qn_engine_alloc((LIST_FIRST << class) * sizeof *list);
    else {
        uint8_t *part = qn_engine_alloc(16 * PAGE);

        for (uint64_t at = 0; at < 16 * PAGE; at += (LIST_FIRST << class) * sizeof *list) {
            __builtin_memcpy(part + at, &free_lists[class], sizeof(void *));
            free_lists[class] = part + at;
        }
        return take_list(class);
    }
    return list;
}

static void make_room(struct page *p)
{
    struct entry *list;
    unsigned class = p->list ? p->class + 1u : 0;

    if (p->list && p->n < LIST_FIRST << p->class)
        return;
    list = take_list(class);
    if (p->list) {
        __builtin_memcpy(list, p->list, p->n * sizeof *list);
        __builtin_memcpy(p->list, &free_lists[p->class], sizeof(void *));
        free_lists[p->class] = p->list;
    }
    p->list = list;
    p->class = (uint16_t)class;
}

/* How many entries begin at or before the offset. */
static unsigned count_until(const struct page *p, unsigned offset)
{
    return QN_COUNT_WHILE(i, p->n, p->list[i].start <= offset);
}

/* The last large block that begins at or before the address, the innermost of several there; NULL: none does. */
static struct qn_live_block *last_large(uint64_t address)
{
    const struct qn_tree_node *n = qn_tree_last(&large, address);

    return n ? block_of(n->value) : NULL;
}

/* ---- looking up ---- */

/* The innermost of this block and those that it lies in that reaches beyond the address. */
static struct qn_live_block *climb(uint32_t number, uint64_t address)
{
    struct qn_live_block *b = block_of(number);

    while (b && address >= b->end)
        b = block_of(b->outer);
    return b;
}

static bool is_small(const struct qn_live_block *b) { return b->end - b->base <= SMALL_MAX; }

/* Of two that hold the address. */
static struct qn_live_block *inner_one(struct qn_live_block *a, struct qn_live_block *b)
{
    if (!a || !b)
        return a ? a : b;
    return a->base > b->base || (a->base == b->base && a->end < b->end) ? a : b;
}

static struct qn_live_block *find(uint64_t address)
{
    const struct page *p = find_page(address);
    unsigned before = p ? count_until(p, (unsigned)(address & (PAGE - 1))) : 0;
    struct qn_live_block *b = before ? climb(p->list[before - 1].block, address) : NULL, *l;

    if (!b && p)
        b = climb(p->over, address);
    if (b && is_small(b))
        return b;
    l = last_large(address);
    return inner_one(b, l ? climb(l->number, address) : NULL);
}

static struct qn_small_block *small_at(uint64_t address) { return &qn_small_blocks[address / QN_SMALL_LINE % QN_SMALL_BLOCKS]; }

static void forget_small(uint64_t base, uint64_t end)
{
    for (uint64_t at = base / QN_SMALL_LINE * QN_SMALL_LINE; at < end; at += QN_SMALL_LINE)
        small_at(at)->size = 0;
}

const struct qn_live_block *qn_blocks_find(uint64_t address)
{
    const struct qn_live_block *b = find(address);

    if (b && !b->inner && b->end - b->base <= QN_SMALL_BLOCK)
        *small_at(address) = (struct qn_small_block){b->base, (uint32_t)(b->end - b->base), b->object};
    return b;
}

bool qn_blocks_are_in(uint64_t start, uint64_t end)
{
    const struct page *p = find_page(start);

    if (p && (p->n || p->over))
        return true;
    for (const struct qn_live_block *b = last_large(end - 1); b; b = block_of(b->outer))
        if (b->end > start)
            return true;
    return false;
}

/* ---- allocating ---- */

static void cover_pages(struct qn_live_block *b)
{
    for (uint64_t at = (b->base | (PAGE - 1)) + 1; at < b->end; at += PAGE)
        make_page(at)->over = b->number;
}

static void insert_small(struct qn_live_block *b)
{
    struct page *p = make_page(b->base);
    unsigned at = count_until(p, (unsigned)(b->base & (PAGE - 1)));

    make_room(p);
    __builtin_memmove(&p->list[at + 1], &p->list[at], (p->n - at) * sizeof p->list[0]);
    p->list[at] = (struct entry){b->number, (uint16_t)(b->base & (PAGE - 1))};
    p->n++;
    cover_pages(b);
}

static void erase(struct qn_live_block *b);

/* Blocks that overlap the range without holding all of it. */
static void end_older(uint64_t base, uint64_t end)
{
    struct qn_live_block *b;

    while ((b = find(base)) && (b->end < end || (b->base == base && b->end == end)))
        erase(b);
    qn_blocks_remove_range(base + 1, end);
}

void qn_blocks_add(uint64_t base, uint64_t size, uint32_t object)
{
    struct qn_live_block *b, *outer;

    if (!size || base >> 47 || size >> 47)
        return;
    change_epochs(base, base + size);
    end_older(base, base + size);
    outer = find(base);
    b = make_block();
    b->base = base;
    b->end = base + size;
    b->object = object;
    b->outer = outer ? outer->number : 0;
    if (outer) {
        outer->inner++;
        outer->epoch = qn_epochs_changes;
        if (outer->end - outer->base <= QN_SMALL_BLOCK)
            forget_small(b->base, b->end);
    }
    if (is_small(b))
        insert_small(b);
    else
        qn_tree_add(&large, b->base, b->end, b->number);
}

/* ---- freeing ---- */

static void uncover_pages(const struct qn_live_block *b)
{
    for (uint64_t at = (b->base | (PAGE - 1)) + 1; at < b->end; at += PAGE) {
        struct page *p = find_page(at);
        const struct qn_live_block *o = block_of(b->outer);

        while (o && !is_small(o))
            o = block_of(o->outer);
        if (p->over == b->number)
            p->over = o && o->end > at ? o->number : 0;
    }
}

static void take_out_small(const struct qn_live_block *b)
{
    struct page *p = find_page(b->base);
    unsigned at = count_until(p, (unsigned)(b->base & (PAGE - 1)));

    while (p->list[at - 1].block != b->number)
        at--;
    __builtin_memmove(&p->list[at - 1], &p->list[at], (p->n - at) * sizeof p->list[0]);
    p->n--;
    uncover_pages(b);
}

/* It is the innermost large one that begins there: those in it are gone. */
static void take_out_large(const struct qn_live_block *b)
{
    const struct qn_live_block *outer = block_of(b->outer);

    if (outer && outer->base == b->base)
        qn_tree_add(&large, outer->base, outer->end, outer->number);
    else
        qn_tree_remove(&large, b->base, b->base + 1);
}

/* Of what still lies in it, the outer one is now its own. */
static void erase(struct qn_live_block *b)
{
    change_epochs(b->base, b->end);
    if (b->end - b->base <= QN_SMALL_BLOCK)
        forget_small(b->base, b->end);
    if (b->inner)
        qn_blocks_remove_range(b->base + 1, b->end);
    while (b->inner) { /* one that begins where it does */
        struct qn_live_block *i = find(b->base);

        if (i == b || i->base != b->base)
            break;
        erase(i);
    }
    if (is_small(b))
        take_out_small(b);
    else
        take_out_large(b);
    if (b->outer)
        block_of(b->outer)->inner--;
    give_block(b);
}

bool qn_blocks_remove(uint64_t base)
{
    struct qn_live_block *b;
    bool any = false;

    for (; (b = find(base)) && b->base == base; any = true)
        erase(b);
    return any;
}

/* The last block of the page that begins in [start, end), or NULL. */
static struct qn_live_block *last_in(const struct page *p, uint64_t page, uint64_t start, uint64_t end)
{
    unsigned n = end > page + (PAGE - 1) ? p->n : count_until(p, (unsigned)(end - 1 - page));
    struct qn_live_block *b = n ? block_of(p->list[n - 1].block) : NULL;

    return b && b->base >= start ? b : NULL;
}

void qn_blocks_remove_range(uint64_t start, uint64_t end)
{
    struct qn_live_block *b;

    if (start >= end || end >> 47)
        return;
    while ((b = last_large(end - 1)) && b->base >= start)
        erase(b);
    for (uint64_t page = start & ~(PAGE - 1); page < end; page += PAGE) {
        const struct page *p;

        if (!leaves[page >> (PAGE_BITS + LEAF_BITS)]) {
            page |= (1ull << (PAGE_BITS + LEAF_BITS)) - PAGE;
            continue;
        }
        p = find_page(page);
        while (p && p->n && (b = last_in(p, page, start, end)))
            erase(b);
    }
}
