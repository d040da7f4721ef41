/* tests/unit/sim/draw_predictor.h - a branch predictor on its own, its state drawn beside the branches.
 *
 *   #define PREDICTOR_FILE "sim/bpred/bimodal.c"
 *   #include "draw_predictor.h"
 *
 *   static const char *draw(uint64_t pc) { return text("%u", counters[pc]); }
 *
 *   begin("bits=4");                      options of the module
 *   step(5, "TTNT", "xx.x", "2");         the branch at 5 is taken, taken, not, taken; predictions . right, x wrong; its state
 */
#define _GNU_SOURCE /* service.c */
#define QN_SIM_HOSTED 1
#define QN_SLOT BC
#define QN_SLOT_FILE PREDICTOR_FILE
#include "sim/unit.c"

#include "shows_nothing.h"
#include "alone.h"

bool sim_branch_backward;
void qn_up_charge(uint32_t site) { (void)site; }

static char drawing[512];

static __attribute__((unused, format(printf, 1, 2))) const char *text(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(drawing, sizeof drawing, format, args);
    va_end(args);
    return drawing;
}

/* The low bits of a number, the highest first. */
static __attribute__((unused)) const char *binary(uint64_t value, unsigned bits)
{
    static char digits[4][65];
    static unsigned turn;
    char *p = digits[turn++ % 4];

    for (unsigned i = 0; i < bits; i++)
        p[i] = value >> (bits - 1 - i) & 1 ? '1' : '0';
    p[bits] = 0;
    return p;
}

static void begin(const char *options)
{
    struct sim_config config = {.slot = "BC", .seed = 1};
    struct qn_unit_facts facts = {.name = NULL};

    hosted_options = options;
    UNIT_OBJECT.init(&config, &facts);
}

static const char *draw(uint64_t pc);

/* The predictor says, and then learns: never the other way. */
static char branch(uint64_t pc, char outcome)
{
    return UNIT_OBJECT.cond(pc, outcome == 'T') ? 'x' : '.';
}

static __attribute__((unused)) void step(uint64_t pc, const char *outcomes, const char *wanted, const char *state)
{
    char got[256] = "";

    for (unsigned i = 0; outcomes[i]; i++)
        got[i] = branch(pc, outcomes[i]);
    is_str(got, wanted, "branch %u: %s predicted %s", (unsigned)pc, outcomes, wanted);
    is_str(draw(pc), state, "  then: %s", state);
}
