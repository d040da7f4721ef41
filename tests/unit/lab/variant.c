/* Are variants others than the standard lab, and than the standard lab with one of their rules?  Of 20 seeds, by the models. */
#include "lab/variant.h"
#include "lab/models/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tap.h"

#define SEEDS 20
#define CASES 4   /* as lab03.c */
#define REFS 500
#define BRANCHES 4000

static struct qn_lab_variant standard;
static uint64_t state = 88172645463325252ull;

static unsigned below(unsigned n) /* xorshift64, Marsaglia 2003 */
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 32) * n >> 32);
}

/* Some of the lines much more often than the rest. */
static void draw(uint64_t lines[REFS], unsigned n)
{
    for (unsigned i = 0; i < REFS; i++)
        lines[i] = below(100) < 60 ? below(n / 4 + 1) : below(n);
}

static uint64_t next_use(const uint64_t lines[REFS], unsigned at)
{
    for (unsigned i = at + 1; i < REFS; i++)
        if (lines[i] == lines[at])
            return i;
    return UINT64_MAX;
}

static bool same_outcomes(enum qn_lab_policy policy, const struct qn_lab_variant *x, const struct qn_lab_variant *y)
{
    uint64_t lines[REFS];
    bool same = true;

    for (unsigned k = 0; k < CASES; k++) {
        unsigned sets = 1u << below(3), ways = policy == QN_LAB_PLRU ? 4u << below(3) : 4 + below(6);
        struct qn_lab_cache *a = qn_lab_new_variant_cache(policy, sets, ways, x), *b = qn_lab_new_variant_cache(policy, sets, ways, y);

        draw(lines, 2 * sets * ways + 1);
        for (unsigned i = 0; i < REFS; i++)
            same &= qn_lab_touch_line(a, lines[i], next_use(lines, i)).hit == qn_lab_touch_line(b, lines[i], next_use(lines, i)).hit;
        qn_lab_free_cache(a);
        qn_lab_free_cache(b);
    }
    return same;
}

static bool same_predictions(enum qn_lab_predictor model, const struct qn_lab_variant *x, const struct qn_lab_variant *y)
{
    static struct qn_lab_branch at[BRANCHES];
    static unsigned char a[BRANCHES], b[BRANCHES];
    struct qn_lab_branches t = { at, BRANCHES, 0 };
    uint64_t pc[40];

    for (unsigned i = 0; i < 40; i++)
        pc[i] = 0x401000 + below(1u << 16);
    for (unsigned i = 0; i < BRANCHES; i++) {
        unsigned place = below(40);

        at[i] = (struct qn_lab_branch){ pc[place], below(40) < place };
    }
    qn_lab_mispredicts(&t, model, 4, x, a);
    qn_lab_mispredicts(&t, model, 4, y, b);
    return !memcmp(a, b, BRANCHES);
}

/* The standard with these rules of v. */
static struct qn_lab_variant adapted(const struct qn_lab_variant *v, enum qn_lab_parameter one, enum qn_lab_parameter other)
{
    struct qn_lab_variant x = qn_lab_standard();

    x.value[one] = v->value[one];
    x.value[other] = v->value[other];
    return x;
}

