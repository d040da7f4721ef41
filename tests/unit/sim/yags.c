/* tests/unit/sim/yags.c - yags: the bias of the branch; the places of the two caches that it uses now, as tag:counter. */
#define PREDICTOR_FILE "sim/bpred/yags.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc)
{
    uint64_t at = (pc ^ history) & low_bits(cache_bits);

    return text("%u not %u:%u taken %u:%u", *bias_of(pc), caches[0][at].tag, caches[0][at].counter, caches[1][at].tag, caches[1][at].counter);
}

int main(void)
{
    begin("yags-choice=4,yags-cache=3");
    step(5, "", "", "0 not 0:0 taken 0:0");
    step(5, "T", "x", "1 not 0:0 taken 0:0");  /* the history is new, and so is the place */
    is_int(caches[1][5].counter, 2, "in the place of history 000 an entry, weakly taken");
    is_int(caches[1][5].tag, 5, "  of branch 5");
    step(5, "T", "x", "2 not 0:0 taken 0:0");
    is_int(caches[1][4].counter, 2, "a second in that of 001");
    step(5, "N", "x", "1 not 0:0 taken 0:0");
    is_int(caches[0][6].counter, 1, "now the bias is taken: an entry in the other cache, weakly not taken");

    /* A counter that sets the bias right: the bias stays. */
    history = 0;
    step(5, "T", ".", "1 not 0:0 taken 5:2");
    is_int(caches[1][5].counter, 3, "the counter was used and trained");
    history = 0;
    step(5, "N", "x", "0 not 0:0 taken 5:2"); /* the counter was wrong: both are trained */

    /* Another tag in this place: the bias speaks, and while it is right nothing is replaced. */
    step(21, "N", ".", "0 not 0:0 taken 5:2"); /* it has the bias and the place of 5 */
    is_int(caches[1][5].tag, 5, "the entry is still that of 5");
    history = 0;
    step(21, "T", "x", "1 not 0:0 taken 5:2");
    is_int(caches[1][5].tag, 21, "and gone when the bias was wrong");
    is_int(PREDICTOR_BITS, 2 * 16 + 2 * 8 * 8 + 3, "storage in bits");
    return done_testing();
}
