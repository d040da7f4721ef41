/* How many steps has a repeated string instruction made?  Registers before and after, as processors leave them, and as none should. */
#include "tap.h"

#include <string.h>

#include "run/core/references/repetition.h"

#define HIGH 0x8000000000000000ull

static const struct {
    const char *bytes;
    uint64_t before[QN_REP_REGISTERS], after[QN_REP_REGISTERS];
    uint64_t steps;
    int64_t step;
    const char *what;
} cases[] = {
    {"\xf3\xa5", {8, 1000, 2000}, {5, 1012, 2012}, 3, 4, "rep movsd: three steps"},
    {"\xf3\xa5", {8, 1000, 2000}, {5, 988, 1988}, 3, -4, "... downwards"},
    {"\xf3\x48\xa5", {8, 1000, 2000}, {0, 1064, 2064}, 8, 8, "rep movsq: all"},
    {"\xf3\xa4", {8, 1000, 2000}, {8, 1000, 2000}, 0, 1, "rep movsb: none"},
    {"\xf3\xa4", {0, 1000, 2000}, {0, 1000, 2000}, 0, 1, "... nothing to do"},
    {"\xf3\xaa", {5, 7, 2000}, {1, 9, 2004}, 4, 1, "rep stosb does not use rsi"},
    {"\xf3\xac", {5, 1000, 7}, {1, 1004, 9}, 4, 1, "rep lodsb does not use rdi"},
    {"\xf2\xae", {~0ull, 7, 2000}, {~9ull, 7, 2009}, 9, 1, "repnz scasb with a count of -1"},
    {"\xf3\x67\xa4", {0x700000008, 1000, 2000}, {0x700000005, 1003, 2003}, 3, 1, "32-bit addresses: stopped at a fault"},
    {"\xf3\x67\xa4", {0x700000003, 0xffffffff, 2000}, {0, 2, 2003}, 3, 1, "... and beyond 4 GiB"},
    {"\xf3\x67\xa4", {3, 2, 2000}, {0, 0xffffffff, 1997}, 3, -1, "... downwards"},
    {"\xf2\x6e", {3, 1000, 0}, {3, 1000, 0}, 0, 1, "repnz outsb that faulted"},
    {"\xf2\x6e", {0, 0, 2001}, {3, 1000, 0}, 0, 1, "repnz outsb: registers of another instruction before"},
    {"\xf2\x6e", {0, 1000, 0}, {3, 1000, 0}, 0, 1, "the count grew"},
    {"\xf3\xa4", {0, 1003, 2003}, {3, 1000, 2000}, 0, 1, "... and the addresses went back"},
    {"\xf3\x67\xa4", {3, 1003, 2003}, {4, 1000, 2000}, 0, 1, "... with 32-bit addresses"},
    {"\xf3\xa5", {8, 1000, 2000}, {5, 1012, 2000}, 0, 4, "one address moved, the other did not"},
    {"\xf3\xa5", {8, 1000, 2000}, {5, 1003, 2003}, 0, 4, "addresses moved by less than the count"},
    {"\xf3\xa5", {8, 1000, 2000}, {5, 1000, 2000}, 0, 4, "only the count moved"},
    {"\xf3\xa5", {8, 1000, 2000}, {8, 1004, 2004}, 0, 4, "only the addresses moved"},
    {"\xf3\xaa", {~0ull, 0, 2000}, {0, 0, 2000}, 0, 1, "2^64 - 1 steps to nowhere"},
    {"\xf3\xaa", {HIGH, 0, 2000}, {HIGH - 1, 0, 2000 + HIGH}, 0, 1, "an address moved by 2^63"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct qn_insn in;
        struct qn_repetition r;

        if (qn_decode_insn((const uint8_t *)cases[i].bytes, strlen(cases[i].bytes), &in) != QN_DEC_OK)
            bail("no instruction: %s", cases[i].what);
        r = qn_repetition(&in, cases[i].before, cases[i].after);
        is_int(r.steps, cases[i].steps, "%s", cases[i].what);
        is_int(r.step, cases[i].step, "its step");
    }
    return done_testing();
}
