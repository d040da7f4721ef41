/* lib/sim/adapt/refs.h - slot D1: simulates many logged references in one call (fast/log_unit.h).
 *
 * In:  unit_simulate(addr, size, kind, publishes); UNIT_FORGETS, which empties the hit filter
 * Out: unit_refs, unit_forget.  unit_refs publishes nothing, because emitted code does not look at the filter while it logs. */
static void unit_refs(const struct qn_log_entry *entry, uint32_t n)
{
    static const uint8_t kinds[] = {[QN_LOG_READ] = SIM_READ, [QN_LOG_WRITE] = SIM_WRITE, [QN_LOG_MODIFY] = SIM_MODIFY};

    for (const struct qn_log_entry *e = entry; e < entry + n; e++) {
        unsigned outcome = QN_UNIT_MISS;

        if (QN_LIKELY(e->kind != QN_LOG_FETCH)) {
            sim_enter_next(SIM_IN_DOREF);
#ifdef WANTS_PC
            QN_UP(set_pc)(e->site);
#endif
            outcome = unit_simulate(e->addr, e->site >> QN_SITE_SIZE_SHIFT, (enum sim_kind)kinds[e->kind], false);
        }
        if (outcome)
            QN_UP(missed)(e, outcome);
        if (QN_UNLIKELY(sim_events_new))
            QN_UP(charge)(e->site);
    }
}

static void unit_forget(void) { UNIT_FORGETS; }
