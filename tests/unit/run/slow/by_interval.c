/* tests/unit/run/slow/by_interval.c - counts per interval of N instructions, from a recording and its outcomes.
 *
 *   by_interval N TRACE OUTCOMES      OUTCOMES: `quern replay --outcomes`, a letter and a number per reference
 *
 *   1000 2 2 0 0 0 249 8 8 249 9 0 0  Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim of an interval
 *
 * A fetch is an instruction (so the program must have no repeated string instructions) and what follows up to the next
 * fetch belongs to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/module.h"
#include "trace/trace.h"

enum { IR, DR = 3, DW = 6, BC = 9, BI = 11, COUNTS = 13 };

static void print(uint64_t *row)
{
    for (int i = 0; i < COUNTS; i++)
        printf("%llu%c", (unsigned long long)row[i], i + 1 < COUNTS ? ' ' : '\n');
    memset(row, 0, COUNTS * sizeof *row);
}

int main(int argc, char **argv)
{
    char why[256], letter;
    struct qn_trace_reader *t = argc == 4 ? qn_trace_open(argv[2], why, sizeof why) : NULL;
    FILE *outcomes = t ? fopen(argv[3], "r") : NULL;
    uint64_t row[COUNTS] = {0}, n;
    struct sim_ref ref;
    unsigned outcome;

    if (!outcomes)
        return 2;
    n = strtoull(argv[1], NULL, 10);
    while (qn_trace_next(t, &ref) == 1) {
        if (ref.kind >= SIM_REF_CALL) /* for return stacks only */
            continue;

        int at = ref.kind == SIM_REF_FETCH ? IR : ref.kind == SIM_WRITE ? DW : ref.kind == SIM_REF_COND ? BC
                 : ref.kind == SIM_REF_INDIRECT ? BI : DR;

        if (fscanf(outcomes, " %c%u", &letter, &outcome) != 2 || letter != "I  D  D  B J"[at])
            return 3;
        if (at == IR && row[IR] == n)
            print(row);
        row[at]++;
        row[at + 1] += outcome & 1;
        if (at < BC)
            row[at + 2] += outcome >> 1;
    }
    print(row);
    return 0;
}
