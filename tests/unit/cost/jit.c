/* What does a map of code made at run time say of an address?  Also where ranges overlap, and beside a search of all lines. */
#include "cost/places/jit.h"

#include <stdio.h>

#include "tap.h"

static const char text[] = "1000 100 JS:*sum /home/me/sum.js:3:13\n"
                           "2000 80 Builtin:Call\n"
                           "nonsense\n"
                           "3000 0 empty\n"
                           "1080 40 JS:~inner file:///x.js:7:1\n"
                           "4000 10 has a: blank:5\n"
                           "5000 ffffffffffffffff too long\n"
                           "7000 10 JS:^walk /my dir/app.js:1:14\n"
                           "7010 10 JS:*get x file:///my%20dir/a%2fb%zz.js:2:1\n"
                           "7020 10 JS:*next webpack://app/./src/my file.js:30:1\n"
                           "7030 10 JS:~ node:internal/main:5:3\n"
                           "7040 10 JS:*run evalmachine.<anonymous>:6:1\n"
                           "7050 10 JS:*far file://host/x.js:8:1\n"
                           "0x6000 0x10 with prefix";

static void says(const struct qn_cost_jit *j, uint64_t address, const char *function, const char *file, uint32_t line, uint64_t end)
{
    struct qn_cost_jit_place p;

    ok(qn_cost_find_jit(j, address, &p), "%s is found", function);
    is_str(p.function, function, "its name");
    is_str(p.file ? p.file : "", file, "its file");
    is_int(p.line, line, "its line");
    is_int((long long)p.end, (long long)end, "where it ends");
}

static void by_hand(void)
{
    struct qn_cost_jit *j = qn_cost_parse_jit(text, strlen(text));
    struct qn_cost_jit_place p;

    says(j, 0x1000, "JS:*sum", "/home/me/sum.js", 3, 0x1080);
    says(j, 0x1080, "JS:~inner", "/x.js", 7, 0x10c0);
    says(j, 0x10c0, "JS:*sum", "/home/me/sum.js", 3, 0x1100);
    says(j, 0x2010, "Builtin:Call", "", 0, 0x2080);
    says(j, 0x4000, "has a: blank:5", "", 0, 0x4010);
    says(j, 0x600f, "with prefix", "", 0, 0x6010);
    says(j, 0x7000, "JS:^walk", "/my dir/app.js", 1, 0x7010);
    says(j, 0x7010, "JS:*get x", "/my dir/a/b%zz.js", 2, 0x7020);
    says(j, 0x7020, "JS:*next", "webpack://app/./src/my file.js", 30, 0x7030);
    says(j, 0x7030, "JS:~", "node:internal/main", 5, 0x7040);
    says(j, 0x7040, "JS:*run", "evalmachine.<anonymous>", 6, 0x7050);
    says(j, 0x7050, "JS:*far", "/x.js", 8, 0x7060);
    ok(!qn_cost_find_jit(j, 0x1100, &p), "behind the end there is nothing");
    is_int((long long)p.end, 0x2000, "... up to the next one");
    ok(!qn_cost_find_jit(j, 0x3000, &p), "a range without bytes is none");
    ok(!qn_cost_find_jit(j, 0x5000, &p), "a range that ends below its start is none");
    qn_cost_free_jit(j);
}

#define LINES 300

static void at_random(void)
{
    static char map[LINES * 40];
    unsigned start[LINES], size[LINES], different = 0;
    size_t used = 0;

    srand(1);
    for (int i = 0; i < LINES; i++) {
        start[i] = (unsigned)rand() % 20000;
        size[i] = 1 + (unsigned)rand() % 300;
        used += (size_t)snprintf(map + used, sizeof map - used, "%x %x f%d\n", start[i], size[i], i);
    }
    struct qn_cost_jit *j = qn_cost_parse_jit(map, used);
    for (unsigned a = 0, until = 0; a < 21000; a++) {
        struct qn_cost_jit_place p;
        char wanted[16] = "";

        for (int i = 0; i < LINES; i++)
            if (a - start[i] < size[i])
                snprintf(wanted, sizeof wanted, "f%d", i);
        different += strcmp(qn_cost_find_jit(j, a, &p) ? p.function : "", wanted) != 0;
        unsigned end = p.end > 30000 ? 30000 : (unsigned)p.end;
        different += end <= a || (a < until && end != until); /* as long as an answer holds it is the same */
        until = end;
    }
    is_int(different, 0, "each address has the name of the last line that holds it");
    qn_cost_free_jit(j);
}

