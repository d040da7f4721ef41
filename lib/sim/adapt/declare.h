/* lib/sim/adapt/declare.h - declares the functions of modules, so that the compiler reports a wrong type at the author's line, and
 * the linker reports a missing function.
 *
 * Included by module.h.  X is the slot: I1, D1 or LL.  doc/modules.md says which functions a module may leave out. */
#ifdef QN_SLOT
#define CAT2_(a, b) a##b
#define CAT2(a, b) CAT2_(a, b)
#define CAT3(a, b, c) CAT2(CAT2(a, b), c)
/* A module may write the slot's name or X, which fits any slot. */
#define cachesim_X_initcache CAT3(cachesim_, QN_SLOT, _initcache)
#define cachesim_X_doref CAT3(cachesim_, QN_SLOT, _doref)
#define cachesim_X_finish CAT3(cachesim_, QN_SLOT, _finish)
#define cachesim_X_drop CAT3(cachesim_, QN_SLOT, _drop)
#define cachesim_X_settled CAT3(cachesim_, QN_SLOT, _settled)
#endif


/* POLICY */
static const char *policy_init(void);            /* POLICY_INIT: NULL, or an error text if the policy does not support the geometry */
static void policy_hit(unsigned set, unsigned way);
static void policy_fill(unsigned set, unsigned way);
static unsigned policy_victim(unsigned set);
static bool policy_settled(unsigned set, unsigned way);
static void policy_finish(void);                 /* POLICY_FINISH */

/* PREFETCHER */
static void prefetcher_init(const struct sim_config *config); /* PREFETCHER_INIT */
static void prefetcher_ref(uint64_t addr, uint32_t size, enum sim_kind kind, bool miss);

/* LEVEL */
static void cachesim_X_initcache(const struct sim_config *config);
static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result);
static bool cachesim_X_settled(uint64_t line);   /* LEVEL_SETTLED */
static void cachesim_X_drop(uint64_t line);      /* LEVEL_DROP */
static void cachesim_X_finish(void);             /* LEVEL_FINISH */

/* PREDICTOR */
static void branchsim_BC_init(const struct sim_config *config); /* PREDICTOR_INIT */
static unsigned branchsim_BC_predict(uint64_t pc);
static void branchsim_BC_update(uint64_t pc, unsigned taken);
static void branchsim_BC_finish(void);           /* PREDICTOR_FINISH */
static void branchsim_BI_init(const struct sim_config *config);
static uint64_t branchsim_BI_target(uint64_t pc);
static void branchsim_BI_learn(uint64_t pc, uint64_t target);
static void branchsim_BI_call(uint64_t next);    /* PREDICTOR_RETURNS */
static uint64_t branchsim_BI_return(void);
static void branchsim_BI_finish(void);
static void predictor_show(uint64_t pc, unsigned kind); /* PREDICTOR_SHOWS */

/* ANALYSIS */
struct sim_ref;
struct sim_insn;
struct sim_miss;
struct sim_line;
static void analysis_init(const struct sim_config *config);
static void analysis_ref(const struct sim_ref *ref);
static void analysis_miss(const struct sim_miss *miss); /* ANALYSIS_MISSES, ANALYSIS_LINES without ANALYSIS_LINES_ONLY */
static void analysis_line(const struct sim_line *line); /* ANALYSIS_LINES */
static void analysis_waited(const struct sim_line *line, uint32_t number); /* ANALYSIS_WAITS */
static void analysis_ahead(const struct sim_line *line, uint32_t number);  /* ANALYSIS_AHEAD: of all lines that are told of together, before these calls; ... */
static void analysis_line_ahead(const struct sim_line *line, uint32_t number); /* ... in place of analysis_line for each of them, from 0 */
static void analysis_told(void);
static void analysis_insn(const struct sim_insn *insn); /* ANALYSIS_OBSERVES */
static void analysis_finish(void);
