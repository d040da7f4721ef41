/* sieve.c - the sieve of Eratosthenes, one bit per number: and/or of single bytes of memory, strides that are primes. */
#include "guest.h"

#define LIMIT 100000

static uint8_t composite[LIMIT / 8 + 1];

static NOINLINE void strike_multiples(unsigned prime)
{
    for (unsigned n = prime * prime; n <= LIMIT; n += prime)
        composite[n / 8] |= (uint8_t)(1u << n % 8);
}

static int is_prime(unsigned n)
{
    return !(composite[n / 8] >> n % 8 & 1);
}

static NOINLINE unsigned count_primes(void)
{
    unsigned count = 0;

    for (unsigned n = 2; n <= LIMIT; n++)
        count += is_prime(n);
    return count;
}

static int guest_main(void)
{
    for (unsigned n = 2; n * n <= LIMIT; n++)
        if (is_prime(n))
            strike_multiples(n);
    return EXPECT(count_primes() == 9592);
}
