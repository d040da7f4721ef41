/* lib/lab/labs/lab10.c - the tests of lab 10: translation lookaside buffers as the D1, each a module called by messages (module.h).
 *
 * Of every reference the outcome and the entries of page tables that it reads, in order, are compared with the model's.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/models/models.h"
#include "lab/module.h"

#define PAGE (1u << QN_LAB_PAGE_BITS)
#define BASE 0x10000000ull
#define HUGE_BITS(c) (QN_LAB_PAGE_BITS + QN_LAB_INDEX_BITS * qn_lab_rules(c)->value[QN_LAB_TLB_HUGE])
#define CASES 3
#define REFS 500
#define READS_SHOWN 6

struct module {
    const char *file, *option; /* NULL: it has no option */
    enum qn_lab_tlb_kind kind;
};

static const struct module one = { "tlb.c", NULL, QN_LAB_TLB_ONE }, leveled = { "levels.c", "entries", QN_LAB_TLB_LEVELED },
                           sizes = { "huge.c", "entries", QN_LAB_TLB_SIZES };

enum compared { OUTCOMES, WALKED, READS }; /* besides the outcomes: is there a walk?  What does it read? */

struct shape {
    unsigned sets, ways, extra;
};

/* ---- comparing ---- */

static struct qn_lab_tlb new_model(struct qn_lab_check *c, const struct module *m, struct shape s)
{
    return qn_lab_new_tlb(m->kind, qn_lab_rules(c), s.sets, s.ways, s.extra);
}

/* What a right module does with a reference: every page of it. */
struct outcome {
    bool miss;
    uint64_t read[2 * QN_LAB_WALK_MAX];
    unsigned reads;
};

static struct outcome reference(struct qn_lab_tlb *t, const struct qn_lab_ref *r)
{
    struct outcome o = { false, { 0 }, 0 };

    for (uint64_t page = r->addr / PAGE; page <= (r->addr + r->size - 1) / PAGE; page++) {
        o.miss |= qn_lab_translate(t, page == r->addr / PAGE ? r->addr : page * PAGE);
        for (unsigned i = 0; i < t->reads; i++)
            o.read[o.reads++] = t->read[i];
    }
    return o;
}

/* An entry in the handout's words. */
static const char *name_of(uint64_t entry)
{
    static char names[2][64];
    static unsigned next;
    char *name = names[next++ % 2];

    for (unsigned level = 0; level < QN_LAB_WALK_MAX; level++) {
        uint64_t first = qn_lab_table_entry(level, 0);

        if (entry >= first && entry < qn_lab_table_entry(level + 1, 0))
            return snprintf(name, sizeof names[0], "entry %llu of level %u", (unsigned long long)(entry - first) / 8, level), name;
    }
    return snprintf(name, sizeof names[0], "0x%llx, which is no entry", (unsigned long long)entry), name;
}

static void tell_reads(struct qn_lab_check *c, const char *whose, const uint64_t *read, unsigned n)
{
    qn_lab_why(c, "%s reads%s", whose, n ? ":" : " nothing.");
    for (unsigned i = 0; i < n && i < READS_SHOWN; i++)
        qn_lab_why(c, "    0x%llx, %s", (unsigned long long)read[i], name_of(read[i]));
}

/* For --keep: runs the model again, up to the wrong reference. */
static void explain(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_trace *t, size_t at, const uint64_t *got,
                    unsigned n_got)
{
    struct qn_lab_tlb model = new_model(c, m, s);
    struct qn_lab_trace part = { t->at, at + 1, 0 };
    struct outcome o;
    char option[40] = "";
    uint64_t there;
    bool mark;

    if (qn_lab_keeps(c)) {
        for (size_t i = 0; i < at; i++)
            reference(&model, &t->at[i]);
        qn_lab_write_trace(c, &part, "trace.txt");
        qn_lab_why(c, "%s, %u sets of %u ways. Reference %zu, the last line of trace.txt, is to address %llx, %u bytes, page %llx. Before it the set of the "
                      "first buffer held, in a right one, the page used last first:", m->file, s.sets, s.ways, at + 1, (unsigned long long)t->at[at].addr,
                   (unsigned)t->at[at].size, (unsigned long long)t->at[at].addr / PAGE);
        for (unsigned place = 0; qn_lab_line_at(model.first, qn_lab_page_number(&model, t->at[at].addr), place, &there, &mark); place++)
            qn_lab_why(c, "    %llx", (unsigned long long)there);
        o = reference(&model, &t->at[at]);
        qn_lab_why(c, "Then it is a %s.", o.miss ? "miss" : "hit");
        tell_reads(c, "A right one", o.read, o.reads);
        tell_reads(c, "Yours", got, n_got);
        if (m->option)
            snprintf(option, sizeof option, " --sim-opt=%s=%u", m->option, s.extra);
        qn_lab_why_with(c, "trace.txt", "In a debugger:\n    quern sim build --replay --D1=%s --cflags='-g -O0' -o mine\n"
                      "    gdb -ex 'break cachesim_X_doref if addr == 0x%llx' -ex run --args ./mine --D1=%u,%u,%u%s", m->file,
                   (unsigned long long)t->at[at].addr, s.sets * s.ways * PAGE, s.ways, PAGE, option);
    }
    qn_lab_free_tlb(&model);
}

