/* tests/unit/sim/sizes.c - D1s of other sizes, step by step; and random references beside caches of lists. */
#define ANALYSIS_FILE "sim/analysis/sizes.c"
#include "draw_analysis.h"

/* ---- beside lists, told of lines that come near and leave ---- */

#define WAYS_MAX 12u
#define SETS_MAX 256u

struct list {
    uint64_t line[WAYS_MAX];
    unsigned n;
};

/* Is it there?  It moves to the front, and of more than `room` the last one goes; *gone: that one, or SIM_NO_LINE. */
static bool list_touch(struct list *l, uint64_t line, unsigned most, uint64_t *gone)
{
    unsigned at = 0;
    bool hit;

    while (at < l->n && l->line[at] != line)
        at++;
    hit = at < l->n;
    *gone = !hit && l->n == most ? l->line[most - 1] : SIM_NO_LINE;
    if (!hit && l->n < most)
        l->n++;
    at = hit ? at : l->n - 1;
    memmove(l->line + 1, l->line, at * sizeof *l->line);
    l->line[0] = line;
    return hit;
}

/* References to so many lines in caches of so many ways, recent lines told apart; wrong counts. */
static unsigned follow(unsigned most, unsigned recent_lines, uint32_t lines, const char *sizes)
{
    static struct list caches_of[SIZES_MAX][SETS_MAX];
    struct sim_config config = {.slot = "AN", .size = 8 * most * LINE, .ways = most, .line = LINE, .sets = 8, .line_bits = 6,
                                .LL_sets = 1, .LL_line_bits = 6};
    struct list recent_list = {.n = 0};
    uint64_t wanted[SIZES_MAX] = {0}, state = 1, gone;
    unsigned wrong = 0, least;

    memset(caches_of, 0, sizeof caches_of);
    sim = config;
    hosted_options = sizes;
    n_sizes = n_caches = n_waiting = first_waiting = 0;
    begin_tables();
    analysis_init(&config);
    least = (caches[0].set_mask + 1) >> (caches[0].n - 1);
    for (unsigned i = 0; i < 60000; i++) {
        unsigned touched = sim_random_below(&state, 8) ? 1 : 2, miss[SIZES_MAX] = {0};
        uint64_t first = sim_random_below(&state, sim_random_below(&state, lines) + 1);
        struct sim_record uses[4];
        uint32_t n = 0, last = 0;

        for (uint64_t line = first; line < first + touched; line++) {
            for (unsigned k = 0; k < n_sizes; k++)
                miss[k] |= !list_touch(&caches_of[k][line & ((least << k) - 1)], line, most, &gone);
            last = n;
            if (list_touch(&recent_list, line, recent_lines, &gone)) {
                uses[n++] = (struct sim_record){.line = line * LINE, .what = SIM_RECENT | SIM_MORE};
                continue;
            }
            if (gone != SIM_NO_LINE)
                uses[n++] = (struct sim_record){.line = gone * LINE, .what = SIM_LEFT};
            last = n;
            uses[n++] = (struct sim_record){.line = line * LINE, .what = SIM_MORE};
        }
        uses[last].what &= (uint8_t)~SIM_MORE;
        analysis_observe(uses, n);
        for (unsigned k = 0; k < n_sizes; k++)
            wanted[k] += miss[k];
    }
    for (unsigned k = 0; k < n_sizes; k++) {
        uint64_t got = 0;

        for (unsigned i = k + 1; i <= n_sizes; i++)
            got += missed[0][i];
        wrong += got != wanted[k];
    }
    return wrong;
}

int main(void)
{
    /* Two sets of one line, halved to one, doubled to four.  A C A C B B D A: lines 0 2 0 2 1 1 3 0; one set misses all but the second B;
     * two sets: A C A C miss, B, then D, too, and A; four sets: A, C, B, D miss for the first time. */
    begin(2 * LINE, "larger=1");
    for (const char *r = "ACACBBDA"; *r; r++)
        data(*r, false);
    says("AN: misses of D1s by size, 1 ways, lines of 64 bytes: reads, writes\n"
         "AN: 64 bytes: 7 0\nAN: 128 bytes: 7 0\nAN: 256 bytes: 4 0\n");

    /* A write over two lines is one miss, and so it is if the second one alone misses. */
    n_sizes = n_caches = 0;
    begin(2 * LINE, "smaller=0,larger=1");
    for (uint64_t at = LINE - 4; at < 3 * LINE; at += LINE)
        analysis_ref(&(struct sim_ref){.addr = at, .size = 8, .kind = SIM_WRITE});
    says("AN: misses of D1s by size, 1 ways, lines of 64 bytes: reads, writes\nAN: 128 bytes: 0 3\nAN: 256 bytes: 0 3\n");

    /* The last line of all. */
    n_sizes = n_caches = 0;
    begin(2 * LINE, "smaller=0,larger=0");
    analysis_ref(&(struct sim_ref){.addr = 0 - UINT64_C(8), .size = 8, .kind = SIM_READ});
    says("AN: misses of D1s by size, 1 ways, lines of 64 bytes: reads, writes\nAN: 128 bytes: 1 0\n");

    is_int(follow(1, 1, 40, "smaller=3,larger=4"), 0, "one way, 40 lines");
    is_int(follow(2, 1, 100, "smaller=3,larger=4"), 0, "two ways, fewer recent lines than ways");
    is_int(follow(4, 4, 300, "smaller=3,larger=5"), 0, "four ways, 300 lines");
    is_int(follow(8, 8, 3000, "smaller=3,larger=5"), 0, "eight ways, 3000 lines");
    is_int(follow(8, 4, 900, "smaller=2,larger=4"), 0, "eight ways, 900 lines, half as many recent lines as ways");
    is_int(follow(12, 8, 1000, "smaller=1,larger=3"), 0, "twelve ways, which are no power of two");
    is_int(follow(9, 8, 100, "smaller=3,larger=2"), 0, "nine ways, 100 lines");
    return done_testing();
}
