/* lib/lab/models/model_csim.c - see models.h.
 *
 *   set 0: 7 3 9     7 is the most recently used line; 9, the least recently used one, is the victim; in a variant it is 3
 */
#include "lab/models/models.h"

#include <stdlib.h>

#include "base/grow.h"

struct qn_lab_csim {
    struct qn_lab_csim_shape g;
    struct qn_lab_variant rules;
    uint64_t *line; /* set after set */
    unsigned *used; /* lines in each set */
};

static unsigned rule(const struct qn_lab_csim *m, enum qn_lab_parameter which) { return m->rules.value[which]; }

struct qn_lab_csim *qn_lab_new_csim(struct qn_lab_csim_shape shape, const struct qn_lab_variant *rules)
{
    struct qn_lab_csim *m = QN_NEEDED(calloc(1, sizeof *m));

    m->line = QN_NEEDED(calloc((size_t)shape.E << shape.s, sizeof *m->line));
    m->used = QN_NEEDED(calloc((size_t)1 << shape.s, sizeof *m->used));
    m->g = shape;
    m->rules = *rules;
    return m;
}

void qn_lab_free_csim(struct qn_lab_csim *m)
{
    free(m->line);
    free(m->used);
    free(m);
}

static unsigned set_of_line(const struct qn_lab_csim *m, uint64_t line)
{
    uint64_t index = rule(m, QN_LAB_CSIM_SHIFT) ? line ^ line >> rule(m, QN_LAB_CSIM_SHIFT) : line;

    return (unsigned)(index & ((1u << m->g.s) - 1));
}

unsigned qn_lab_csim_set(const struct qn_lab_csim *m, uint64_t addr) { return set_of_line(m, addr >> m->g.b); }

bool qn_lab_csim_line(const struct qn_lab_csim *m, unsigned set, unsigned place, uint64_t *line)
{
    if (place >= m->used[set])
        return false;
    *line = m->line[(size_t)set * m->g.E + place];
    return true;
}

/* Moves the line from `place` to the front. */
static void put_in_front(uint64_t *lines, unsigned place, uint64_t line)
{
    for (; place > 0; place--)
        lines[place] = lines[place - 1];
    lines[0] = line;
}

/* true: a miss. */
static bool touch(struct qn_lab_csim *m, uint64_t line, bool store, unsigned long *evictions)
{
    unsigned set = set_of_line(m, line), *used = &m->used[set], stay = rule(m, QN_LAB_CSIM_STAY), place = 0;
    uint64_t *lines = &m->line[(size_t)set * m->g.E];

    while (place < *used && lines[place] != line)
        place++;
    if (place < *used) {
        if (!store || rule(m, QN_LAB_CSIM_STORE) < 2)
            put_in_front(lines, place, line);
        return false;
    }
    if (store && rule(m, QN_LAB_CSIM_STORE))
        return true;
    if (*used == m->g.E) {
        place = *used - 1 - (*used > stay ? stay : 0);
        ++*evictions;
    } else {
        ++*used;
    }
    put_in_front(lines, place, line);
    return true;
}

static void reference(struct qn_lab_csim *m, bool store, uint64_t addr, unsigned size, struct qn_lab_csim_counts *k)
{
    unsigned long lines = 0, missed = 0, cross = rule(m, QN_LAB_CSIM_CROSS);

    for (uint64_t line = addr >> m->g.b; line <= (addr + size - 1) >> m->g.b; line++, lines++)
        missed += touch(m, line, store, &k->evictions);
    if (cross != 1) {
        missed = cross == 2 ? missed == lines : missed > 0;
        lines = 1;
    }
    k->misses += missed;
    k->hits += lines - missed;
}

void qn_lab_csim_reference(struct qn_lab_csim *m, char op, uint64_t addr, unsigned size, struct qn_lab_csim_counts *k)
{
    if (op == 'L' || op == 'M')
        reference(m, false, addr, size, k);
    if (op == 'S' || op == 'M')
        reference(m, true, addr, size, k);
}