static bool compare(struct qn_lab_check *c, const struct module *m, struct shape s, const struct qn_lab_leveled *l, enum compared what)
{
    struct qn_lab_tlb model = new_model(c, m, s);
    const struct qn_lab_trace *t = l->trace;
    size_t asked = 0;
    bool good = true;

    for (size_t i = 0; good && i < t->n; i++) {
        struct outcome o = reference(&model, &t->at[i]);
        uint64_t got[2 * QN_LAB_WALK_MAX] = { 0 };
        unsigned n = 0, same = 0;

        for (; asked < l->n_asked && l->asked[asked].at == i; asked++)
            if (n < QN_ARRAY_LEN(got))
                got[n++] = l->asked[asked].addr;
        while (same < n && same < o.reads && got[same] == o.read[same])
            same++;
        if (o.miss == (l->missed[i] & 1) && (what == OUTCOMES || (what == WALKED ? !n == !o.reads : same == n && n == o.reads)))
            continue;
        explain(c, m, s, t, i, got, n);
        if (o.miss != (l->missed[i] & 1))
            good = qn_lab_say(c, "%u sets of %u ways, reference %zu, address %llx, page %llx: got a %s, wanted a %s", s.sets, s.ways, i + 1,
                              (unsigned long long)t->at[i].addr, (unsigned long long)t->at[i].addr / PAGE, o.miss ? "hit" : "miss", o.miss ? "miss" : "hit");
        else
            good = qn_lab_say(c, "%u sets of %u ways, reference %zu, address %llx: read %u of the walk is %s, wanted %s", s.sets, s.ways, i + 1,
                              (unsigned long long)t->at[i].addr, same + 1, same < n ? name_of(got[same]) : "none",
                              same < o.reads ? name_of(o.read[same]) : "none");
    }
    qn_lab_free_tlb(&model);
    return good;
}

/* Frees the trace.  In a variant all is compared. */
static bool agrees(struct qn_lab_check *c, const struct module *m, struct shape s, struct qn_lab_trace *t, enum compared what)
{
    struct qn_lab_leveled l = { .program = qn_lab_module(c, m->file, false), .trace = t, .sets = s.sets, .ways = s.ways, .degree = s.extra, .line = PAGE,
                                .records = true, .missed = calloc(t->n + 1, 1) };
    bool good = l.missed && qn_lab_ask_level(c, &l) && compare(c, m, s, &l, qn_lab_is_variant(c) ? READS : what);

    if (!good && m->option)
        qn_lab_say(c, "that was with %s=%u", m->option, s.extra);
    free(l.missed);
    free(l.asked);
    qn_lab_free_trace(t);
    return good;
}

/* ---- traces ---- */

/* Pages of which some are used again soon, some never; a page lies anywhere in `span` pages.  huge: part of the addresses in huge pages. */
static void draw(struct qn_lab_check *c, struct qn_lab_trace *t, unsigned pages, unsigned span, size_t refs, bool huge)
{
    uint64_t *page = QN_NEEDED(calloc(pages, sizeof *page)), at;

    for (unsigned i = 0; i < pages; i++) {
        page[i] = BASE + (uint64_t)qn_lab_below(c, span) * PAGE;
        if (huge && i % 2)
            page[i] = QN_LAB_HUGE_FROM + ((uint64_t)qn_lab_below(c, pages / 2) << HUGE_BITS(c)) + (uint64_t)qn_lab_below(c, 500) * PAGE;
    }
    while (t->n < refs) {
        at = page[qn_lab_below(c, qn_lab_below(c, 3) ? pages / 2 : pages)];
        for (unsigned n = qn_lab_between(c, 1, 3); n > 0; n--)
            qn_lab_add_ref(t, 'L', at + 8 * qn_lab_below(c, PAGE / 8), 8);
    }
    free(page);
}

