/* What does a map of code made at run time say of an address?  Also where ranges overlap, and beside a search of all lines. */
#include "cost/jit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static const char text[] = "1000 100 JS:*sum /home/me/sum.js:3:13\n"
                           "2000 80 Builtin:Call\n"
                           "nonsense\n"
                           "3000 0 empty\n"
                           "1080 40 JS:~inner file:///x.js:7:1\n"
                           "4000 10 has a: blank:5\n"
                           "5000 ffffffffffffffff too long\n"
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

int main(void)
{
    by_hand();
    at_random();
    ok(!qn_cost_read_jit("/nonexistent/perf-1.map", 0), "a file that is not there");
    return done_testing();
}
