/* Do the graders' prefetchers and exclusive levels give the answers that follow by counting? */
#include "lab/models/models.h"

#include "tap.h"

#define WALK 1000

static struct qn_lab_variant standard;

static unsigned long walk(enum qn_lab_prefetch kind, unsigned degree, struct qn_lab_prefetcher *p)
{
    unsigned long misses = 0;

    standard = qn_lab_standard();
    *p = (struct qn_lab_prefetcher){ .level = qn_lab_new_level(32, 4), .kind = kind, .degree = degree, .rules = &standard };
    for (unsigned i = 0; i < WALK; i++)
        misses += qn_lab_prefetching_miss(p, i);
    qn_lab_free_level(p->level);
    return misses;
}

static unsigned circles(unsigned first_lines, unsigned second_lines, unsigned n)
{
    struct qn_lab_exclusive x = { qn_lab_new_level(1, first_lines), qn_lab_new_level(1, second_lines), &standard, 0 };
    unsigned far_misses = 0;

    for (unsigned i = 0; i < 10 * n; i++) {
        bool far;

        qn_lab_exclusive_miss(&x, i % n, &far);
        far_misses += far;
    }
    qn_lab_free_level(x.first);
    qn_lab_free_level(x.second);
    return far_misses;
}

int main(void)
{
    struct qn_lab_prefetcher p;

    is_int((long long)walk(QN_LAB_ON_MISS, 1, &p), WALK / 2, "on a miss: half of a walk");
    is_int((long long)p.issued, WALK / 2, "a prefetch for each miss");
    is_int((long long)p.useful, WALK / 2, "all of them useful");
    is_int((long long)walk(QN_LAB_ON_MISS, 3, &p), WALK / 4, "degree 3: a quarter");
    is_int((long long)walk(QN_LAB_TAGGED, 1, &p), 1, "tagged: one");
    is_int((long long)p.issued, WALK, "always one line ahead");
    is_int((long long)p.useful, WALK - 1, "of which the last is not used");
    is_int(circles(8, 16, 24), 24, "8 + 16 lines hold a walk of 24");
    is_int(circles(8, 16, 25), 250, "and of 25 nothing");
    return done_testing();
}