static bool random_pages(struct qn_lab_check *c, const struct module *m, unsigned span, bool huge, enum compared what)
{
    for (unsigned i = 0; i < CASES; i++) {
        struct shape s = { 2u << qn_lab_below(c, 3), qn_lab_between(c, 2, 5), qn_lab_between(c, 3, 8) };
        struct qn_lab_trace t = { .n = 0 };

        draw(c, &t, m->kind == QN_LAB_TLB_LEVELED ? 6 * s.sets * s.ways : 3 * s.sets * s.ways, span, m->kind == QN_LAB_TLB_LEVELED ? 3 * REFS : REFS, huge);
        if (!agrees(c, m, s, &t, what))
            return false;
    }
    return true;
}

/* ---- tests ---- */

static bool one_hits(struct qn_lab_check *c) { return random_pages(c, &one, 4000, false, OUTCOMES); }
static bool one_walks(struct qn_lab_check *c) { return random_pages(c, &one, 1u << 22, false, READS); }

/* References over the end of a page, to two pages, beside others. */
static bool two_pages(struct qn_lab_check *c)
{
    struct shape s = { 4, 2, 4 };
    struct qn_lab_trace t = { .n = 0 };
    uint64_t pages[12]; /* far apart, so that a variant's sets matter */

    for (unsigned i = 0; i < QN_ARRAY_LEN(pages); i++)
        pages[i] = BASE + (uint64_t)qn_lab_below(c, 4000) * PAGE;
    while (t.n < REFS) {
        uint64_t page = pages[qn_lab_below(c, QN_ARRAY_LEN(pages))];

        if (qn_lab_below(c, 2))
            qn_lab_add_ref(&t, 'L', page + PAGE - qn_lab_between(c, 1, 7), 8);
        else
            qn_lab_add_ref(&t, 'L', page + 8 * qn_lab_below(c, PAGE / 8), 8);
    }
    return agrees(c, &one, s, &t, OUTCOMES);
}

static bool both_buffers(struct qn_lab_check *c) { return random_pages(c, &leveled, 4000, false, WALKED); }

/* Pages so close that nearly all walks are short, then so far that the walk cache has to be right. */
static bool walk_cache(struct qn_lab_check *c)
{
    return random_pages(c, &leveled, 512, false, READS) && random_pages(c, &leveled, 1u << 13, false, READS) && random_pages(c, &leveled, 1u << 22, false, READS);
}

static bool huge_hits(struct qn_lab_check *c) { return random_pages(c, &sizes, 4000, true, OUTCOMES); }
static bool huge_walks(struct qn_lab_check *c) { return random_pages(c, &sizes, 1u << 22, true, READS); }

/* Arrays of the same size in pages of both sizes, read again and again: the one in huge pages fits into their buffer, the other does not; and as
 * many huge pages as the buffer has entries, and one more. */
static bool reach(struct qn_lab_check *c)
{
    struct shape s = { 4, 4, qn_lab_between(c, 3, 6) };
    struct qn_lab_trace t = { .n = 0 };
    unsigned pages = qn_lab_between(c, 40, 80), first = qn_lab_below(c, 100);

    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < pages; i++) {
            qn_lab_add_ref(&t, 'L', QN_LAB_HUGE_FROM + ((uint64_t)first << HUGE_BITS(c)) + (uint64_t)i * PAGE, 8);
            qn_lab_add_ref(&t, 'L', BASE + (uint64_t)i * PAGE, 8);
        }
    for (unsigned more = 0; more < 2; more++)
        for (unsigned i = 0; i < 4 * (s.extra + more); i++)
            qn_lab_add_ref(&t, 'L', QN_LAB_HUGE_FROM + ((uint64_t)(first + i % (s.extra + more)) << HUGE_BITS(c)), 8);
    draw(c, &t, 40, 4000, t.n + REFS, true);
    return agrees(c, &sizes, s, &t, OUTCOMES);
}

static const struct qn_lab_test tests[] = {
    { "tlb: hits and misses", 10, one_hits },
    { "tlb: a reference to two pages looks up both", 10, two_pages },
    { "tlb: a walk reads an entry of each level, the root first", 15, one_walks },
    { "levels: misses of both buffers", 15, both_buffers },
    { "levels: the walk cache", 20, walk_cache },
    { "huge: hits and misses of both sizes", 10, huge_hits },
    { "huge: a walk ends at the entry that translates", 10, huge_walks },
    { "huge: the reach of the buffer", 10, reach },
};

static const char *const files[] = { "tlb.c", "levels.c", "huge.c", NULL };

const struct qn_lab qn_lab_10 = {
    10, "10-tlb", "TLB and page walks", files, tests, QN_ARRAY_LEN(tests), NULL
};
