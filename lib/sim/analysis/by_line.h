/* analysis/by_line.h - a number of 32 bits for each line of memory, 0 until it is set.
 *
 *   by_line_init(&map, config->line_bits)
 *   *by_line(&map, address) = 7          the number of the line in which the address lies; the pointer stays valid
 *
 * The numbers of 64 adjacent lines, a group, lie together: a program that walks through memory then touches few lines of the
 * processor's cache.  Memory: 4 bytes for each line of a group that is in use, and 32 to 64 bytes for each group.
 */
#ifndef QN_SIM_ANALYSIS_BY_LINE_H
#define QN_SIM_ANALYSIS_BY_LINE_H

#include "sim/module.h"

#define BY_LINE_TOGETHER_BITS 6
#define BY_LINE_TOGETHER (1u << BY_LINE_TOGETHER_BITS)
#define BY_LINE_BITS_FIRST 10
#define BY_LINE_CHUNK 256u /* groups that are allocated at a time */

struct by_line_group {
    uint64_t number;  /* address of its first byte / bytes of the group, + 1; 0: free */
    uint32_t *of;
};

struct by_line {
    struct by_line_group *table;
    uint32_t *pool;   /* allocated memory for the next groups */
    uint32_t bits, groups, left, line_bits;
};

static void by_line_init(struct by_line *m, uint32_t line_bits)
{
    *m = (struct by_line){.bits = BY_LINE_BITS_FIRST, .line_bits = line_bits};
    m->table = sim_alloc((1ull << m->bits) * sizeof *m->table);
}

static inline struct by_line_group *by_line_group_of(const struct by_line *m, uint64_t number)
{
    uint64_t at = number * 0x9e3779b97f4a7c15ull >> (64 - m->bits);

    while (m->table[at].number && m->table[at].number != number)
        at = (at + 1) & ((1u << m->bits) - 1);
    return &m->table[at];
}

/* Old tables are not freed: all tables together take twice the memory of the last one. */
static void by_line_grow(struct by_line *m)
{
    struct by_line_group *old = m->table;
    uint32_t n = 1u << m->bits++;

    m->table = sim_alloc((1ull << m->bits) * sizeof *m->table);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].number)
            *by_line_group_of(m, old[i].number) = old[i];
}

static __attribute__((noinline)) struct by_line_group *by_line_add(struct by_line *m, uint64_t number)
{
    struct by_line_group *g;

    if (m->groups++ >= (1u << m->bits) / 2)
        by_line_grow(m);
    if (!m->left--) {
        m->left = BY_LINE_CHUNK - 1;
        m->pool = sim_alloc((uint64_t)BY_LINE_CHUNK * BY_LINE_TOGETHER * sizeof *m->pool);
    }
    g = by_line_group_of(m, number);
    *g = (struct by_line_group){number, m->pool};
    m->pool += BY_LINE_TOGETHER;
    return g;
}

static inline uint32_t *by_line(struct by_line *m, uint64_t address)
{
    uint64_t line = address >> m->line_bits, number = (line >> BY_LINE_TOGETHER_BITS) + 1;
    struct by_line_group *g = by_line_group_of(m, number);

    if (!g->number)
        g = by_line_add(m, number);
    return &g->of[line & (BY_LINE_TOGETHER - 1)];
}

#endif
