/* tests/unit/sim/fnlmma.c - footprint next line and multiple miss ahead, step by step: + marks a guess. */
#define LEVEL_FILE "sim/prefetch/fnlmma.c"
#define MARKS "+"
#include "draw_level.h"

static const char *draw(void) { return draw_lines(&level_lines); }

static void walk(const unsigned *lines, unsigned n)
{
    *asked = 0;
    for (unsigned i = 0; i < n; i++)
        UNIT_OBJECT.ref((uint64_t)lines[i] * LINE, 8, SIM_FETCH);
}

#define WALK(...) walk((const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned))

static bool has(unsigned line) { return lines_has(&level_lines, (uint64_t)line * LINE); }

int main(void)
{
    enum { F = 1024 + 5 }; /* the shadow cache has 64 sets of three */

    begin(1, 4);
    WALK(F, F + 1);
    is_int(worth[F], 3, "F, then the line behind it: it was worth prefetching");
    is_int(worth[F + 1], 0, "  of the one behind that nothing is known");
    WALK(F);
    WALK(F + 64, F + 128, F + 192, F + 256);
    is_int((int64_t)events_of("D1.prefetches"), 0, "nothing was prefetched yet: F was in the shadow cache");
    WALK(F);
    is_int(has(F + 1), 1, "F misses the shadow cache again: the next line is prefetched");
    is_int((int64_t)events_of("D1.prefetches"), 1, "  and nothing else");
    WALK(F + 2);
    is_int(worth[F + 1], 3, "the one behind that was worth it, too");
    WALK(F + 64, F + 128, F + 192, F);
    is_int(has(F + 1) && has(F + 2), 1, "then F brings both");
    is_int((int64_t)events_of("D1.prefetches"), 3, "  and no more");
    WALK(F + 65, F + 129, F + 193, F + 257, F + 1);
    is_int(has(F + 2), 0, "F's next lines were looked at lately: that of F + 1 waits until it is the fifth");

    /* 65,536 lines, 8 at each shadow miss: three rounds in which F comes without the one behind it. */
    for (unsigned i = 0; i < 3 * 8192; i++)
        WALK(i % 4 ? F + 64 * (i % 4) : F);
    is_int(worth[F], 0, "it is no longer worth it");

    /* Nine misses ahead: twice the same, then it is prefetched. */
    hosted_options = "fnl-lines=0";
    begin(1, 16);
    for (unsigned turn = 0; turn < 4; turn++) {
        const unsigned o = 2000 + 640 * turn; /* others, that never came before */

        WALK(F, o + 21, o + 32, o + 43, o + 54, o + 65, o + 76, o + 87, o + 98);
        is_int(has(7000), turn == 2, "turn %u: is the ninth miss after F prefetched?", turn + 1); /* in turn 4: it was predicted lately */
        WALK(7000, 7064, 7128, 7192, F + 64, F + 128, F + 192, 1, 2, 3, 4, 20, 21, 22, 23, 24, 25); /* neither is in the caches any more */
    }
    return done_testing();
}
