/* lib/lab/labs/lab02.c - the tests of lab 2: two loop nests, run under quern (kernels.h).  Results are compared with those computed here. */
#include "lab/kernels.h"

#define CASES 5
#define SMALL_MAX 70
#define SMALL_CACHE "1024,1,32"  /* of transpose */
#define CACHE "1024,4,32"        /* of multiply: a row of 128 numbers fills it */
#define NUMBERS 1000             /* below this */
#define CELLS QN_LAB_KERNEL_CELLS

/* ---- results: the driver's numbers, drawn again ---- */

/* Where a[i][j] goes. */
static void find_place(const struct qn_lab_variant *v, const unsigned at[2], unsigned n, unsigned m, unsigned to[2])
{
    unsigned turn = v->value[QN_LAB_LOOPS_TURN], row = turn == 1 || turn == 3 ? m - 1 - at[1] : at[1];

    to[0] = (row + v->value[QN_LAB_LOOPS_SHIFT]) % m;
    to[1] = turn == 1 || turn == 2 ? n - 1 - at[0] : at[0];
}

static bool check_transpose(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory)
{
    const int *b = (const int *)(const void *)(memory + QN_LAB_KERNEL_PART);
    unsigned n = call->n, m = call->m;
    uint64_t seed = call->seed;

    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < m; j++) {
            int want = (int)qn_lab_next_number(&seed, NUMBERS), got;
            unsigned to[2];

            find_place(qn_lab_rules(c), (const unsigned[2]){ i, j }, n, m, to);
            got = b[to[0] * n + to[1]];
            if (got != want)
                return qn_lab_say(c, "%u x %u: b[%u][%u] is %d, a[%u][%u] was %d", n, m, to[0], to[1], got, i, j, want);
        }
    return true;
}

static bool check_multiply(struct qn_lab_check *c, const struct qn_lab_call *call, const char *results)
{
    static double memory[3 * CELLS];
    const double *a = memory, *b = memory + CELLS, *before = memory + 2 * CELLS, *got = (const void *)(results + 2 * QN_LAB_KERNEL_PART);
    unsigned n = call->n, product = qn_lab_rules(c)->value[QN_LAB_LOOPS_PRODUCT];
    uint64_t seed = call->seed;
    bool good = true;

    for (unsigned i = 0; i < 3 * CELLS; i++)
        memory[i] = (double)qn_lab_next_number(&seed, NUMBERS);
    for (unsigned at = 0; good && at < n * n; at++) {
        unsigned i = at / n, j = at % n;
        double want = before[at];

        for (unsigned k = 0; k < n; k++)
            want += (product ? a[k * n + i] : a[i * n + k]) * (product == 2 ? b[j * n + k] : b[k * n + j]);
        good = got[at] == want;
        if (!good)
            qn_lab_say(c, "n = %u: c[%u][%u] is %g, wanted %g", n, i, j, got[at], want);
    }
    return good;
}

static const struct qn_lab_kernel transpose = { "transpose", "int", NUMBERS, "n*m", "n,m,a,b,0", check_transpose };
static const struct qn_lab_kernel multiply = { "multiply", "double", NUMBERS, "3*CELLS", "n,a,b,c,0", check_multiply };

static bool is_right(struct qn_lab_check *c, const struct qn_lab_kernel *kernel, unsigned n, unsigned m)
{
    struct qn_lab_call call = { .kernel = kernel, .n = n, .m = m, .seed = qn_lab_draw(c) >> 1 };

    if (qn_lab_call_kernel(c, &call))
        return true;
    qn_lab_tell_call(c, &call);
    return false;
}

/* ---- tests ---- */

static bool transpose_misses(struct qn_lab_check *c, unsigned n, unsigned m, unsigned long most)
{
    struct qn_lab_call call = { .kernel = &transpose, .n = n, .m = m, .seed = qn_lab_draw(c) >> 1, .cache = SMALL_CACHE };
    unsigned long least = (n * m + m * n) / 8; /* every line once */
    bool good = qn_lab_call_kernel(c, &call);

    if (good && (call.misses < least || call.misses > most))
        good = qn_lab_say(c, "%u x %u: got %lu misses, wanted at most %lu (every line has to be brought in once: %lu)", n, m, call.misses, most,
                          least);
    if (!good)
        qn_lab_tell_call(c, &call);
    return good;
}

/* most: misses per inner iteration, in hundredths. */
static bool multiply_misses(struct qn_lab_check *c, unsigned most)
{
    static const unsigned sizes[] = { 136, 144, 152 }; /* a row fills the cache; rows spread over its sets */
    unsigned n = sizes[qn_lab_below(c, QN_ARRAY_LEN(sizes))], least = n * n * 3 / 4;
    struct qn_lab_call call = { .kernel = &multiply, .n = n, .seed = qn_lab_draw(c) >> 1, .cache = CACHE };
    bool good = qn_lab_call_kernel(c, &call);
    double each = good ? (double)call.misses / n / n / n : 0;

    if (good && (call.misses < least || each * 100 > most))
        good = qn_lab_say(c, "n = %u: got %.3f misses per inner iteration, wanted at most %.2f", n, each, most / 100.0);
    if (!good)
        qn_lab_tell_call(c, &call);
    return good;
}

/* Simple loops are right, and are given; points are for better ones. */
static bool transpose_right(struct qn_lab_check *c)
{
    bool good = is_right(c, &transpose, 32, 32) && is_right(c, &transpose, 64, 64)
                && is_right(c, &transpose, 67, 61);

    for (unsigned i = 0; good && i < CASES; i++)
        good = is_right(c, &transpose, qn_lab_between(c, 1, SMALL_MAX), qn_lab_between(c, 1, SMALL_MAX));
    return good && transpose_misses(c, 32, 32, 1000);
}

static bool multiply_right(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!is_right(c, &multiply, qn_lab_between(c, 1, SMALL_MAX), 0))
            return false;
    return multiply_misses(c, 100);
}

static bool small(struct qn_lab_check *c) { return transpose_misses(c, 32, 32, 300); }
static bool large_half(struct qn_lab_check *c) { return transpose_misses(c, 64, 64, 2000); }
static bool large(struct qn_lab_check *c) { return transpose_misses(c, 64, 64, 1300); }
static bool odd(struct qn_lab_check *c) { return transpose_misses(c, 67, 61, 2000); }
static bool order(struct qn_lab_check *c) { return multiply_misses(c, 55); }
static bool blocks(struct qn_lab_check *c) { return multiply_misses(c, 25); }

static const struct qn_lab_test tests[] = {
    { "transpose is right for every shape, and better than simple loops", 10, transpose_right },
    { "transpose, the small square: few misses", 20, small },
    { "transpose, the large square: half the misses", 10, large_half },
    { "transpose, the large square: few misses", 10, large },
    { "transpose, the odd shape: few misses", 15, odd },
    { "multiply is right for every size, and better than simple loops", 10, multiply_right },
    { "multiply: half the misses", 15, order },
    { "multiply: few misses", 10, blocks },
};

static const char *const files[] = { "kernels.c", NULL };

const struct qn_lab qn_lab_02 = { 2, "02-loops", "Loop nests", files, tests, QN_ARRAY_LEN(tests), qn_lab_kernel_files };
