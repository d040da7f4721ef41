/* array/ceaser.c - a randomised index that changes all the time: which lines share a set depends on a key, and is not the same for long.
 *
 * The line number is encrypted, and the low bits of what comes out are the set. Who does not know the key cannot choose lines that fill a set.
 * Since that can be learnt by trying, the key is replaced step by step: a pointer walks over the sets; lines below it are found by the next
 * key. Each `ceaser-period` references for each way, the lines of the set at the pointer move to where the next key has them. At the last set the next
 * key becomes the current one. Four sets of one way; in brackets the sets of A, B, C under the current and the next key:
 *
 *   A (0, 2)  B (1, 3)  C (2, 2)    A B C .      pointer 0
 *   after a period                  . B A .      A moves to set 2 and evicts C; pointer 1: what was in set 0 is looked for by the next key
 *   after another                   . . A B      pointer 2
 *
 * The rules, with the sections of the paper:
 *   encryption (4)       a Feistel network of four rounds; here of 48 bits, each half xored with a product of the other and a key. The paper
 *                        draws a network of substitutions and permutations of 40 bits, which it does not give
 *   remapping (5)        as above: a line that moves is the most recently used of its new set, and evicts the least recently used
 *   rate (5.3)           `ceaser-period` = 100: one of a hundred references moves a line
 * What it cannot show: the two cycles of the encryption; an attack needs the time of references.
 *
 * Options: `ceaser-period` (100; 0: the key never changes).
 * Events: `remapped`, lines that moved.
 * Storage: two keys of 4 * 24 bits, a pointer and a counter; each tag has the whole line number.
 * Source: M. K. Qureshi, CEASER: mitigating conflict-based cache attacks via encrypted-address and remapping, MICRO 2018. */
#include "sim/lines.h"

#define LEVEL "ceaser"
#define LEVEL_SLOTS LEVEL_IN_LL

enum { HALF_BITS = 24, HALF_MASK = (1 << HALF_BITS) - 1, ROUNDS = 4 };

struct key {
    uint32_t round[ROUNDS];
};

static uint64_t *rows; /* lines of a set, most recently used first; LINES_NONE: free */
static struct key current, next;
static uint64_t references, period;
static uint32_t pointer;
static unsigned remapped;

static struct key draw_key(void)
{
    struct key k;

    for (unsigned i = 0; i < ROUNDS; i++)
        k.round[i] = sim_random(1 << HALF_BITS);
    return k;
}

static void cachesim_X_initcache(const struct sim_config *c)
{
    uint64_t lines = (uint64_t)c->sets * c->ways;

    if (!qn_is_pow2(c->sets))
        sim_fail(c->slot, LEVEL, "sets", 0, "must be a power of two");
    period = sim_option_within(c->slot, LEVEL, "ceaser-period", 100, 0, UINT32_MAX) * c->ways;
    remapped = sim_event(c->slot, "remapped", "lines moved to their place under the next key");
    rows = sim_alloc((lines + ROWS_MORE) * sizeof *rows);
    for (uint64_t i = 0; i < lines; i++)
        rows[i] = LINES_NONE;
    current = draw_key();
    next = draw_key();
}

static uint32_t set_by(const struct key *k, uint64_t line)
{
    uint64_t number = line >> sim.line_bits;
    uint32_t left = number >> HALF_BITS & HALF_MASK, right = number & HALF_MASK;

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t mixed = ((right ^ k->round[i]) * 0x9e3779b97f4a7c15ull) >> (64 - HALF_BITS);
        uint32_t old = right;

        right = left ^ (uint32_t)mixed;
        left = old;
    }
    return right & (sim.sets - 1);
}

static uint64_t *row_of(uint64_t line)
{
    uint32_t set = set_by(&current, line);

    return rows + (uint64_t)(set < pointer ? set_by(&next, line) : set) * sim.ways;
}

/* Puts the line in front of its row; what is at `at` leaves. */
static void put_front(uint64_t *row, unsigned at, uint64_t line)
{
    for (; at > 0; at--)
        row[at] = row[at - 1];
    row[0] = line;
}

static void bring(uint64_t line)
{
    uint64_t *row = row_of(line);
    unsigned free = rows_find(row, sim.ways, LINES_NONE);

    put_front(row, free < sim.ways ? free : sim.ways - 1, line);
}

/* The lines that the current key has in the set at the pointer move to where the next key has them, the oldest first. */
static void remap(void)
{
    uint64_t *row = rows + (uint64_t)pointer * sim.ways;
    uint32_t from = pointer++;

    for (unsigned at = sim.ways; at-- > 0;) {
        uint64_t line = row[at];

        if (line == LINES_NONE || set_by(&current, line) != from || row_of(line) == row)
            continue;
        for (unsigned i = at; i + 1 < sim.ways; i++)
            row[i] = row[i + 1];
        row[sim.ways - 1] = LINES_NONE;
        bring(line);
        sim_count(remapped, 1);
    }
    if (pointer < sim.sets)
        return;
    pointer = 0;
    current = next;
    next = draw_key();
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        uint64_t *row = row_of(line);
        unsigned way = rows_find(row, sim.ways, line);

        if (way < sim.ways) {
            put_front(row, way, line);
        } else {
            result->miss = true;
            bring(line);
        }
        if (period && ++references % period == 0)
            remap();
    }
}
