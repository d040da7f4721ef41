/* calls.c - indirect calls: a table of functions in turn, at random, and "virtual" methods behind a pointer. */
#include "guest.h"

#define ROUNDS 4000

typedef uint64_t (*operation)(uint64_t, uint64_t);

static NOINLINE uint64_t add(uint64_t x, uint64_t y) { return x + y; }
static NOINLINE uint64_t subtract(uint64_t x, uint64_t y) { return x - y; }
static NOINLINE uint64_t exclusive(uint64_t x, uint64_t y) { return x ^ y; }
static NOINLINE uint64_t rotate(uint64_t x, uint64_t y) { return x << 7 | x >> 57 | (y & 0); }
static NOINLINE uint64_t multiply(uint64_t x, uint64_t y) { return x * (y | 1); }

static operation const operations[] = {add, subtract, exclusive, rotate, multiply};
#define OPERATIONS (sizeof operations / sizeof operations[0])

struct shape {
    const struct shape_methods *methods;
    uint32_t width, height;
};

struct shape_methods {
    uint32_t (*area)(const struct shape *);
    uint32_t (*edge)(const struct shape *);
};

static uint32_t rectangle_area(const struct shape *s) { return s->width * s->height; }
static uint32_t rectangle_edge(const struct shape *s) { return 2 * (s->width + s->height); }
static uint32_t triangle_area(const struct shape *s) { return s->width * s->height / 2; }
static uint32_t triangle_edge(const struct shape *s) { return 3 * s->width; }

static const struct shape_methods rectangle = {rectangle_area, rectangle_edge};
static const struct shape_methods triangle = {triangle_area, triangle_edge};
static struct shape shapes[64];

static NOINLINE uint64_t run_in_turn(void)
{
    uint64_t x = 1;

    for (unsigned n = 0; n < ROUNDS; n++)
        x = operations[n % OPERATIONS](x, n);
    return x;
}

static NOINLINE uint64_t run_at_random(uint64_t seed)
{
    uint64_t x = 1;

    for (unsigned n = 0; n < ROUNDS; n++)
        x = operations[guest_random(&seed) % OPERATIONS](x, n);
    return x;
}

static NOINLINE uint32_t measure_shapes(unsigned rounds)
{
    uint32_t sum = 0;

    while (rounds-- > 0)
        for (unsigned i = 0; i < 64; i++)
            sum += shapes[i].methods->area(&shapes[i]) + shapes[i].methods->edge(&shapes[i]);
    return sum;
}

static int guest_main(void)
{
    for (uint32_t i = 0; i < 64; i++)
        shapes[i] = (struct shape){i % 3 ? &rectangle : &triangle, i, 2};
    return EXPECT(run_in_turn() == run_in_turn() && run_at_random(3) == run_at_random(3) &&
                  measure_shapes(20) == 20 * 8232);
}
