/* tests/vectors/state.h - bring a vector's state into the processor, run its instruction, take the state out. */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "vector.h"

#define XSAVE_HEADER 512
#define AREA_SIZE 8192

/* Components of the XSAVE area, which is in the standard format. */
enum { X87, SSE, AVX, OPMASK = 5, ZMM_HIGH, ZMM_16_31, COMPONENTS };
extern unsigned component_offset[COMPONENTS], component_size[COMPONENTS]; /* size 0: this processor has it not */

struct state {
    uint64_t gpr[16];
    uint64_t flags;
    uint8_t area[AREA_SIZE] __attribute__((aligned(64)));
};
extern struct state before, after;

/* How it ended; the first four members of struct result. */
struct ending {
    int signal, end;
    uint64_t rip, address;
};

extern uint64_t state_limit; /* components that are made use of, of those that there are; before prepare_states */

/* Map arena and slots, catch signals. */
bool prepare_states(void);

/* Lay the code of n vectors, at most BATCH, in their slots. */
bool place_batch(const struct vector *v, size_t n);

/* `before` and the arena, from the vector's seed. */
void fill_state(const struct vector *v);

/* Run the instruction in this slot from `before`; sets `after`. */
struct ending run_state(uint64_t slot);

/* 16 bytes of vector register n: part 0 is xmm, 1 the upper half of ymm, 2 and 3 those of zmm. */
uint8_t *vector_part(uint8_t *area, unsigned n, unsigned part);

#endif
