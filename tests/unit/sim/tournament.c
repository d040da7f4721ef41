/* tests/unit/sim/tournament.c - two predictors and a chooser: local counter (0-7), global counter (0-3), chooser (0-3, global
 * from 2 on), each the one that the next prediction uses. */
#define PREDICTOR_FILE "sim/bpred/tournament.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    return text("local %u global %u choose %u", local[histories[pc % LOCALS]], global[history], chooser[history]);
}

int main(void)
{
    begin("");
    step(5, "", "", "local 0 global 0 choose 0");
    /* Not taken again and again: both are right, nobody is preferred. */
    step(5, "NNNN", "....", "local 0 global 0 choose 0");
    /* Taken: histories run through 0..01, 0..011, ... to all ones, each new; 10 local and 12 global ones on the way. */
    step(5, "TTTTTTTTTT", "xxxxxxxxxx", "local 0 global 0 choose 0");
    /* From here the local history stays all ones: its counter needs four to say taken (4 of 7).  The global one moves on
     * twice more; then it needs two. */
    step(5, "TT", "xx", "local 2 global 0 choose 0");
    step(5, "TT", "xx", "local 4 global 2 choose 0");
    step(5, "T", ".", "local 5 global 3 choose 0");
    /* Branch 6 has a local history of its own, all zeros, whose counter has seen one T of branch 5 and N before: it says not
     * taken, the global one says taken.  The chooser believes the local one, twice wrongly, then the global one. */
    step(6, "", "", "local 1 global 3 choose 0");
    step(6, "T", "x", "local 1 global 3 choose 1");
    step(6, "T", "x", "local 1 global 3 choose 2");
    step(6, "T", ".", "local 1 global 3 choose 3");
    is_int(PREDICTOR_BITS, 29 * 1024 + 12, "storage in bits");
    return done_testing();
}