static void policies(void)
{
    static const enum qn_lab_policy all[] = { QN_LAB_FIFO, QN_LAB_LRU, QN_LAB_PLRU, QN_LAB_NRU, QN_LAB_SRRIP, QN_LAB_OPT };
    static const struct {
        enum qn_lab_policy policy;
        enum qn_lab_parameter rule;
    } one_rule[] = { { QN_LAB_SRRIP, QN_LAB_SRRIP_BITS }, { QN_LAB_SRRIP, QN_LAB_SRRIP_DOWN }, { QN_LAB_PLRU, QN_LAB_PLRU_ORDER },
                     { QN_LAB_PLRU, QN_LAB_PLRU_FILL }, { QN_LAB_NRU, QN_LAB_NRU_WAY }, { QN_LAB_NRU, QN_LAB_NRU_CLEAR } };
    unsigned same = 0, nearly = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct qn_lab_variant v = qn_lab_draw_variant(seed);

        for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++)
            same += same_outcomes(all[i], &standard, &v);
        for (unsigned i = 0; i < QN_ARRAY_LEN(one_rule); i++) {
            struct qn_lab_variant x = adapted(&v, one_rule[i].rule, one_rule[i].rule);

            if (same_outcomes(one_rule[i].policy, &x, &v)) {
                diag("seed %d, policy %d: rule %d is enough", (int)seed, (int)one_rule[i].policy, (int)one_rule[i].rule);
                nearly++;
            }
        }
        is_int(same_outcomes(QN_LAB_LRU, &v, &v), 1, "seed %d: a variant is itself", (int)seed);
    }
    is_int(same, 0, "no policy of a variant does what the standard one does");
    is_int(nearly, 0, "nor do srrip, plru and nru with one of both rules");
}

static void predictors(void)
{
    static const struct {
        enum qn_lab_predictor model;
        enum qn_lab_parameter one, other;
    } all[] = { { QN_LAB_ONE_BIT, QN_LAB_ONEBIT_BEFORE, QN_LAB_ONEBIT_BEFORE }, { QN_LAB_ONE_BIT, QN_LAB_INDEX_SHIFT, QN_LAB_INDEX_FOLD },
                { QN_LAB_TWO_BIT, QN_LAB_COUNTER_MAX, QN_LAB_COUNTER_DOWN }, { QN_LAB_TWO_BIT, QN_LAB_INDEX_SHIFT, QN_LAB_INDEX_FOLD },
                { QN_LAB_GSHARE, QN_LAB_COUNTER_MAX, QN_LAB_COUNTER_DOWN }, { QN_LAB_GSHARE, QN_LAB_INDEX_SHIFT, QN_LAB_INDEX_FOLD },
                { QN_LAB_GSHARE, QN_LAB_HISTORY_BIT, QN_LAB_HISTORY_BIT } };
    unsigned same = 0, nearly = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct qn_lab_variant v = qn_lab_draw_variant(seed);

        for (unsigned i = 0; i < QN_ARRAY_LEN(all); i++) {
            struct qn_lab_variant x = adapted(&v, all[i].one, all[i].other);

            same += same_predictions(all[i].model, &standard, &v);
            nearly += same_predictions(all[i].model, &x, &v);
        }
    }
    is_int(same, 0, "no predictor of a variant does what the standard one does");
    is_int(nearly, 0, "nor with its index, its counters or its history alone");
}

static uint64_t seed_of(const char *key, const char *student, unsigned lab)
{
    char path[] = "/tmp/quern-key.XXXXXX";
    int fd = mkstemp(path);
    uint64_t seed = 0;

    if (fd < 0 || write(fd, key, strlen(key)) != (ssize_t)strlen(key) || close(fd))
        bail("no key file");
    if (!qn_lab_variant_seed(path, student, lab, &seed))
        seed = 0;
    unlink(path);
    return seed;
}

static void seeds(void)
{
    uint64_t seed = seed_of("a secret of ours\n", "ada", 3);

    is_int(seed != 0, 1, "a seed from key and name");
    is_int(seed == seed_of("a secret of ours\nmore\n", "ada", 3), 1, "the same again, from the first line");
    is_int(seed == seed_of("a secret of others\n", "ada", 3), 0, "another key");
    is_int(seed == seed_of("a secret of ours\n", "bob", 3), 0, "another student");
    is_int(seed == seed_of("a secret of ours\n", "ada", 5), 0, "another lab");
    is_int(seed_of("short\n", "ada", 3) == 0, 1, "a short key is refused");
    is_int(seed_of("a secret of ours\n", "", 3) == 0, 1, "so is nobody");
}

int main(void)
{
    standard = qn_lab_standard();
    policies();
    predictors();
    seeds();
    return done_testing();
}
