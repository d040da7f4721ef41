/* switch.c - a byte-code interpreter: a dense switch becomes an indirect jump through a table (Bi), driven first by a
 * program that repeats and then by random operations that no predictor learns. */
#include "guest.h"

#define STEPS 20000

enum op { OP_ADD, OP_SUB, OP_XOR, OP_SHIFT, OP_SWAP, OP_NOT, OP_DOUBLE, OP_MIX, OP_ROTATE, OP_CLEAR_LOW, OP_COUNT };

struct machine {
    uint64_t a, b;
};

static NOINLINE void step(struct machine *m, unsigned op, uint64_t operand)
{
    uint64_t t;

    switch (op) {
    case OP_ADD: m->a += operand; break;
    case OP_SUB: m->a -= m->b; break;
    case OP_XOR: m->a ^= operand * 3; break;
    case OP_SHIFT: m->b = m->a << 3 | 1; break;
    case OP_SWAP: t = m->a; m->a = m->b; m->b = t; break;
    case OP_NOT: m->b = ~m->b; break;
    case OP_DOUBLE: m->b += m->b; break;
    case OP_MIX: m->a = m->a * 0x9e3779b97f4a7c15u + m->b; break;
    case OP_ROTATE: m->a = m->a >> 11 | m->a << 53; break;
    case OP_CLEAR_LOW: m->b &= m->b - 1; break;
    default: m->a = operand; break;
    }
}

static int guest_main(void)
{
    struct machine m = {1, 2};
    uint64_t seed = 42;

    for (unsigned n = 0; n < STEPS; n++)
        step(&m, n % 4, n);
    for (unsigned n = 0; n < STEPS; n++)
        step(&m, guest_random(&seed) % (OP_COUNT + 1), n);
    step(&m, OP_COUNT, 7);
    return EXPECT(m.a == 7);
}