/* ---- jit-PID.dump ---- */

static unsigned char dump[4096];
static size_t dumped;

static void put(const void *bytes, size_t n)
{
    memcpy(dump + dumped, bytes, n);
    dumped += n;
}

static void put32(uint32_t n) { put(&n, sizeof n); }
static void put64(uint64_t n) { put(&n, sizeof n); }
static void put_text(const char *text) { put(text, strlen(text) + 1); }

static void begin_record(uint32_t what, uint32_t size)
{
    put32(what);
    put32(16 + size);
    put64(0);
}

static void put_load(uint64_t start, uint64_t size, const char *name)
{
    begin_record(0, (uint32_t)(40 + strlen(name) + 1 + size));
    put32(7), put32(7), put64(start), put64(start), put64(size), put64(1);
    put_text(name);
    for (uint64_t i = 0; i < size; i++)
        put("\x90", 1);
}

static void put_lines(uint64_t start, uint64_t from, const char *first, const char *second)
{
    begin_record(2, (uint32_t)(16 + 2 * 16 + strlen(first) + 1 + strlen(second) + 1));
    put64(start), put64(2);
    put64(from), put32(5), put32(0), put_text(first);
    put64(from + 4), put32(9), put32(0), put_text(second);
}

static void make_dump(void)
{
    dumped = 0;
    put32(0x4a695444), put32(1), put32(40), put32(62), put32(0), put32(7), put64(0), put64(0);
    put_load(0x1000, 16, "plain");
    put_lines(0x2000, 0x2000, "/src/a.py", "\xff");
    put_load(0x2000, 16, "py::f");
    put_lines(0x3000, 0x3040, "/src/b.js", "/src/c.js");
    put_load(0x3000, 16, "JS:*g /src/b.js:3:1");
    begin_record(1, 48);
    put32(7), put32(7), put64(0), put64(0x1000), put64(0x5000), put64(16), put64(1);
    begin_record(3, 0);
    put_load(0x1008, 8, "newer");
}

static void by_dump(void)
{
    struct qn_cost_jit *j;
    struct qn_cost_jit_place p;

    make_dump();
    j = qn_cost_parse_dump(dump, dumped);
    says(j, 0x1000, "plain", "", 0, 0x1008);
    says(j, 0x1008, "newer", "", 0, 0x1010);
    says(j, 0x2000, "py::f", "/src/a.py", 5, 0x2004);
    says(j, 0x2004, "py::f", "/src/a.py", 9, 0x2010);
    says(j, 0x3000, "JS:*g", "/src/b.js", 5, 0x3004);
    says(j, 0x3004, "JS:*g", "/src/c.js", 9, 0x3010);
    says(j, 0x5000, "plain", "", 0, 0x5010);
    qn_cost_free_jit(j);
    j = qn_cost_parse_dump(dump, dumped - 3);
    ok(qn_cost_find_jit(j, 0x1008, &p) && !strcmp(p.function, "plain"), "of a dump that is cut short, what is whole");
    qn_cost_free_jit(j);
    dump[0] ^= 1;
    j = qn_cost_parse_dump(dump, dumped);
    ok(!qn_cost_find_jit(j, 0x1000, &p), "a file of another kind tells nothing");
    qn_cost_free_jit(j);
    make_dump();
    for (size_t i = 40; i < dumped; i += 3) { /* damaged in one byte each: no crash, nothing read beyond the end (make sanitize) */
        dump[i] ^= 0xff;
        qn_cost_free_jit(qn_cost_parse_dump(dump, dumped));
        dump[i] ^= 0xff;
    }
    ok(true, "damaged dumps are survived");
}

int main(void)
{
    by_hand();
    by_dump();
    at_random();
    ok(!qn_cost_read_jit(-1, 0), "a file that is not there");
    return done_testing();
}
