/*
 * Instructions as text. See insn.h.
 *
 * In:  {0x401136, 4, {0x48, 0x8b, 0x45, 0xf8}}
 * Out: "0x401136", "488b45f8"
 */
#include "prof/insn.h"

#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

char *qn_prof_format_address(char to[QN_PROF_INSN_TEXT], uint64_t address)
{
    int digits = address ? (67 - __builtin_clzll(address)) / 4 : 1;
    char *end = to + 2 + digits;

    *to++ = '0';
    *to++ = 'x';
    to[digits] = '\0';
    for (; digits-- > 0; address >>= 4)
        to[digits] = hex_digits[address & 15];
    return end;
}

void qn_prof_format_bytes(char to[QN_PROF_INSN_TEXT], const struct qn_prof_insn *insn)
{
    if (insn->length == 0) {
        memcpy(to, "-", 2);
        return;
    }
    for (int i = 0; i < insn->length; i++) {
        *to++ = hex_digits[insn->bytes[i] >> 4];
        *to++ = hex_digits[insn->bytes[i] & 15];
    }
    *to = '\0';
}

/* The value of a hexadecimal digit, or -1. */
static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20; /* to lower case */
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *qn_prof_parse_address(const char *text, uint64_t *address)
{
    const int digits_max = 16;
    if (text[0] != '0' || text[1] != 'x')
        return NULL;
    const char *from = text + 2, *p = from;
    *address = 0;
    for (; digit_of(*p) >= 0 && p - from < digits_max; p++)
        *address = *address << 4 | (uint64_t)digit_of(*p);
    return p == from || digit_of(*p) >= 0 ? NULL : p;
}

const char *qn_prof_parse_bytes(const char *text, struct qn_prof_insn *insn)
{
    insn->length = 0;
    memset(insn->bytes, 0, sizeof insn->bytes);
    if (*text == '-')
        return text + 1;
    for (; digit_of(text[0]) >= 0; text += 2) {
        if (digit_of(text[1]) < 0 || insn->length == QN_PROF_INSN_BYTES)
            return NULL;
        insn->bytes[insn->length++] = (uint8_t)(digit_of(text[0]) << 4 | digit_of(text[1]));
    }
    return insn->length ? text : NULL;
}

int qn_prof_same_insn(const struct qn_prof_insn *a, const struct qn_prof_insn *b)
{
    return a->address == b->address && a->length == b->length &&
           memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}
