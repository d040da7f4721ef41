/* Are the graders' miss ratio curves those of a cache of every size? */
#include "lab/models/models.h"

#include <stdlib.h>

#include "tap.h"

#define LINES_MAX 80
#define REFS 2000

static struct qn_lab_variant standard;

static uint32_t random_state = 2463534242u;

static uint32_t draw(void) /* xorshift, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    return random_state ^= random_state << 5;
}

/* Without lib/lab/trace.c: it belongs to a check. */
static void add(struct qn_lab_trace *t, char op, uint64_t addr) { t->at[t->n++] = (struct qn_lab_ref){ addr, 1, op }; }

static void small(void)
{
    static const unsigned long wanted[] = { 0, 5, 5, 3, 3 };
    struct qn_lab_ref refs[6];
    struct qn_lab_trace t = { .at = refs };
    unsigned long misses[5];

    for (const char *line = "abcabb"; *line; line++)
        add(&t, 'L', (uint64_t)*line << 4);
    qn_lab_curve(&t, 4, misses, 4, &standard);
    for (unsigned n = 1; n <= 4; n++) {
        is_int((long long)misses[n], (long long)wanted[n], "a b c a b b, %u lines", n);
        is_int((long long)qn_lab_brute_misses(&t, 4, n, &standard), (long long)wanted[n], "the same by brute force");
    }
}

static void random_trace(unsigned lines, const struct qn_lab_variant *rules)
{
    static struct qn_lab_ref refs[REFS];
    struct qn_lab_trace t = { .at = refs };
    unsigned long misses[LINES_MAX + 1];
    unsigned differ = 0;

    for (unsigned i = 0; i < REFS; i++)
        add(&t, "LLS"[draw() % 3], (uint64_t)(draw() % 3 ? draw() % (lines / 4 + 1) : draw() % lines) * 64 + draw() % 64);
    qn_lab_curve(&t, 6, misses, LINES_MAX, rules);
    for (unsigned n = 1; n <= LINES_MAX; n++)
        differ += misses[n] != qn_lab_brute_misses(&t, 6, n, rules);
    is_int(differ, 0, "%u lines at random: the curve is that of each size", lines);
}

int main(void)
{
    struct qn_lab_variant variants[3];

    standard = qn_lab_standard();
    small();
    random_trace(1, &standard);
    random_trace(10, &standard);
    random_trace(60, &standard);
    random_trace(500, &standard);
    for (unsigned i = 0; i < 3; i++) {
        variants[i] = qn_lab_draw_variant(i + 1);
        random_trace(30, &variants[i]);
    }
    return done_testing();
}
