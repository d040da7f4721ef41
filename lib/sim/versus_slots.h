/* lib/sim/versus_slots.h - in the twin's files of a build for --versus: the second simulator's modules take the places of the
 * first one's.  No guard: slots.h has one. */

#undef QN_SIM_I1_FILE
#undef QN_SIM_I1_UNIT
#undef QN_SIM_I1_NAME
#ifdef QN_SIM_B_I1_UNIT
#define QN_SIM_I1_FILE QN_SIM_B_I1_FILE
#define QN_SIM_I1_NAME QN_SIM_B_I1_NAME
#define QN_SIM_I1_UNIT 1
#endif

#undef QN_SIM_D1_FILE
#undef QN_SIM_D1_UNIT
#undef QN_SIM_D1_NAME
#ifdef QN_SIM_B_D1_UNIT
#define QN_SIM_D1_FILE QN_SIM_B_D1_FILE
#define QN_SIM_D1_NAME QN_SIM_B_D1_NAME
#define QN_SIM_D1_UNIT 1
#endif

#undef QN_SIM_LL_FILE
#undef QN_SIM_LL_UNIT
#undef QN_SIM_LL_NAME
#ifdef QN_SIM_B_LL_UNIT
#define QN_SIM_LL_FILE QN_SIM_B_LL_FILE
#define QN_SIM_LL_NAME QN_SIM_B_LL_NAME
#define QN_SIM_LL_UNIT 1
#endif

#undef QN_SIM_BC_FILE
#undef QN_SIM_BC_UNIT
#undef QN_SIM_BC_NAME
#ifdef QN_SIM_B_BC_UNIT
#define QN_SIM_BC_FILE QN_SIM_B_BC_FILE
#define QN_SIM_BC_NAME QN_SIM_B_BC_NAME
#define QN_SIM_BC_UNIT 1
#endif

#undef QN_SIM_BI_FILE
#undef QN_SIM_BI_UNIT
#undef QN_SIM_BI_NAME
#ifdef QN_SIM_B_BI_UNIT
#define QN_SIM_BI_FILE QN_SIM_B_BI_FILE
#define QN_SIM_BI_NAME QN_SIM_B_BI_NAME
#define QN_SIM_BI_UNIT 1
#endif

#undef QN_SIM_AN_FILE
#undef QN_SIM_AN_NAME
