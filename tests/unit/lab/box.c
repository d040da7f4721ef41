/* Does the black box answer as its description says, however the questions are cut into pieces? */
#include "lab/models/models.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define SEEDS 2000

static const struct qn_lab_box_shape shape = { .size = 256, .ways = 2, .line = 32, .history = 3, .policy = "lru" };

/* What it answers to `said`, given in pieces of `piece` bytes, without the line ends. */
static const char *answers(struct qn_lab_box *box, const char *said, size_t piece, bool *more)
{
    static char all[256];
    size_t n = 0;

    for (size_t left = strlen(said); left > 0; said += piece, left -= piece) {
        char *reply;
        size_t size;

        piece = piece < left ? piece : left;
        *more = qn_lab_box_talk(box, said, piece, &reply, &size);
        for (size_t i = 0; i < size; i++)
            if (reply[i] != '\n')
                all[n++] = reply[i];
        free(reply);
    }
    all[n] = 0;
    return all;
}

static void converse(size_t piece)
{
    struct qn_lab_box *box = qn_lab_new_box(&shape);
    struct qn_lab_box_shape answer;
    bool more;

    is_str(answers(box, "r 0\nr 1f\nr 20\n", piece, &more), "mhm", "lines of 32 bytes, pieces of %zu", piece);
    is_str(answers(box, "r 80\nr 100\nr 0\n", piece, &more), "mmm", "two ways: the third line evicts the first");
    is_str(answers(box, "reset\nr 0\n", piece, &more), ".m", "reset");
    is_str(answers(box, "b 400 T\nb 400 T\nb 400 T\nb 400 T\nb 400 T\nb 400 T\n", piece, &more), "wwwwwc",
           "a branch: four pasts, of which the last takes two rounds to learn");
    is_int(qn_lab_box_nonsense(box) == NULL, 1, "all was understood");
    is_str(answers(box, "r\nhello\nb 400 X\n", piece, &more), "???", "what it does not understand");
    is_str(qn_lab_box_nonsense(box), "r", "the first of it is kept");
    is_int(more, 1, "it goes on");
    is_str(answers(box, "answer size=256 ways=2 line=32 policy=lru history=3\nr 0\n", piece, &more), "", "an answer");
    is_int(more, 0, "is the end");
    is_int(qn_lab_box_answer(box, &answer), 1, "and kept");
    is_int(!memcmp(&answer, &shape, sizeof shape), 1, "as it was given");
    qn_lab_free_box(box);
}

/* How many of the boxes of the first seeds are not as the handout says. */
static void draws(void)
{
    unsigned wrong = 0, seen[4] = { 0 };

    for (unsigned seed = 0; seed < SEEDS; seed++) {
        struct qn_lab_box_shape s = qn_lab_draw_box(seed);
        unsigned sets = s.size / s.ways / s.line, policy = s.policy[0] == 'l' ? 0 : s.policy[0] == 'f' ? 1
                                                           : s.policy[0] == 'p' ? 2 : 3;

        seen[policy]++;
        wrong += (s.ways != 2 && s.ways != 4 && s.ways != 8) || (s.line & (s.line - 1)) || s.line < 16 || s.line > 128
                 || (sets & (sets - 1)) || sets < 4 || sets > 128 || s.history < 2 || s.history > 12
                 || (s.ways == 2 && policy > 1);
    }
    is_int(wrong, 0, "every box is as the handout says");
    for (unsigned i = 0; i < 4; i++)
        is_int(seen[i] > SEEDS / 8, 1, "policy %u is not rare", i);
}

int main(void)
{
    converse(1);
    converse(7);
    converse(1000);
    draws();
    return done_testing();
}
