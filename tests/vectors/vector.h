/* tests/vectors/vector.h - execution vectors: an instruction and the state to run it from.
 *
 *   generate COUNT SEED >vectors      vectors for every form of the opcode tables that this processor may be able to run
 *   generate COUNT SEED sse,sse2 >vectors   of those that need no other feature
 *   run vectors results               run them: natively, or as quern's guest
 *   run vectors results -1 3          the same with these components of XCR0 alone, as on a processor that has no more
 *   compare vectors native quern      what differs, in words; exit status 1 if anything does
 *   depend vectors                    natively: what registers do they depend on?
 *
 * A vector is data; generate.c makes it with the help of the decoder (so that most memory operands lie in the arena and
 * branches lead somewhere), run.c knows nothing about instructions.  A wrong fact costs hits of the arena, no more: both runs
 * get the same vector. */
#ifndef VECTOR_H
#define VECTOR_H

#include <stdint.h>

/* Fixed addresses: below 2 GiB, clear of quern's engine. */
#define ARENA 0x20000000ull   /* data */
#define ARENA_SIZE 4096
#define ARENA_POINTER 1024    /* where memory operands begin; room for an XSAVE area behind */
#define ARENA_STACK 512       /* where rsp points; grows towards 0 */
#define SLOTS 0x21000000ull   /* code: one slot of SLOT_SIZE for each vector of a batch */
#define SLOT_SIZE 64
#define SLOT_TAKEN 32         /* branches lead here */
#define BATCH 1024
#define GS_BASE 0x1000        /* so that a gs prefix shows */

struct vector {
    uint8_t bytes[15], len;
    uint16_t form;          /* row of the opcode tables */
    uint8_t vsib_reg;       /* 0..31: vector register to be filled with small indices; 255 = none */
    uint8_t vsib_bytes;     /* of an index */
    uint8_t reserved[4];
    uint32_t patch_at;      /* offset in the arena of 8 bytes that must be patch; at least ARENA_SIZE = none */
    uint32_t flags;
    uint64_t patch;
    uint64_t seed;          /* of the arena, the vector and x87 state */
    uint64_t gpr[16];
};

struct result {
    int32_t signal;         /* 0: came out at one of the two ends */
    int32_t end;            /* 0 fell through, 1 branched; signal: si_code */
    uint64_t rip;           /* signal: relative to the slot if inside it */
    uint64_t address;       /* signal: si_addr */
    uint64_t gpr[16];
    uint64_t flags;
    uint64_t fp;            /* hash of the x87, SSE, AVX and AVX-512 state */
    uint64_t arena;         /* hash of the data */
};

/* A generator of the same numbers in every run (Knuth's MMIX constants). */
static inline uint64_t vector_random(uint64_t *state)
{
    uint64_t high;

    *state = *state * 6364136223846793005u + 1442695040888963407u;
    high = *state >> 32;
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return high << 32 | *state >> 32;
}

#endif
