/* tests/unit/sim/streambuf.c - stream buffers, step by step: the cache | the lines of each buffer, its head first. */
#define LEVEL_FILE "sim/prefetch/streambuf.c"
#define MARKS ""
#include "draw_level.h"

static const char *draw(void)
{
    const char *start = draw_lines(&lines);

    strcat(drawing, " |");
    for (unsigned i = 0; i < count; i++) {
        strcat(drawing, " ");
        for (unsigned k = 0; k < depth; k++)
            sprintf(drawing + strlen(drawing), "%c", buffers[i].used ? (char)('A' + buffers[i].head / LINE + k) : '.');
    }
    return start;
}

int main(void)
{
    hosted_options = "stream-buffers=2,stream-depth=3";
    begin(1, 4);
    step("A", "m", "A B+ C+ D+", "A . . . | BCD ...");
    step("B", ".", "E+", "B A . . | CDE ...");
    step("P", "m", "P Q+ R+ S+", "P B A . | CDE QRS");
    step("D", "m", "D E+ F+ G+", "D P B A | EFG QRS");    /* not at the head; the other buffer was used later */
    is_int((int64_t)events_of("D1.unused-prefetches"), 3, "  C, D and E were never used");
    step("Q E", "..", "T+ H+", "E Q D P | FGH RST");
    is_int((int64_t)events_of("D1.useful-prefetches"), 3, "  B, Q and E were");
    is_int((int64_t)events_of("D1.prefetches"), 12, "  of twelve");
    step("A", "m", "A B+ C+ D+", "A E Q D | FGH BCD");    /* hits change no buffer, and misses another */
    return done_testing();
}
