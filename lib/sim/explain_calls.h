/* lib/sim/explain_calls.h - run --explain: references of the lines that are explained, from translated code and from C; included by engine.c.
 * See explain.h.
 */
bool qn_sim_sees;
struct qn_sim_users qn_sim_users;

static SLOW unsigned show_D1(uint64_t line, uint64_t *lines)
{
    return qn_fast.D1.sets ? fast_D1_show(line, lines) : unit[SLOT_D1]->show(line, lines);
}

void qn_sim_explain(const struct qn_config *config, struct qn_explain_output *output)
{
    struct qn_explain_shows shows = {show_D1, facts[SLOT_D1].shows, qn_fast.D1.sets ? NULL : unit[SLOT_D1]->state, facts[SLOT_D1].way_state,
                                     facts[SLOT_D1].set_state};

    qn_explain_init(config, output, &shows);
    qn_sim_sees = !offer(config).lines || qn_sim_analyses || qn_sim_tells_far() || !qn_explain_can_be_told(config);
    if (qn_sim_sees) {
        qn_explain_begin_seen();
        return;
    }
    qn_explain_begin_told(config);
    D1_users.of = qn_engine_alloc_low(fast_D1_table_bytes());
    qn_sim_users.table = (uintptr_t)D1_users.of;
    qn_sim_later.count = NULL;
}

static inline unsigned see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    struct qn_explained e = {.addr = addr, .size = size, .site = (uint32_t)(counts - sim_counters), .kind = kind, .which = which};

    qn_up_refer(e.site);
    if (qn_sim_sees)
        qn_explain_before(&e);
    else
        qn_explain_before_told(&e);
    e.outcome = data(addr, size, kind, counts);
    if (qn_sim_sees)
        qn_explain_after(&e);
    else
        qn_explain_after_told(&e, D1_users.was);
    return e.outcome;
}

/* From C: the site of such a reference is not noted. */
unsigned qn_sim_see(uint64_t addr, uint32_t size, unsigned kind, unsigned which, uint64_t *counts)
{
    sim_pc = qn_ctx.arg_pc;
    return see(addr, size, kind, which, counts);
}

SLOW void qn_sim_see_data(void)
{
    unsigned outcome;

    set_pc(site_counts());
    outcome = see(qn_ctx.arg_addr, (uint32_t)qn_ctx.arg_aux & 0xffff, aux_kind(), (unsigned)qn_ctx.arg_aux >> QN_AUX_WHICH_SHIFT, site_counts());
    if (outcome)
        qn_ctx.result = outcome;
}
