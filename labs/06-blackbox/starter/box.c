/* box.c - see box.h.  A question is a line on standard output, its answer a letter and a line's end on standard
 * input. */
#include "box.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define AT_ONCE 500 /* questions under way: all of their bytes must fit into a pipe */

static int take(char wrong)
{
    int answer = getchar();

    if (answer == EOF || answer == '?' || getchar() != '\n') {
        fprintf(stderr, "the box does not answer\n");
        exit(1);
    }
    return answer == wrong;
}

void box_reset(void)
{
    puts("reset");
    fflush(stdout);
    take('.');
}

void box_reads(const uint64_t *addr, int n, unsigned char *answer)
{
    for (int from = 0; from < n; from += AT_ONCE) {
        int to = n - from < AT_ONCE ? n : from + AT_ONCE;

        for (int i = from; i < to; i++)
            printf("r %" PRIx64 "\n", addr[i]);
        fflush(stdout);
        for (int i = from; i < to; i++)
            answer[i] = (unsigned char)take('m');
    }
}

void box_branches(uint64_t pc, const unsigned char *taken, int n, unsigned char *answer)
{
    for (int from = 0; from < n; from += AT_ONCE) {
        int to = n - from < AT_ONCE ? n : from + AT_ONCE;

        for (int i = from; i < to; i++)
            printf("b %" PRIx64 " %c\n", pc, taken[i] ? 'T' : 'N');
        fflush(stdout);
        for (int i = from; i < to; i++)
            answer[i] = (unsigned char)take('w');
    }
}

int box_read(uint64_t addr)
{
    unsigned char missed;

    box_reads(&addr, 1, &missed);
    return missed;
}

int box_branch(uint64_t pc, int taken)
{
    unsigned char is = taken != 0, wrong;

    box_branches(pc, &is, 1, &wrong);
    return wrong;
}

void box_answer(unsigned size, unsigned ways, unsigned line, const char *policy, unsigned history)
{
    printf("answer size=%u ways=%u line=%u policy=%s history=%u\n", size, ways, line, policy, history);
    fflush(stdout);
}
