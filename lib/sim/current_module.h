/* lib/sim/current_module.h - the module and the function that are being called, for the message when a module crashes or hangs.  Three
 * words of the counts arena, so the collector can read them even if the run was killed.
 *
 *   sim_current[0]   number of the call << 8 | SIM_CURRENT_SECOND if it is the shadow model's of --check, or B's of --versus | slot + 1;
 *                    0 = no module is being called
 *   sim_current[1]   enum sim_function
 *   sim_current[2]   the outermost call: a D1 in an endless loop may call the LL again and again
 */
#ifndef QN_SIM_CURRENT_H
#define QN_SIM_CURRENT_H

#include "base/base.h"

enum sim_slot { SLOT_I1, SLOT_D1, SLOT_LL, SLOT_BC, SLOT_BI, SLOT_AN, SLOTS };
#define SIM_SLOT_NAMES {"I1", "D1", "LL", "BC", "BI", "AN"}

enum sim_function {
    SIM_IN_INIT, SIM_IN_DOREF, SIM_IN_SETTLED, SIM_IN_DROP, SIM_IN_HIT, SIM_IN_FILL, SIM_IN_VICTIM, SIM_IN_POLICY_SETTLED,
    SIM_IN_PREDICT, SIM_IN_UPDATE, SIM_IN_TARGET, SIM_IN_LEARN, SIM_IN_CALL, SIM_IN_RETURN, SIM_IN_ANALYSE, SIM_IN_OBSERVE, SIM_IN_RECORDS,
    SIM_IN_FINISH, SIM_IN_SHOW, SIM_IN_BYPASS, SIM_IN_PATH, SIM_IN_OUTCOME,
    SIM_FUNCTIONS
};
#define SIM_FUNCTION_NAMES                                                                                             \
    {"init", "doref", "settled", "drop", "policy_hit", "policy_fill", "policy_victim", "policy_settled",               \
     "branchsim_BC_predict", "branchsim_BC_update", "branchsim_BI_target", "branchsim_BI_learn", "branchsim_BI_call",  \
     "branchsim_BI_return", "analysis_ref", "analysis_insn", "analysis_observe", "finish", "predictor_show", \
     "policy_bypass", "branchsim_BC_path", "branchsim_BI_outcome"}

/* A module hangs if one call takes so many seconds of processor time.  The environment variable sets another number. */
#define SIM_STUCK_SECONDS 10
#define SIM_STUCK_VARIABLE "QUERN_MODULE_SECONDS"

/* How a message tells of a crash, and what it ends with. */
#define SIM_CRASHED "crashed: "
#define SIM_TRAPPED "a trap (an index out of the bounds of an array?)" /* modules are compiled so (engines/build.c) */
#define SIM_SANITIZED_REPLAY "; `quern replay --sanitize` checks each access of a module"

/* What a replay that ends because of a module leaves for `quern replay`.  The environment variable is the number of a descriptor, of an empty file.  A
 * replay that has a message writes one struct there and prints nothing; without the variable it prints the line. */
#define HOSTED_PLACES_VARIABLE "QUERN_REPLAY_PLACES"
#define HOSTED_PLACES 32
#define HOSTED_LINE 512

struct hosted_places {
    uint64_t n;
    uint64_t place[HOSTED_PLACES]; /* the program's own addresses: of the instruction; of what may be returns to callers */
    char line[HOSTED_LINE];        /* without "quern: replay: " */
};

static inline uint64_t sim_stuck_seconds(const char *text)
{
    uint64_t seconds = 0;

    while (text && *text >= '0' && *text <= '9' && seconds < 1000000)
        seconds = seconds * 10 + (uint64_t)(*text++ - '0');
    return seconds ? seconds : SIM_STUCK_SECONDS;
}

#define SIM_CURRENT_SECOND 128u
#define SIM_CURRENT_NEXT 256u /* the next call of the same function */
#ifdef QN_SIM_SHADOW
#define SIM_CURRENT_HERE SIM_CURRENT_SECOND
#else
#define SIM_CURRENT_HERE 0u
#endif

/* The slot that a word of sim_current names; SLOTS or more: none. */
static inline unsigned sim_current_slot(uint64_t call) { return (unsigned)(call & (SIM_CURRENT_SECOND - 1)) - 1; }

extern volatile uint64_t *sim_current;

struct sim_before {
    uint64_t call, function;
};

/* Calls may nest, because a level may call the next one: sim_leave restores the state before sim_enter. */
static inline struct sim_before sim_enter(enum sim_slot slot, enum sim_function function, uint64_t number)
{
    struct sim_before before = {sim_current[0], sim_current[1]};

    sim_current[1] = function;
    sim_current[0] = number << 8 | SIM_CURRENT_HERE | (slot + 1);
    if (!before.call)
        sim_current[2] = sim_current[0];
    return before;
}

static inline void sim_leave(struct sim_before before)
{
    sim_current[0] = before.call;
    sim_current[1] = before.function;
}

/* The next one of consecutive calls: increments the number of the call. */
static inline void sim_enter_next(enum sim_function function)
{
    sim_current[1] = function;
    sim_current[2] = sim_current[0] += SIM_CURRENT_NEXT;
}

static inline void sim_in(enum sim_function function) { sim_current[1] = function; }

/* Makes a call of a module between sim_enter and sim_leave. */
#define IN_MODULE(slot, function, number, call)                                                                          \
    ({                                                                                                                 \
        struct sim_before current_before = sim_enter(slot, function, number);                                          \
        __typeof__(call) current_result = call;                                                                        \
        sim_leave(current_before);                                                                                     \
        current_result;                                                                                                \
    })

#define IN_MODULE_DO(slot, function, number, call)                                                                       \
    do {                                                                                                               \
        struct sim_before current_before = sim_enter(slot, function, number);                                          \
        call;                                                                                                          \
        sim_leave(current_before);                                                                                     \
    } while (0)

#endif
