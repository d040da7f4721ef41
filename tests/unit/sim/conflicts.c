/* tests/unit/sim/conflicts.c - which loads follow a store to the same bytes, or 4 KiB apart, within a window. */
#define SITES_BITS 13 /* room for 6144 loads, and as many pairs */
#define ANALYSIS_FILE "sim/analysis/conflicts.c"
#include "draw_analysis.h"

#define STORE 0x100
#define OTHER 0x108
#define LOAD 0x200
#define AT 0x7ff0

static void restart(const char *options)
{
    pairs = loads = (struct sites){0};
    stored = oldest = 0;
    begin(4 * LINE, options);
}

static void store(uint64_t pc, uint64_t addr, uint32_t size) { accesses(pc, SIM_WRITE, addr, size, 0); }
static void load(uint64_t addr, uint32_t size) { accesses(LOAD, SIM_READ, addr, size, 0); }
static void others(unsigned n)
{
    while (n--)
        computes(0x300, 0);
}

static void begin_window(uint64_t addr, uint32_t size)
{
    analysis_insn(&(struct sim_insn){.pc = LOAD, .next = LOAD + 1, .reg = 0, .first = 1, .accesses = 1,
                                     .access = {{.addr = addr, .size = size, .kind = SIM_READ}}});
}

/* The pair, so many times of so many; NULL: none at all. */
static void finds(const char *wanted, const char *name)
{
    finish();
    *strstr(said, "AN:") = 0;
    is_str(said, wanted, "%s", name);
}

static void counts(void)
{
    restart("");
    for (unsigned i = 0; i < 4; i++) {
        store(STORE, AT, 8);
        load(i < 3 ? AT : AT + 64, 8);
    }
    store(STORE, AT + 0x1000, 8);
    load(AT, 4);
    says("0x200 bytes 0x7ff0 0x100 4 5\n" /* the last one: the store before the newest is within the window, too */
         "AN: conflicts within 128 of 10 instructions observed: 4, 0 of them 4 KiB apart, 1 pairs\n");
}

/* A store of 8 bytes at AT or elsewhere, and a load. */
static void after_store(uint64_t stored_at, uint32_t stored_size, uint64_t addr, uint32_t size, const char *wanted, const char *name)
{
    restart("");
    store(STORE, stored_at, stored_size);
    load(addr, size);
    finds(wanted, name);
}

static void bytes(void)
{
    after_store(AT, 8, AT + 7, 1, "0x200 bytes 0x7ff7 0x100 1 1\n", "its last byte");
    after_store(AT, 8, AT + 8, 1, "", "the byte behind it");
    after_store(AT, 8, AT - 4, 4, "", "the bytes before it");
    after_store(AT, 8, AT - 3, 4, "0x200 bytes 0x7fed 0x100 1 1\n", "one of them is its first");
    after_store(AT, 8, AT - 0x5000, 8, "0x200 4k 0x2ff0 0x100 1 1\n", "five times 4 KiB below");
    after_store(0x1ffc, 8, 0x5000, 4, "0x200 4k 0x5000 0x100 1 1\n",
                "a store over the end of the page, a load at the beginning of another");
    after_store(0x1ffc, 4, 0x5000, 4, "", "a store up to the end of the page");
}

static void two_stores(void)
{
    restart("");
    store(STORE, AT, 8);
    store(OTHER, AT, 8);
    load(AT, 8);
    finds("0x200 bytes 0x7ff0 0x108 1 1\n", "of two stores the newer");
    restart("");
    store(STORE, AT, 8);
    store(OTHER, AT + 0x3000, 8);
    load(AT, 8);
    finds("0x200 bytes 0x7ff0 0x100 1 1\n", "the same bytes before an alias that is newer");
}

static void windows(void)
{
    restart("window=4");
    store(STORE, AT, 8);
    others(2);
    load(AT, 8);
    finds("0x200 bytes 0x7ff0 0x100 1 1\n", "three instructions later, within a window of four");
    restart("window=4");
    store(STORE, AT, 8);
    others(3);
    load(AT, 8);
    finds("", "four later");
    restart("");
    store(STORE, AT, 8);
    begin_window(AT, 8);
    finds("", "in another window of the sample");
}

/* inc (m): it loads what it stored the time before. */
static void modifies(void)
{
    restart("");
    accesses(LOAD, SIM_MODIFY, AT, 4, 0);
    accesses(LOAD, SIM_MODIFY, AT, 4, 0);
    finds("0x200 bytes 0x7ff0 0x200 1 2\n", "a read-modify-write conflicts with the one before, not with itself");
}

/* ---- beside one that compares each load with all stores before it ---- */

#define INSNS 30000u
static struct sim_insn told[INSNS];

