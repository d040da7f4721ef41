/* lib/sim/adapt/core_check.h - --check: what must hold after each reference to coherent D1s and L2s; the shadow model looks.
 *
 * In:  the cores and lines of coherence.h, which includes this file behind them
 * Out: check_reply for each copy that answers a request or is written back, check_touch at the end of a reference
 *
 * Each write to a line makes a version of it.  Whoever refers to the line must have the newest: it has moved with the line, from core to core or
 * by memory, as the protocol's tables say. */
#ifndef QN_SIM_ADAPT_CORE_CHECK_H
#define QN_SIM_ADAPT_CORE_CHECK_H

#define CHECKS QN_DEFINES(QN_SIM_SHADOW)

enum { NEWEST, IN_MEMORY, OF_CORES };

static bool supplied SIM_SHARED; /* by another core, at this reference */
static uint64_t supplied_version SIM_SHARED;

static uint64_t *core_versions(uint64_t line)
{
    struct core_page *p = core_page_of(line);
    const uint64_t each = OF_CORES + sim.cores;

    if (!p->versions)
        p->versions = sim_alloc(PAGE_LINES * each * sizeof *p->versions);
    return p->versions + (line >> sim.line_bits & (PAGE_LINES - 1)) * each;
}

static void check_reply(uint64_t line, uint32_t core, uint32_t does)
{
    uint64_t *v = core_versions(line);

    if (does & SIM_SUPPLIES) {
        supplied = true;
        supplied_version = v[OF_CORES + core];
    }
    if (does & SIM_WRITES_BACK)
        v[IN_MEMORY] = v[OF_CORES + core];
}

static void check_that(bool holds, const char *what)
{
    if (QN_UNLIKELY(!holds))
        sim_fail(sim.slot, COHERENCE, "ref", core_sums.references, what);
}

/* One writer or many readers; one dirty copy; the cores that are said to have the line. */
static void check_states(uint64_t line, const struct core_line *l)
{
    uint64_t holders = 0;
    unsigned writers = 0, dirty = 0, all = 0;

    for (uint32_t core = 0, unused; core < sim.cores; core++) {
        uint32_t at = core_find(&cores[core], line, &unused);
        const struct core_way *way = core_L2_find(&cores[core].L2, line);
        uint8_t state = (at < slots ? cores[core].state[at] : way ? way->state : 0) & CORE_STATE;

        if (at == slots && !way)
            continue;
        holders |= 1ull << core;
        all++;
        writers += coherence_access[state][true].request == SIM_BUS_NONE;
        dirty += COHERENCE_DIRTY >> state & 1;
    }
    check_that(!writers || all == 1, "a core may write to a line without asking, though another one has it");
    check_that(dirty <= 1, "two cores have a line that is dirty in both");
    check_that(holders == (l ? l->holders : 1ull << running), "another core has the line than is noted");
}

static void check_touch(uint64_t line, const struct core_line *l, bool miss, bool writes, enum sim_bus request)
{
    uint64_t *v = core_versions(line), *mine = &v[OF_CORES + running];

    if (miss)
        *mine = supplied ? supplied_version : v[IN_MEMORY];
    check_that(*mine == v[NEWEST], "the core does not have what was written last");
    *mine = v[NEWEST] += writes;
    for (uint32_t core = 0; core < sim.cores && (request == SIM_BUS_UPDATE || request == SIM_BUS_READ_UPDATE); core++)
        v[OF_CORES + core] = v[NEWEST];
    check_states(line, l);
    supplied = false;
}

#endif
