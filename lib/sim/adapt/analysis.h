/* lib/sim/adapt/analysis.h - makes a unit of an analysis module (ANALYSIS). */
static uint64_t unit_references; /* for messages */

#ifdef ANALYSIS_OBSERVES
static const char unit_observes_mark[] __attribute__((used)) = QN_SIM_OBSERVES_MARK QN_SLOT_LABEL "\n"; /* tools read it out of the file */

/* n is not 0. */
static void unit_insns(const struct sim_insn *insn, unsigned n)
{
    struct sim_before before = sim_enter(SLOT_AN, SIM_IN_OBSERVE, unit_references + 1);

    unit_references += n;
    for (unsigned i = 0; i < n; i++)
        if (insn[i].memo)
            __builtin_prefetch(*insn[i].memo);
    for (;; insn++) {
        analysis_insn(insn);
        if (!--n)
            break;
        sim_enter_next(SIM_IN_OBSERVE);
    }
    sim_leave(before);
}
#define UNIT_INSN .insns = unit_insns,
#else
#define UNIT_INSN
#endif

#if !defined(ANALYSIS_OBSERVES) && (!defined(ANALYSIS_MISSES) || defined(ANALYSIS_LOADS) || defined(ANALYSIS_LINES))
static SIM_NCSR void unit_seen(const struct sim_ref *ref)
{
    IN_MODULE_DO(SLOT_AN, SIM_IN_ANALYSE, ++unit_references, analysis_ref(ref));
}
#define UNIT_SEEN .seen = unit_seen,
#else
#define UNIT_SEEN
#endif

#if defined(ANALYSIS_MISSES) || (defined(ANALYSIS_LINES) && !defined(ANALYSIS_LINES_ONLY))
static SIM_NCSR void unit_miss(const struct sim_miss *miss)
{
    IN_MODULE_DO(SLOT_AN, SIM_IN_MISS, ++unit_references, analysis_miss(miss));
}
#define UNIT_MISS .miss = unit_miss,
#else
#define UNIT_MISS
#endif

#ifdef ANALYSIS_LINES
static SIM_NCSR void unit_line(const struct sim_line *line)
{
    IN_MODULE_DO(SLOT_AN, SIM_IN_LINE, unit_references, analysis_line(line));
}
#define UNIT_LINE .line = unit_line,
#else
#define UNIT_LINE
#endif

#ifdef ANALYSIS_LATER
static inline struct sim_line unit_line_of(const struct qn_unit_misses *l, const struct qn_buffered_miss *m)
{
    return (struct sim_line){.line = m->addr & ~(uint64_t)(l->line - 1), .victim = m->victim, .victim_used = m->victim_used, .first = true};
}

/* ended: of an execution of a block that has ended, so that nothing is taken back. */
static inline __attribute__((always_inline)) void unit_later_one(const struct qn_unit_misses *l, const struct qn_buffered_miss *m, bool ended)
{
    uint64_t site = l->site ? l->site[m->site & QN_SITE_COUNTER_MASK] : 0;

    *l->pc = qn_site_pc(site);
    if (ended)
        sim_reference.site = m->site & QN_SITE_COUNTER_MASK;
    else
        QN_UP(refer)(m->site & QN_SITE_COUNTER_MASK);
#ifdef ANALYSIS_LINES
    struct sim_line line = unit_line_of(l, m);
#endif
#ifdef ANALYSIS_WAITS
    analysis_waited(&line, (uint32_t)(m - l->miss));
#else
#ifdef ANALYSIS_LINES
#ifdef ANALYSIS_AHEAD
    analysis_line_ahead(&line, (uint32_t)(m - l->miss));
#else
    analysis_line(&line);
#endif
#endif
#ifndef ANALYSIS_LINES_ONLY
    analysis_miss(&(struct sim_miss){.addr = m->addr, .pc = qn_site_pc(site), .size = m->site >> QN_SITE_SIZE_SHIFT, .kind = (uint8_t)qn_site_kind(site),
                                     .outcome = (uint8_t)(SIM_L1_MISS | m->ll * SIM_LL_MISS)});
#endif
#endif
}

static inline __attribute__((always_inline)) void unit_later_all(const struct qn_unit_misses *l, bool ended)
{
    for (uint32_t i = 0; i < l->n; i++) {
        unit_later_one(l, &l->miss[i], ended);
        if (QN_UNLIKELY(sim_events_new))
            QN_UP(charge)(l->miss[i].site & QN_SITE_COUNTER_MASK);
#ifdef ANALYSIS_WAITS
        ++*l->told;
#endif
        sim_enter_next(SIM_IN_MISS);
    }
}

static void unit_later(const struct qn_unit_misses *l)
{
    struct sim_before before = sim_enter(SLOT_AN, SIM_IN_MISS, unit_references + 1);

#ifdef ANALYSIS_AHEAD /* what they need of each line is fetched from memory meanwhile */
    for (uint32_t i = 0; i < l->n; i++) {
        struct sim_line line = unit_line_of(l, &l->miss[i]);

        analysis_ahead(&line, i);
    }
#endif
    if (sim_undo_off)
        unit_later_all(l, true);
    else
        unit_later_all(l, false);
#ifdef ANALYSIS_WAITS
    if (l->last)
        analysis_told();
#endif
    unit_references += l->n;
    sim_leave(before);
}
#define UNIT_LATER .later = unit_later,
#else
#define UNIT_LATER
#endif

#ifdef ANALYSIS_FAR
static SIM_NCSR void unit_far(const struct sim_far *far)
{
    IN_MODULE_DO(SLOT_AN, SIM_IN_LINE, ++unit_references, analysis_far(far));
}
#ifdef ANALYSIS_FAR_LATER
static void unit_far_uses(const struct qn_unit_far_uses *t)
{
    struct sim_before before = sim_enter(SLOT_AN, SIM_IN_LINE, unit_references + 1);

    for (const struct qn_far_use *touch = t->touch; touch < t->touch + t->n; touch++)
        if (touch->how & QN_FAR_USE_LEFT) {
            analysis_left(touch->line);
        } else {
            sim_reference.site = touch->site & QN_SITE_COUNTER_MASK;
            sim_reference.execution = touch->execution;
            analysis_came(touch->line);
        }
    unit_references += t->n;
    sim_leave(before);
}
#define UNIT_FAR_USES .touches = unit_far_uses, .reads = analysis_can_wait,
#else
#define UNIT_FAR_USES
#endif
#define UNIT_FAR .far = unit_far, .wants_far = analysis_wants_far, UNIT_FAR_USES
#else
#define UNIT_FAR
#endif

#ifdef ANALYSIS_LOG
#define UNIT_LOG .log = analysis_log,
#else
#define UNIT_LOG
#endif

#define UNIT_FUNCTIONS UNIT_INSN UNIT_SEEN UNIT_MISS UNIT_LINE UNIT_LATER UNIT_FAR \
    UNIT_LOG .loads = QN_DEFINES(ANALYSIS_LOADS), .only_data = QN_DEFINES(ANALYSIS_DATA)

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = ANALYSIS;
    facts->observes = QN_DEFINES(ANALYSIS_OBSERVES);
    IN_MODULE_DO(SLOT_AN, SIM_IN_INIT, 0, analysis_init(config));
}

static void unit_finish(void) { IN_MODULE_DO(SLOT_AN, SIM_IN_FINISH, unit_references, analysis_finish()); }
