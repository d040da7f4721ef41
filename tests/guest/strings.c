/* strings.c - the string functions of a textbook libc: length, copy, compare, search, reverse, number to text. */
#include "guest.h"

static const char text[] =
    "the quern is turned by hand and what was grain becomes flour and what was flour becomes bread "
    "and who turns it knows how the stones lie and which way they run";
static char copy[sizeof text + 32];

static NOINLINE size_t length(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

static NOINLINE char *copy_text(char *to, const char *from)
{
    char *start = to;

    while ((*to++ = *from++))
        continue;
    return start;
}

static NOINLINE int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (uint8_t)*a - (uint8_t)*b;
}

static NOINLINE const char *search(const char *haystack, const char *needle)
{
    for (; *haystack; haystack++) {
        size_t i = 0;

        while (needle[i] && needle[i] == haystack[i])
            i++;
        if (!needle[i])
            return haystack;
    }
    return NULL;
}

static NOINLINE void reverse(char *s, size_t n)
{
    for (size_t i = 0, j = n; i + 1 < j; i++) {
        char c = s[i];

        s[i] = s[--j];
        s[j] = c;
    }
}

static NOINLINE size_t print_number(char *to, uint64_t number, unsigned base)
{
    size_t n = 0;

    do {
        to[n++] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number);
    to[n] = 0;
    reverse(to, n);
    return n;
}

static int guest_main(void)
{
    int wrong = 0;
    char digits[80];

    for (unsigned offset = 0; offset < 32; offset++) {
        copy_text(copy + offset, text + offset);
        wrong += compare(copy + offset, text + offset) != 0;
        reverse(copy + offset, length(copy + offset));
        reverse(copy + offset, length(copy + offset));
        wrong += compare(copy + offset, text + offset) != 0;
    }
    for (uint64_t n = 1; n < 1u << 31; n *= 3)
        wrong += print_number(digits, n, 2) < print_number(digits, n, 16);
    wrong += search(text, "flour becomes") != text + 74;
    wrong += search(text, "sieve") != NULL;
    wrong += print_number(digits, 18446744073709551615u, 10) != 20 || compare(digits, "18446744073709551615") != 0;
    return EXPECT(wrong == 0);
}
