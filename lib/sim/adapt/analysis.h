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

#ifdef ANALYSIS_RECORDS
static void unit_observe(const struct sim_record *record, uint32_t n)
{
    uint64_t before = sim_events_new; /* of other modules */

    IN_MODULE_DO(SLOT_AN, SIM_IN_RECORDS, unit_references + 1, analysis_observe(record, n));
    unit_references += n;
    if (sim_events_new != before)
        sim_fail("?", "?", "sim_count", 0, "analysis_observe calls sim_count, not sim_count_for");
}
#if (ANALYSIS_RECORDS) & SIM_USES
#define UNIT_RECENT .recent = analysis_recent,
#else
#define UNIT_RECENT
#endif
#define UNIT_SEEN .records = (ANALYSIS_RECORDS), .observe = unit_observe, UNIT_RECENT
#elif !defined(ANALYSIS_OBSERVES)
static SIM_NCSR void unit_seen(const struct sim_ref *ref)
{
    IN_MODULE_DO(SLOT_AN, SIM_IN_ANALYSE, ++unit_references, analysis_ref(ref));
}
#define UNIT_SEEN .seen = unit_seen,
#else
#define UNIT_SEEN
#endif

#ifdef ANALYSIS_LOG
#define UNIT_LOG .log = analysis_log,
#else
#define UNIT_LOG
#endif

#define UNIT_FUNCTIONS UNIT_INSN UNIT_SEEN UNIT_LOG .only_data = QN_DEFINES(ANALYSIS_DATA)

static void unit_init(const struct sim_config *config, struct qn_unit_facts *facts)
{
    facts->name = ANALYSIS;
    facts->observes = QN_DEFINES(ANALYSIS_OBSERVES);
    IN_MODULE_DO(SLOT_AN, SIM_IN_INIT, 0, analysis_init(config));
}

static void unit_finish(void) { IN_MODULE_DO(SLOT_AN, SIM_IN_FINISH, unit_references, analysis_finish()); }
