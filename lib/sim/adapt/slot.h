/* lib/sim/adapt/slot.h - calls from a cache module to the levels above and below its slot.  In: QN_SLOT_I1, _D1 or _LL. */
#if defined(QN_SLOT_LL)
enum { UNIT_IN = LEVEL_IN_LL, UNIT_IS_LL = 1 };
#elif defined(QN_SLOT_D1)
enum { UNIT_IN = LEVEL_IN_D1, UNIT_IS_LL = 0 };
#else
enum { UNIT_IN = LEVEL_IN_I1, UNIT_IS_LL = 0 };
#endif

#ifdef QN_SLOT_LL
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return (void)addr, (void)size, (void)kind, true; }
static inline bool sim_wants_evictions(void) { return false; }
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { QN_UP(back_invalidate)(line, bytes); }
#else
static inline bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind) { return QN_UP(next)(addr, size, kind); }
static inline bool sim_wants_evictions(void) { return QN_UP(wants_evictions); }
static inline void sim_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
#endif
