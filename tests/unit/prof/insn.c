/* Are instructions of profiles read and written as the format has them, and nothing else taken for one? */
#include "tap.h"

#include "prof/insn.h"

static const char *round_trip(const char *address, const char *bytes)
{
    static char text[2 * QN_PROF_INSN_TEXT + 1];
    struct qn_prof_insn insn;
    const char *end = qn_prof_parse_address(address, &insn.address);
    if (!end || *end)
        return "bad address";
    end = qn_prof_parse_bytes(bytes, &insn);
    if (!end || *end)
        return "bad bytes";
    qn_prof_format_address(text, insn.address);
    strcat(text, " ");
    qn_prof_format_bytes(text + strlen(text), &insn);
    return text;
}

int main(void)
{
    struct qn_prof_insn a = {0}, b = {0};

    is_str(round_trip("0x401136", "488b45f8"), "0x401136 488b45f8", "an instruction");
    is_str(round_trip("0xFFFFFFFFFFFFFFFF", "0f1f8400000000000000000000ABCD"),
           "0xffffffffffffffff 0f1f8400000000000000000000abcd", "the longest, with capitals");
    is_str(round_trip("0x0", "-"), "0x0 -", "bytes that are not known");
    is_str(round_trip("401136", "90"), "bad address", "no 0x");
    is_str(round_trip("0x", "90"), "bad address", "no digits");
    is_str(round_trip("0x1ffffffffffffffff", "90"), "bad address", "more than 64 bits");
    is_str(round_trip("0x12g", "90"), "bad address", "a letter that is no digit");
    is_str(round_trip("0x1", "9"), "bad bytes", "half a byte");
    is_str(round_trip("0x1", ""), "bad bytes", "no bytes");
    is_str(round_trip("0x1", "90 90"), "bad bytes", "a blank between bytes");
    is_str(round_trip("0x1", "00112233445566778899aabbccddeeff"), "bad bytes", "sixteen bytes");

    qn_prof_parse_bytes("0f0b", &a);
    qn_prof_parse_bytes("90", &b);
    ok(!qn_prof_same_insn(&a, &b), "other bytes, another instruction");
    qn_prof_parse_bytes("0f", &a);
    qn_prof_parse_bytes("0f00", &b);
    ok(!qn_prof_same_insn(&a, &b), "another length, too");
    qn_prof_parse_bytes("0f0b", &a);
    qn_prof_parse_bytes("0f0b", &b);
    ok(qn_prof_same_insn(&a, &b), "the same is the same, whatever stood there before");
    b.address = 1;
    ok(!qn_prof_same_insn(&a, &b), "elsewhere it is another one");
    return done_testing();
}
