/* lib/lab/labs/lab08_accesses.c - of lab 8, the tests of loads and stores: which level served a load, and which store a load waits for. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "lab/labs/lab08.h"

#define ACCESSES 600
#define PAGE 4096u         /* where accesses are drawn */
#define SITES 12
#define SITES_BYTES (4 * SITES + 64) /* of code, from the beginning of a block */
#define CYCLES_D 4

/* ---- the mix ---- */

static bool mix_of(struct qn_lab_check *c, bool all_levels)
{
    const unsigned *rules = qn_lab_rules(c)->value, block = rules[QN_LAB_LOADS_BLOCK];
    unsigned count[SITES_BYTES][3] = { { 0 } }, base = 0x400000 + 64 * qn_lab_below(c, 1000), first = qn_lab_below(c, 16);
    struct qn_lab08_text stream, wanted;

    qn_lab08_begin(&stream);
    qn_lab08_begin(&wanted);
    for (unsigned i = 0; i < ACCESSES; i++) {
        unsigned at = first + 4 * (qn_lab_below(c, SITES) * 5 % SITES), level = all_levels ? qn_lab_below(c, 3) : 0;

        fprintf(stream.file, "%x %c\n", base + at, "DLM"[level]);
        count[at - at % block][level]++;
    }
    fprintf(wanted.file, "pc,loads,D,L,M,cycles\n");
    for (unsigned at = 0; at < SITES_BYTES; at++) {
        const unsigned *n = count[at];

        if (n[0] + n[1] + n[2])
            fprintf(wanted.file, "%x,%u,%u,%u,%u,%u\n", base + at, n[0] + n[1] + n[2], n[0], n[1], n[2],
                    CYCLES_D * n[0] + rules[QN_LAB_LOADS_L] * n[1] + rules[QN_LAB_LOADS_M] * n[2]);
    }
    return qn_lab08_prints(c, "mix", "-k", 8, &stream, &wanted);
}

bool qn_lab08_mix(struct qn_lab_check *c) { return mix_of(c, true); }
bool qn_lab08_only_hits(struct qn_lab_check *c) { return mix_of(c, false); }

/* ---- conflicts: each load is compared with all earlier accesses in its window ---- */

struct access {
    unsigned pc, addr, size;
    char op;
};

struct accesses {
    struct access at[ACCESSES];
    unsigned n;
};

static void add_access(struct accesses *a, unsigned pc, char op, unsigned addr, unsigned size)
{
    a->at[a->n++] = (struct access){ pc, addr, size, op };
}

/* Have they a byte in common?  page, if not 0: addresses that are equal modulo `page` count as the same. */
static bool touches(const struct access *load, const struct access *store, unsigned page)
{
    for (unsigned i = 0; i < load->size; i++)
        for (unsigned k = 0; k < store->size; k++) {
            unsigned x = load->addr + i, y = store->addr + k;

            if (x == y || (page && x % page == y % page))
                return true;
        }
    return false;
}

/* Index of the newest, or, in a variant, the oldest store in the window of a load that touches the same bytes; -1: none. */
static int find_store(const struct accesses *a, unsigned load, unsigned window, unsigned page, bool oldest)
{
    int found = -1;

    for (unsigned i = load; i-- > 0 && load - i < window && (found < 0 || oldest);)
        if (a->at[i].op == 'S' && touches(&a->at[load], &a->at[i], page))
            found = (int)i;
    return found;
}

#define PCS 64

static bool conflicts(struct qn_lab_check *c, const struct accesses *a, unsigned window)
{
    static unsigned count[PCS][PCS][2];
    unsigned page = qn_lab_rules(c)->value[QN_LAB_CONFLICT_PAGE];
    bool oldest = qn_lab_rules(c)->value[QN_LAB_CONFLICT_OLDEST];
    struct qn_lab08_text stream, wanted;

    memset(count, 0, sizeof count);
    qn_lab08_begin(&stream);
    qn_lab08_begin(&wanted);
    for (unsigned i = 0; i < a->n; i++) {
        bool load = a->at[i].op == 'L';
        int store = load ? find_store(a, i, window, 0, oldest) : -1, far = load ? find_store(a, i, window, page, oldest) : -1;

        fprintf(stream.file, "%x %c %x,%u\n", a->at[i].pc, a->at[i].op, a->at[i].addr, a->at[i].size);
        if (store >= 0 || far >= 0)
            count[a->at[i].pc][a->at[store >= 0 ? store : far].pc][store < 0]++;
    }
    fprintf(wanted.file, "load,store,kind,count\n");
    for (unsigned l = 0; l < PCS; l++)
        for (unsigned s = 0; s < PCS; s++)
            for (unsigned kind = 0; kind < 2; kind++)
                if (count[l][s][kind])
                    fprintf(wanted.file, "%x,%x,%s,%u\n", l, s, kind ? "4k" : "bytes", count[l][s][kind]);
    return qn_lab08_prints(c, "conflicts", "-w", window, &stream, &wanted);
}

/* Random loads and stores of 1 to 8 bytes, in the first `bytes` bytes of `pages` pages. */
static void draw_accesses(struct qn_lab_check *c, struct accesses *a, unsigned bytes, unsigned pages)
{
    while (a->n < ACCESSES)
        add_access(a, qn_lab_below(c, PCS), "LS-"[qn_lab_below(c, 3)],
                   PAGE * (1 + qn_lab_below(c, pages)) + qn_lab_below(c, bytes), 1u << qn_lab_below(c, 4));
}

bool qn_lab08_same_bytes(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };

    draw_accesses(c, &a, 64, 1);
    return conflicts(c, &a, 128);
}

bool qn_lab08_window_counts(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };
    unsigned window = qn_lab_between(c, 4, 20);

    for (unsigned gap = 1; gap <= window + 1; gap++) {
        add_access(&a, gap, 'S', PAGE * 2 * gap + 64 * gap, 8);
        for (unsigned i = 1; i < gap; i++)
            add_access(&a, 0, '-', 0, 0);
        add_access(&a, gap, 'L', PAGE * 2 * gap + 64 * gap, 8);
    }
    if (qn_lab_is_variant(c)) /* which of several stores, and 4k apart */
        draw_accesses(c, &a, 64, 2);
    return conflicts(c, &a, window);
}

bool qn_lab08_aliases(struct qn_lab_check *c)
{
    struct accesses a = { .n = 0 };

    draw_accesses(c, &a, 200, 40);
    if (!conflicts(c, &a, qn_lab_between(c, 30, 60)))
        return false;
    for (unsigned i = 0; i < a.n; i++) /* over the ends of pages */
        a.at[i].addr += PAGE - 100;
    return conflicts(c, &a, 128);
}