static uint64_t pairs_found(bool alias)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < pairs.count; i++) {
        const struct pair *p = (const struct pair *)sites_at(&pairs, i);

        n += p->site.what & ALIAS && alias ? p->row->count * p->row->value * (p->site.what & ~ALIAS) : 0;
        n += p->site.what & ALIAS || alias ? 0 : p->row->count * p->row->value * p->site.what;
    }
    return n;
}

/* Do the bytes meet if page is 0, else the bytes in a page? */
static bool meet(const struct sim_access *a, const struct sim_access *b, uint64_t page)
{
    for (uint32_t i = 0; i < a->size; i++)
        for (uint32_t k = 0; k < b->size; k++)
            if (page ? (a->addr + i) % page == (b->addr + k) % page : a->addr + i == b->addr + k)
                return true;
    return false;
}

/* Loads at `at`: which store of the window it is, if any; its pc. */
static uint64_t model(uint32_t at, const struct sim_access *a, uint32_t within, bool *alias)
{
    uint64_t found = 0;

    for (uint32_t i = at; i && at - (i - 1) < within && !told[i].first; i--)
        for (unsigned k = told[i - 1].accesses; k--;) {
            const struct sim_access *s = &told[i - 1].access[k];

            if (!sim_writes(s->kind))
                continue;
            if (meet(a, s, 0)) {
                *alias = false;
                return told[i - 1].pc;
            }
            if (!found && meet(a, s, PAGE))
                found = told[i - 1].pc;
        }
    *alias = true;
    return found;
}

static void beside_a_model(uint32_t within)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 8, 16, 64, 200};
    static struct { uint64_t last, n; } of[2][64][64];
    uint64_t state = sim_random_seed(within), wanted[2] = {0};
    char options[32];

    snprintf(options, sizeof options, "window=%u", within);
    restart(options);
    memset(of, 0, sizeof of);
    for (uint32_t i = 0; i < INSNS; i++) {
        struct sim_insn *insn = &told[i];

        *insn = (struct sim_insn){.pc = 1 + sim_random_below(&state, 60), .first = !sim_random_below(&state, 500),
                                  .reg = SIM_NO_REG, .accesses = (uint8_t)sim_random_below(&state, 3)};
        for (unsigned k = 0; k < insn->accesses; k++)
            insn->access[k] = (struct sim_access){.addr = 0x10000 + PAGE * sim_random_below(&state, 3) + sim_random_below(&state, PAGE),
                                                  .size = sizes[sim_random_below(&state, 8)], .kind = (uint8_t)sim_random_below(&state, 3)};
        analysis_insn(insn);
        for (unsigned k = 0; k < insn->accesses; k++) {
            bool alias;
            uint64_t by = insn->access[k].kind == SIM_WRITE ? 0 : model(i, &insn->access[k], within, &alias);

            if (!by)
                continue;
            of[alias][insn->pc][by].n++;
            of[alias][insn->pc][by].last = insn->access[k].addr;
        }
    }
    for (unsigned alias = 0; alias < 2; alias++)
        for (uint64_t pc = 0; pc < 64; pc++)
            for (uint64_t by = 0; by < 64; by++)
                wanted[alias] += of[alias][pc][by].n * of[alias][pc][by].last * by;
    ok(wanted[0] && wanted[1], "window %u: there are conflicts of both kinds", within);
    is_int((int64_t)pairs_found(false), (int64_t)wanted[0], "... of the same bytes, as one that looks at all says");
    is_int((int64_t)pairs_found(true), (int64_t)wanted[1], "... 4 KiB apart");
}

/* What is printed after the findings. */
static const char *ends(void)
{
    finish();
    return strstr(said, "AN: conflicts");
}

static void full(void)
{
    restart("");
    for (unsigned i = 0; i < 6144; i++)
        accesses(0x10000 + i, SIM_READ, AT, 8, 0);
    ok(!strstr(ends(), "no room"), "as many loads as there is room for");
    for (unsigned i = 0; i < 5; i++)
        accesses(0x20000, SIM_READ, AT, 8, 0);
    ok(strstr(ends(), "AN: there was no room for 0 conflicts and 5 executions of further loads\n"), "more loads: a line says so");
    restart("");
    for (unsigned i = 0; i < 6144 + 7; i++) {
        store(0x10000 + i, AT, 8);
        load(AT, 8);
    }
    ok(strstr(ends(), "AN: there was no room for 7 conflicts and 0 executions of further loads\n"), "more pairs: a line says so");
}

int main(void)
{
    beside_a_model(4);
    beside_a_model(40);
    counts();
    bytes();
    two_stores();
    windows();
    modifies();
    full();
    return done_testing();
}
