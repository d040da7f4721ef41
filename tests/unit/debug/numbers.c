/* Numbers and strings of DWARF, sound and cut off. */
#include "../../../lib/debug/lines.c"
#include "tap.h"

static struct reader over(const char *bytes, size_t n)
{
    return (struct reader){ (const uint8_t *)bytes, (const uint8_t *)bytes + n, false };
}

int main(void)
{
    struct reader r = over("\xe5\x8e\x26\x7f\x80\x7f", 6);

    is_int(read_uleb(&r), 624485, "an unsigned LEB128");
    is_int(read_sleb(&r), -1, "a signed one");
    is_int(read_sleb(&r), -128, "of two bytes");
    ok(!r.bad && r.at == r.end, "all is read");
    is_int(read_uleb(&r), 0, "nothing behind the end");
    ok(r.bad, "and that is noticed");
    r = over("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    is_int(read_uleb(&r), -1, "more bits than fit are dropped");
    r = over("\x80\x80", 2);
    read_sleb(&r);
    ok(r.bad, "a number without end");
    r = over("\x34\x12\x78\x56\x34\x12", 6);
    is_int(read_bytes(&r, 2), 0x1234, "two bytes");
    is_int(read_bytes(&r, 4), 0x12345678, "four bytes");
    r = over("\1\2\3", 3);
    is_int(read_bytes(&r, 4), 0, "four bytes of three");
    ok(r.bad && r.at == r.end, "are none");
    r = over("abc\0de", 6);
    is_str(read_string(&r), "abc", "a string");
    is_str(read_string(&r), "", "a string without end is empty");
    ok(r.bad, "and damage");
    r = over("abc", 3);
    skip_bytes(&r, UINT64_MAX);
    ok(r.bad && r.at == r.end, "a skip behind the end stops there");
    return done_testing();
}
