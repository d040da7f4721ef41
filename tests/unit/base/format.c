/* The engine's printf beside the C library's: conversions, flags, widths, precisions, lengths and values at random; strings that end nowhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

#include "tap.h"

#define TIMES 200000

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat"

static uint64_t random_state = 1;

static uint64_t next(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 20 ^ random_state << 40;
}

static uint32_t below(uint32_t n) { return (uint32_t)(next() % n); }

/* "%-08.3ld", for integers, characters or strings; flags that the C standard does not define together are not. */
static char make(char *to)
{
    static const char kinds[] = "diuxXocs", *const lengths[] = {"", "l", "ll", "z", "h", "hh"};
    char kind = kinds[below(sizeof kinds - 1)];
    bool integer = !strchr("cs", kind), is_signed = strchr("di", kind);

    *to++ = '%';
    if (below(3) == 0) *to++ = '-';
    if (integer && below(3) == 0) *to++ = '0';
    if (is_signed && below(4) == 0) *to++ = below(2) ? '+' : ' ';
    if (strchr("xX", kind) && below(3) == 0) *to++ = '#';
    if (below(2)) to += sprintf(to, "%u", below(30) + 1);
    if (kind != 'c' && below(3) == 0) to += sprintf(to, ".%u", below(25));
    if (integer) to += sprintf(to, "%s", lengths[below(6)]);
    *to++ = kind;
    *to = 0;
    return kind;
}

static unsigned differ_at_random(void)
{
    static const char *const strings[] = {"", "x", "a word", "something longer than its field"};
    unsigned differ = 0;

    for (unsigned i = 0; i < TIMES; i++) {
        char format[64] = "<", theirs[128], ours[128];
        size_t room = 1 + below(sizeof ours), n;
        char kind = make(format + 1);
        uint64_t value = below(4) ? next() >> below(64) : 0;
        const char *text = strings[below(4)];

        strcat(format, ">%s %lu");
        memset(ours, '!', sizeof ours);
        if (kind == 's') {
            snprintf(theirs, room, format, text, "end", value);
            n = qn_format(ours, room, format, text, "end", value);
        } else {
            value = kind == 'c' ? 'a' + value % 26 : value;
            snprintf(theirs, room, format, value, "end", value);
            n = qn_format(ours, room, format, value, "end", value);
        }
        if (!strcmp(ours, theirs) && n == strlen(theirs))
            continue;
        if (!differ++)
            diag("%s of %lx, room for %zu: got '%s', wanted '%s'", format, value, room, ours, theirs);
    }
    return differ;
}

/* All that can be read.  The string has no end, so it ends where the memory does. */
static struct {
    uint64_t registers[6];
    double vectors[6];
    char text[8];
} memory = {{0, 0, 8, 8, 16, 17}, {3.14159, 0, -2.75, 0, 1e10, 0}, "no end! "};

static bool read_some(uint64_t from, void *to, size_t n)
{
    uint64_t at = from - (uintptr_t)&memory;

    if (at >= sizeof memory || n > sizeof memory - at)
        return false;
    memcpy(to, (const void *)(uintptr_t)from, n);
    return true;
}

static const struct {
    uint32_t gp, fp;
    uint64_t overflow, saved;
} list = {0, 48, 8, (uintptr_t)&memory}; /* a va_list */

/* From 2^-7 to 2^40, quarters and eighths among them, whose last digit is a tie. */
static unsigned doubles_differ(void)
{
    unsigned differ = 0;

    for (unsigned i = 0; i < TIMES; i++) {
        unsigned precision = below(12);
        char ours[80], theirs[80], format[16];

        memory.vectors[0] = (below(2) ? 1.0 : -1.0) * (below(2) ? below(4000) / 8.0 : (double)(1 + next() % (1ull << 53)) / (double)(1ull << below(40) << 6));
        sprintf(format, "%%%u.%uf", below(20), precision);
        snprintf(theirs, sizeof theirs, format, memory.vectors[0]);
        qn_format_by(ours, sizeof ours, format, &list, read_some);
        if (strcmp(ours, theirs) && !differ++)
            diag("%s: got '%s', wanted '%s'", format, ours, theirs);
    }
    return differ;
}

static void test_other_memory(void)
{
    char text[80];
    size_t n;

    memory.registers[0] = memory.registers[1] = (uintptr_t)memory.text;
    n = qn_format_by(text, sizeof text, "%s|%.2s|%s|%5.2s|%d|%d|%d", &list, read_some);
    is_str(text, "no end! |no|(?)|  (?)|16|17|0", "strings and numbers that can and cannot be read");
    is_int((int64_t)n, (int64_t)strlen(text), "length");
    qn_format_by(text, sizeof text, "%5.2f|%-7.1f|%f|%.2f", &list, read_some);
    is_str(text, " 3.14|-2.8   |10000000000.000000|0.00", "doubles");
    n = qn_format_by(text, 4, "%5.2f|", &list, read_some);
    is_str(text, " 3.", "cut to its room");
    is_int((int64_t)n, 6, "what there would have been");
}

int main(void)
{
    is_int(doubles_differ(), 0, "of %d doubles differ", TIMES);
    memory.vectors[0] = 3.14159;
    is_int(differ_at_random(), 0, "of %d conversions at random differ from snprintf's", TIMES);
    test_other_memory();
    return done_testing();
}
