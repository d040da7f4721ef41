/* lib/sim/levels.h - how the engine calls the caches in the slots; included by engine.c.
 *
 *   D1_ref(addr, size, kind)        calls the unit in the slot, or the fast version of a default file; returns QN_UNIT_* bits
 *   next_level(l1, addr, ...)       looks up in the LL what missed level 1, unless the level 1 has done so
 *   init_fast(config)               sets up the fast versions; returns their slots
 */

/* Emitted fetch checks pass the addresses of the records of their lines in arg_aux, since all records of the engine lie below 4 GiB. */
static inline struct qn_code_line *engine_line(uint64_t line)
{
#ifdef QN_SIM_HOSTED
    return code_line_find(line);
#else
    struct qn_code_line *last = (struct qn_code_line *)(uintptr_t)(uint32_t)qn_ctx.arg_aux;
    struct qn_code_line *first = (struct qn_code_line *)(uintptr_t)(qn_ctx.arg_aux >> 32);

    if (QN_LIKELY(last->line == line))
        return last;
    return first && first->line == line ? first : code_line_find(line);
#endif
}

static inline __attribute__((always_inline)) unsigned I1_ref(uint64_t addr, uint32_t size)
{
    if (QN_LIKELY(qn_fast.I1.ways))
        return fast_I1_ref(addr, size, &qn_ctx.now, engine_line);
    return unit_ref(SLOT_I1, addr, size, SIM_FETCH);
}

#ifdef QN_SIM_HOSTED /* a replay has no --explain */
#define EXPLAINS false
#define USES false
#define qn_explain_next(site) 0
#define tell_explain NULL
#define tell_line qn_readers_line
#define tell_nobody NULL
#else
#define EXPLAINS QN_UNLIKELY(qn_sim_users.table)
#define USES qn_sim_uses

static QN_SIM_NCSR void tell_nobody(const struct sim_line *line) { (void)line; }

/* --explain: a line was filled; who used it or its victim last. */
static QN_SIM_NCSR void tell_explain(const struct sim_line *line)
{
    qn_explain_line(line, D1_users.was);
    if (qn_sim_tells_lines)
        qn_readers_line(line);
}

/* The same, called by emitted code. */
static inline void tell_line(const struct sim_line *line)
{
    if (!EXPLAINS) {
        qn_readers_line(line);
        return;
    }
    qn_explain_numbered(qn_sim_users.me);
    D1_users.was = qn_sim_users.was;
    tell_explain(line);
}
#endif

static inline __attribute__((always_inline)) unsigned D1_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (EXPLAINS)
        return fast_D1_ref_told(addr, size, &qn_ctx.now, tell_explain);
    if (QN_UNLIKELY(qn_sim_tells_far()))
        return fast_D1_ref_touching(addr, size, &qn_ctx.now, qn_readers_line);
    if (QN_UNLIKELY(qn_sim_tells_lines))
        return fast_D1_ref_told(addr, size, &qn_ctx.now, qn_readers_line);
    if (QN_UNLIKELY(USES))
        return fast_D1_ref_told(addr, size, &qn_ctx.now, tell_nobody);
    if (QN_LIKELY(qn_fast.D1.sets))
        return fast_D1_ref(addr, size, &qn_ctx.now);
    return unit_ref(SLOT_D1, addr, size, kind);
}

static inline __attribute__((always_inline)) bool LL_ref(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_LIKELY(qn_fast.LL.ways))
        return fast_LL_ref(addr, size);
    return unit_ref(SLOT_LL, addr, size, kind) & QN_UNIT_MISS;
}

static inline bool next_level(unsigned l1, uint64_t addr, uint32_t size, enum sim_kind kind)
{
    if (QN_UNLIKELY(l1 & QN_UNIT_NEXT_DONE))
        return l1 & QN_UNIT_NEXT_MISS;
    return LL_ref(addr, size, kind);
}

SLOW bool qn_up_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return LL_ref(addr, size, kind); }

static struct qn_geometry upper_I1, upper_D1;

/* Removes all lines of I1 and D1 that lie in the range. */
SLOW void qn_up_back_invalidate(uint64_t line, uint32_t bytes)
{
    for (uint64_t a = line & ~(uint64_t)(upper_D1.line - 1); a < line + bytes; a += upper_D1.line)
        if (qn_fast.D1.sets)
            fast_D1_drop(a);
        else
            unit_drop(SLOT_D1, a);
    for (uint64_t a = line & ~(uint64_t)(upper_I1.line - 1); a < line + bytes; a += upper_I1.line)
        if (qn_fast.I1.ways)
            fast_I1_drop(a, code_line_find);
        else
            unit_drop(SLOT_I1, a);
}

/* ---- at the start ---- */

/* Returns a bit for each slot that uses the fast version. */
static unsigned init_fast(const struct qn_config *c)
{
    unsigned slots = 0;

    if (c->cache_sim && qn_sim_is_proven(SLOT_I1)) {
        fast_I1_init(c->I1);
        facts[SLOT_I1] = (struct qn_unit_facts){.hit = QN_HIT_STAMP, .repeat_is_noop = true, .can_drop = true};
        slots |= 1u << SLOT_I1;
    }
    if (c->cache_sim && qn_sim_is_proven(SLOT_D1) && fast_D1_init(c->D1)) {
        facts[SLOT_D1] = (struct qn_unit_facts){.filter = fast_D1_filter(c->D1), .shows = QN_SHOW_RECENT, .can_drop = true};
        slots |= 1u << SLOT_D1;
    }
    if (c->cache_sim && qn_sim_is_proven(SLOT_LL)) {
        fast_LL_init(c->LL);
        slots |= 1u << SLOT_LL;
    }
    if (qn_sim_is_proven(SLOT_BC)) {
        fast_BC_init();
        slots |= 1u << SLOT_BC;
    }
    if (qn_sim_is_proven(SLOT_BI)) {
        fast_BI_init();
        slots |= 1u << SLOT_BI;
    }
    return slots;
}
