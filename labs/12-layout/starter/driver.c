/* driver.c - calls one kernel on words drawn from a seed, with the call marked as a region for quern.
 *
 *   ./layout scan 1000 20            n, m: prints "right" or "wrong"
 *   ./layout plain-scan 1000 20      scan and lookup without a layout of their own, to compare with
 *   ./layout events 1000 4000 7      words from seed 7
 *
 * It has its own plain kernels, to compare results; those of your variant's rules (rules.h).  Kernels run on a stack of their own (stack.h).
 */
#define _GNU_SOURCE
#include <string.h>

#include "kernels.h"
#include "quern.h"
#include "rules.h"
#include "stack.h"

#define WORDS 131072 /* in each */

unsigned in[WORDS] __attribute__((aligned(65536))), room[WORDS] __attribute__((aligned(65536))), out[WORDS] __attribute__((aligned(65536)));
static unsigned scratch[WORDS], wanted[WORDS];

static void plain_scan(long n, long m, const unsigned *from, unsigned *x, unsigned *to)
{
    unsigned carry = 0;

    for (long i = 0; i < n * WORDS_EACH; i++)
        x[i] = from[i];
    for (long round = 0; round < m; round++)
        for (unsigned *p = x; p < x + n * WORDS_EACH; p += WORDS_EACH) {
            carry = 5 * carry + p[X];
            p[X] += p[V] ^ carry;
        }
    for (long i = 0; i < n; i++)
        to[i] = x[i * WORDS_EACH + X];
}

static void plain_lookup(long n, long m, const unsigned *from, unsigned *unused, unsigned *to)
{
    unsigned h = 0;

    (void)unused;
    for (long i = 0; i < m; i++) {
        long record = h % n;

        for (long f = 0; f < FIELDS; f++)
            h = HASH(h, from[(BACKWARDS ? FIELDS - 1 - f : f) * n + record]);
        to[i] = h;
    }
}

/* Looks at all events for the next. */
static void plain_events(long n, long m, const unsigned *from, unsigned *time, unsigned *to)
{
    unsigned h = 0;

    for (long i = 0; i < n; i++)
        time[i] = from[i * WORDS_EACH] % 64;
    for (long step = 0; step < m; step++) {
        long next = 0;

        for (long i = 1; i < n; i++)
            if (time[i] < time[next] || (LAST_OF_EQUALS && time[i] == time[next]))
                next = i;
        for (long word = 1; word < WORDS_EACH; word++)
            h = HASH(h, from[next * WORDS_EACH + word]);
        to[step] = h;
        time[next] += 1 + h % SPREAD;
    }
}

typedef void kernel(long n, long m, const unsigned *in, unsigned *room, unsigned *out);

static const struct choice {
    const char *name;
    kernel *measured, *plain;
} choices[] = {
    { "scan", scan, plain_scan }, { "plain-scan", plain_scan, plain_scan }, { "lookup", lookup, plain_lookup },
    { "plain-lookup", plain_lookup, plain_lookup }, { "events", events, plain_events },
};

static const struct choice *chosen;
static long n, m;

static void measure(void)
{
    QUERN_REGION_BEGIN("kernel");
    chosen->measured(n, m, in, room, out);
    QUERN_REGION_END("kernel");
}

int main(int argc, char **argv)
{
    for (unsigned i = 0; argc > 3 && i < sizeof choices / sizeof *choices; i++)
        chosen = strcmp(argv[1], choices[i].name) ? chosen : &choices[i];
    n = argc > 3 ? atol(argv[2]) : 0;
    m = argc > 3 ? atol(argv[3]) : 0;
    if (!chosen || n < 1 || m < 0 || n > 4096 || m > WORDS)
        return fprintf(stderr, "usage: layout scan N ROUNDS | lookup N LOOKUPS | events N STEPS [SEED], at most 4096 and 131072\n"), 2;
    state = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    for (long i = 0; i < WORDS; i++)
        in[i] = (unsigned)draw(1ull << 32);
    call_on_stack(measure);
    chosen->plain(n, m, in, scratch, wanted);
    puts(memcmp(out, wanted, sizeof out) ? "wrong" : "right");
    return memcmp(out, wanted, sizeof out) != 0;
}
