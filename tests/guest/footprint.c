/* footprint.c - much code, little data: 512 functions of about 60 bytes each, called in turn and then at random.  Their
 * 30 KiB do not fit into a small I1, and in the smallest geometries not into LL either. */
#include "guest.h"

#define ROUNDS 12

typedef uint32_t (*function)(uint32_t);

/* One function of its own for each number: different constants, so that nothing can be folded together. */
#define F(n) \
    static NOINLINE uint32_t f##n(uint32_t x) \
    { \
        x = x * (2 * 0x##n + 0x10001) + 0x##n; \
        HIDE(x); \
        x ^= x >> 7; \
        HIDE(x); \
        x += 0x10203 * (0x##n + 1); \
        HIDE(x); \
        return x % 1021 == 0x##n ? x + 1 : x; \
    }
#define F8(n) F(n##0) F(n##1) F(n##2) F(n##3) F(n##4) F(n##5) F(n##6) F(n##7)
#define F64(n) F8(n##0) F8(n##1) F8(n##2) F8(n##3) F8(n##4) F8(n##5) F8(n##6) F8(n##7)
F64(0) F64(1) F64(2) F64(3) F64(4) F64(5) F64(6) F64(7)

#define T(n) f##n,
#define T8(n) T(n##0) T(n##1) T(n##2) T(n##3) T(n##4) T(n##5) T(n##6) T(n##7)
#define T64(n) T8(n##0) T8(n##1) T8(n##2) T8(n##3) T8(n##4) T8(n##5) T8(n##6) T8(n##7)
static const function functions[] = {T64(0) T64(1) T64(2) T64(3) T64(4) T64(5) T64(6) T64(7)};
#define FUNCTIONS (sizeof functions / sizeof functions[0])

static NOINLINE uint32_t call_in_turn(uint32_t x)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        x = functions[i](x);
    return x;
}

static NOINLINE uint32_t call_at_random(uint32_t x, uint64_t seed)
{
    for (unsigned i = 0; i < FUNCTIONS; i++)
        x = functions[guest_random(&seed) % FUNCTIONS](x);
    return x;
}

/* Direct calls, so that it is not only the indirect predictor that is asked. */
static NOINLINE uint32_t call_far_apart(uint32_t x)
{
    return f000(f777(f100(f600(f200(f500(f300(f400(x))))))));
}

static int guest_main(void)
{
    uint32_t x = 1, y = 1;

    for (unsigned n = 0; n < ROUNDS; n++) {
        x = call_far_apart(call_at_random(call_in_turn(x), n));
        y = call_far_apart(call_at_random(call_in_turn(y), n));
    }
    return EXPECT(x == y && FUNCTIONS == 512);
}
