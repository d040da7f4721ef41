/* tests/unit/sim/mattson.c - stack distances, step by step: beside each reference its distance, that is how many other lines
 * were used since; then the curve. */
#define ANALYSIS_FILE "sim/analysis/mattson.c"
#include "draw_analysis.h"
#include "slow/stack.h"

/* Distances of a string of lines; - is a first reference. */
static void distances(const char *refs, const char *wanted)
{
    struct stack s = {0};
    char got[64] = "";

    stack_init(&s);
    for (unsigned i = 0; refs[i]; i++) {
        uint64_t d = stack_touch(&s, (uint64_t)(refs[i] - 'A'));

        got[i] = d == STACK_FIRST ? '-' : (char)('0' + d);
    }
    is_str(got, wanted, "distances of %s: %s", refs, wanted);
}

/* Distances by a list, the latest in front; the tree must say the same when its time runs out and lines are numbered anew. */
static void renumbering(void)
{
    static struct stack s;
    uint64_t list[8], n = 0, wrong = 0, random = 1;

    stack_init(&s);
    s.now = STACK_TIMES - 500; /* as if so many references had been made */
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t line = (sim_random_next(&random) >> 40) % 8, at = 0, d = stack_touch(&s, line);

        while (at < n && list[at] != line)
            at++;
        wrong += d != (at == n ? STACK_FIRST : at);
        n += at == n;
        memmove(list + 1, list, at * sizeof *list);
        list[0] = line;
    }
    is_int((int64_t)wrong, 0, "the same after the tree is full and starts again");
    ok(s.now < STACK_TIMES, "which happened");
}

int main(void)
{
    distances("AAAA", "-000");
    distances("ABAB", "--11");
    distances("ABCABC", "---222");
    distances("ABCCBA", "---012");
    distances("ABCDAABBCD", "----303033");
    renumbering();

    /* A B C A B D D A: distances - - - 2 2 - 0 2.  One line hits 1 of 8, two 1, three 4. */
    begin(4 * LINE, "sets=2,sizes=4");
    for (const char *r = "ABCABDDA"; *r; r++)
        data(*r, false);
    /* By set: A C A A is 0 and 1 and 0 in the even set, B B D D in the odd one: - - 1 0 and - 0 - 0. */
    finish();
    *strstr(said, "AN: 4 ways") = 0; /* and so on, to 64 */
    is_str(said, "AN: 8 lines touched; misses of a fully associative LRU cache:\n"
                 "AN: 1 lines: 7\nAN: 2 lines: 7\nAN: 3 lines: 4\nAN: 4 lines: 4\n"
                 "AN: misses with 2 sets:\n"
                 "AN: 1 ways: 5\nAN: 2 ways: 4\nAN: 3 ways: 4\n", "the curves");
    return done_testing();
}
