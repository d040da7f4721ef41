/* lib/sim/bank.h - what a simulator remembers, once for each core: at a turn, that of the core that ran is put away and the next one's brought in.
 *
 *   qn_bank_open(&bank)             memory that modules ask for from here on belongs to the bank
 *   qn_bank_add(&bank, at, bytes)   so do these bytes
 *   qn_bank_close(&bank)            each core begins with what is there now
 *   qn_bank_turn(&bank, core)       what is there is this core's
 *
 * Memory that a module asks for later is found only by what the core that asked remembers, so it needs no bank. */
#ifndef QN_SIM_BANK_H
#define QN_SIM_BANK_H

#include "base/base.h"
#include "sim/contract.h"

#define QN_BANK_PARTS 256u

struct qn_bank {
    struct {
        uint8_t *at;
        uint64_t bytes;
    } part[QN_BANK_PARTS];
    uint32_t parts, running;
    uint64_t bytes;                      /* of all parts */
    uint8_t *fresh, *away[QN_CORES_MAX]; /* NULL: the core has not run yet, so what it remembers is `fresh` */
};

void qn_bank_open(struct qn_bank *bank);
void qn_bank_add(struct qn_bank *bank, void *at, uint64_t bytes);
void qn_bank_close(struct qn_bank *bank);
void qn_bank_turn(struct qn_bank *bank, uint32_t core);
void qn_bank_note(void *at, uint64_t bytes); /* sim_alloc: a module has got this */

#endif
