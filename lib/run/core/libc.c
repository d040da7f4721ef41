/* lib/run/core/libc.c - the four functions that the compiler expects to exist. */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t __attribute__((may_alias, aligned(1))) any_word; /* any eight bytes */

#define LONG 512u /* bytes from which the string instruction is faster */

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if (n >= LONG) {
        size_t words = n / 8;

        __asm__ volatile("rep movsq" : "+D"(t), "+S"(f), "+c"(words) : : "memory");
        n %= 8;
    }
    for (; n >= 8; n -= 8, t += 8, f += 8)
        *(any_word *)t = *(const any_word *)f;
    while (n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;

    if (t <= f)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int value, size_t n)
{
    void *t = to;

    __asm__ volatile("rep stosb" : "+D"(t), "+c"(n) : "a"(value) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *x = a, *y = b;

    for (; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}
