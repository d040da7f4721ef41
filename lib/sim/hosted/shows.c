/* sim/hosted/shows.c - what a predictor shows of a branch, as text: the services sim_show_* of module.h.
 *
 *   index=18 history=0b0110 counter=2>3/0:3 weights=4;-1>5;-2/-128:127 target=0x401136
 *
 * A number, bits, an address; a counter or weights, each `before>after/least:most`.  Bytes that have not moved are written once more.
 */
#include <stdio.h>
#include <string.h>

#include "sim/hosted/hosted.h"

#define NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-"

enum kind { NUMBER, BITS, ADDRESS, BYTES };

static struct shown {
    char name[SIM_SHOWN_NAME];
    enum kind kind;
    uint64_t value;
    unsigned n;                 /* bits, bytes */
    const uint8_t *bytes;       /* of the module */
    uint8_t before[SIM_SHOWN_WEIGHTS];
    int least, most;
} list[SIM_SHOWN_MAX];
static unsigned count;

void hosted_shown_clear(void) { count = 0; }

static void check(bool good, const char *what)
{
    if (!good)
        sim_fail("?", "?", "predictor_show", 0, what);
}

static struct shown *add(const char *name, enum kind kind)
{
    size_t n = strlen(name);

    check(count < SIM_SHOWN_MAX, "shows too much: sixteen things at most");
    check(n && n < SIM_SHOWN_NAME && !name[strspn(name, NAME_LETTERS)], "a name has 1 to 23 letters, digits and minuses");
    list[count] = (struct shown){.kind = kind};
    memcpy(list[count].name, name, n + 1);
    return &list[count++];
}

static void add_bytes(const char *name, const void *bytes, unsigned n, int least, int most)
{
    struct shown *s = add(name, BYTES);

    check(n && n <= SIM_SHOWN_WEIGHTS, "shows too much: 1 to 64 weights");
    check(least < most && least >= -128 && most <= (least < 0 ? 127 : 255), "a counter of one byte goes from -128 to 127 at most, or from 0 to 255");
    s->bytes = bytes;
    s->n = n;
    s->least = least;
    s->most = most;
    memcpy(s->before, bytes, n);
}

void sim_show_number(const char *name, int64_t number) { add(name, NUMBER)->value = (uint64_t)number; }
void sim_show_address(const char *name, uint64_t address) { add(name, ADDRESS)->value = address; }
void sim_show_counter(const char *name, const void *byte, int least, int most) { add_bytes(name, byte, 1, least, most); }
void sim_show_weights(const char *name, const int8_t *weights, unsigned n) { add_bytes(name, weights, n, -128, 127); }

void sim_show_bits(const char *name, uint64_t bits, unsigned n)
{
    struct shown *s = add(name, BITS);

    check(n <= 64, "shows too much: 64 bits at most");
    s->value = bits;
    s->n = n;
}

static void put_bytes(FILE *f, const struct shown *s, const uint8_t *bytes)
{
    for (unsigned i = 0; i < s->n; i++)
        fprintf(f, "%s%d", i ? ";" : "", s->least < 0 ? (int8_t)bytes[i] : bytes[i]);
}

static void put(FILE *f, const struct shown *s)
{
    switch (s->kind) {
    case NUMBER:
        fprintf(f, "%lld", (long long)s->value);
        break;
    case BITS:
        fputs("0b", f);
        for (unsigned i = s->n; i-- > 0;)
            putc('0' + (int)(s->value >> i & 1), f);
        break;
    case ADDRESS:
        fprintf(f, "0x%llx", (unsigned long long)s->value);
        break;
    case BYTES:
        put_bytes(f, s, s->before);
        putc('>', f);
        put_bytes(f, s, s->bytes);
        fprintf(f, "/%d:%d", s->least, s->most);
    }
}

void hosted_shown_put(FILE *f)
{
    for (unsigned i = 0; i < count; i++) {
        fprintf(f, "%s%s=", i ? " " : "", list[i].name);
        put(f, &list[i]);
    }
}
