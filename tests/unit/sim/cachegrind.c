/* tests/unit/sim/cachegrind.c - Cachegrind's predictor: the last seven outcomes, and the counter of them and the low seven
 * bits of the address. */
#define PREDICTOR_FILE "sim/bpred/cachegrind.c"
#include "draw_predictor.h"

static const char *draw(uint64_t pc) { return text("%s -> %u", binary(BC_history, 7), BC_counters[BC_index(pc)]); }

int main(void)
{
    begin("");
    step(5, "", "", "0000000 -> 0");
    step(5, "NNN", "...", "0000000 -> 0");
    step(5, "TTTTTTT", "xxxxxxx", "1111111 -> 0");       /* seven new histories */
    step(5, "TTT", "xx.", "1111111 -> 3");
    step(5 + 128, "", "", "1111111 -> 3");               /* the same low seven bits */
    step(6, "", "", "1111111 -> 0");
    /* Taken and not in turn: from the eighth on two histories are left, 0101010 and 1010101, each with its outcome. */
    step(6, "NTNTNTNTNT", ".x.x.x.x.x", "1010101 -> 0");
    step(6, "NTNTNTNT", "........", "1010101 -> 0");
    is_int(PREDICTOR_BITS, 2 * 16384 + 7, "storage in bits");
    return done_testing();
}
