/* lib/lab/labs/lab02.c - the tests of lab 2: two loop nests, run under quern.
 *
 * Results are compared with those that the grader computes.  Misses are those of the region that the driver marks, in a cache
 * that does not see a KiB of the stack (starter/nostack.c), so they do not depend on the compiler's use of registers.  The driver is
 * labs/host/loops.c: its process has no functions that a kernel could call.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/check.h"

#define CASES 5
#define SMALL_MAX 70
#define SMALL_CACHE "1024,1,32"  /* of transpose */
#define CACHE "1024,4,32"        /* of multiply: a row of 128 numbers fills it */

#define CELLS 65536              /* numbers per matrix in labs/host/loops.c */
#define MATRIX_BYTES (CELLS * sizeof(double))
#define DONE "done"
#define RESULTS "results"

/* ---- the program ---- */

static bool compile_kernels(struct qn_lab_check *c, const char *starter, const char *object)
{
    const char *const words[] = { "-std=gnu11", "-O1", "-Wall", "-fno-pie", "-I", starter, "-c", "-o", object,
                                  qn_lab_handed_in(c, "kernels.c"), NULL };

    return qn_lab_compile(c, words) && qn_lab_inspect(c, object, QN_LAB_KERNEL);
}

static bool compile_driver(struct qn_lab_check *c, const char *starter, const char *object)
{
    char driver[4096];
    const char *const words[] = { "-std=gnu11", "-O1", "-ffreestanding", "-fno-pie", "-fno-stack-protector", "-I", starter, "-c", "-o",
                                  object, driver, NULL };

    snprintf(driver, sizeof driver, "%s/loops.c", qn_lab_host(c));
    return qn_lab_compile(c, words);
}

/* Links without the C library, so that kernels cannot call it; memcpy and memset are there, because compilers call them. */
static bool build(struct qn_lab_check *c, const char *output)
{
    const char *starter = qn_lab_starter(c);
    char object[4096], driver[4096];
    const char *const words[] = { "-nostdlib", "-static", "-no-pie", "-Wl,-e,host_start", "-Wl,-z,noexecstack", "-Wl,-z,separate-code",
                                  "-Wl,--defsym,memcpy=0", "-Wl,--defsym,memset=0", "-Wl,--defsym,memmove=0", "-o", output, driver, object,
                                  NULL };

    snprintf(object, sizeof object, "%s.o", output);
    snprintf(driver, sizeof driver, "%s.driver.o", output);
    return compile_kernels(c, starter, object) && compile_driver(c, starter, driver) && qn_lab_compile(c, words);
}

static const char *program(struct qn_lab_check *c) { return qn_lab_made(c, "kernels.c", "loops", build); }

/* ---- results: the driver's numbers, drawn again ---- */

static int draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (int)((z ^ z >> 31) % 1000);
}

/* Where a[i][j] goes. */
static void find_place(const struct qn_lab_variant *v, const unsigned at[2], unsigned n, unsigned m, unsigned to[2])
{
    unsigned turn = v->value[QN_LAB_LOOPS_TURN], row = turn == 1 || turn == 3 ? m - 1 - at[1] : at[1];

    to[0] = (row + v->value[QN_LAB_LOOPS_SHIFT]) % m;
    to[1] = turn == 1 || turn == 2 ? n - 1 - at[0] : at[0];
}

static bool check_transpose(struct qn_lab_check *c, const char *memory, unsigned n, unsigned m, uint64_t seed)
{
    const int *b = (const int *)(const void *)(memory + MATRIX_BYTES);

    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < m; j++) {
            int want = draw(&seed), got;
            unsigned to[2];

            find_place(qn_lab_rules(c), (const unsigned[2]){ i, j }, n, m, to);
            got = b[to[0] * n + to[1]];
            if (got != want)
                return qn_lab_say(c, "%u x %u: b[%u][%u] is %d, a[%u][%u] was %d", n, m, to[0], to[1], got, i, j, want);
        }
    return true;
}

static bool check_multiply(struct qn_lab_check *c, const char *results, unsigned n, uint64_t seed)
{
    static double memory[3 * CELLS];
    const double *a = memory, *b = memory + CELLS, *before = memory + 2 * CELLS, *got = (const void *)(results + 2 * MATRIX_BYTES);
    unsigned product = qn_lab_rules(c)->value[QN_LAB_LOOPS_PRODUCT];
    bool good = true;

    for (unsigned i = 0; i < 3 * CELLS; i++)
        memory[i] = draw(&seed);
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

/* ---- calls ---- */

static bool build_simulator(struct qn_lab_check *c, const char *output)
{
    char module[4096];
    const char *argv[] = { qn_lab_quern(c), "sim", "build", module, "-o", output, NULL };

    snprintf(module, sizeof module, "--D1=%s/nostack.c", qn_lab_starter(c));
    return qn_lab_run_tool(c, argv, "nostack.c");
}

/* The line of the region in quern's summary:  ==PID==  Ir  D refs  D1 misses  LL misses  kernel; and lines missed by references that had missed
 * one:  ==PID== D1.more  N */
static bool find_misses(const char *text, unsigned long *misses)
{
    const char *line = text;

    for (; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int used = 0;

        if (sscanf(line, "==%*d== %*u %*u %lu %*u kernel%n", misses, &used) == 1 && used)
            return *misses += qn_lab_find_count(text, "D1.more"), true;
    }
    return false;
}

/* A call of the driver: "transpose" of an n x m matrix, or "multiply" of two that are n x n. */
struct call {
    const char *kernel;
    unsigned n, m;
};

static bool check_result(struct qn_lab_check *c, const struct call *call, uint64_t seed)
{
    size_t size = 0;
    char *results = qn_lab_read_out(c, RESULTS, &size);
    bool good = results && size >= 3 * MATRIX_BYTES + sizeof DONE && !memcmp(results + 3 * MATRIX_BYTES, DONE, sizeof DONE - 1);

    if (!good)
        qn_lab_say(c, "%u x %u: the kernel did not return", call->n, call->m);
    else
        good = !strcmp(call->kernel, "transpose") ? check_transpose(c, results, call->n, call->m, seed)
                                                  : check_multiply(c, results, call->n, seed);
    free(results);
    return good;
}

/* For --keep: the same call with the driver of the starter. */
static void tell_call(struct qn_lab_check *c, const struct call *call, uint64_t seed, const char *cache)
{
    char words[96];

    if (!strcmp(call->kernel, "transpose"))
        snprintf(words, sizeof words, "transpose %u %u %llu", call->n, call->m, (unsigned long long)seed);
    else
        snprintf(words, sizeof words, "multiply %u %llu", call->n, (unsigned long long)seed);
    qn_lab_why(c, "The same call:\n    cc -O1 -g -o loops driver.c kernels.c && ./loops %s\nIn a debugger:\n"
                  "    gdb -ex 'break %s' -ex run --args ./loops %s", words, call->kernel, words);
    if (cache)
        qn_lab_why(c, "Its misses, line by line, and why a line of kernels.c misses:\n"
                      "    quern sim build --D1=nostack.c -o nostack\n"
                      "    quern run --sim=./nostack --D1=%s --LL=1048576,16,64 --I1=32768,8,64 --out-file=kernels.out -- ./loops %s\n"
                      "    quern annotate kernels.out\n"
                      "    quern run --D1=%s --explain=kernels.c:LINE --out-file=/dev/null -- ./loops %s", cache, words, cache, words);
}

/* Runs argv; the program and its arguments begin at argv[at]. */
static bool run_call(struct qn_lab_check *c, const struct call *call, const char **argv, unsigned at,
                     unsigned long *misses, uint64_t seed)
{
    char rows[16], columns[16], text[24];
    const char *out = qn_lab_out(c, RESULTS), *const writable[] = { out, NULL };
    struct qn_lab_job job = { .argv = argv, .paths = { NULL, writable }, .ends_by = SIGILL };
    bool good;

    snprintf(rows, sizeof rows, "%u", call->n);
    snprintf(columns, sizeof columns, "%u", call->m);
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    argv[at++] = program(c);
    argv[at++] = call->kernel;
    argv[at++] = rows;
    argv[at++] = columns;
    argv[at++] = text;
    argv[at] = out;
    good = program(c) && (misses ? qn_lab_run_quern(c, &job) : qn_lab_run_program(c, &job)) && check_result(c, call, seed);
    if (good && misses && !find_misses(job.errors, misses))
        good = qn_lab_say(c, "quern counted nothing between the marks");
    qn_lab_free_job(&job);
    return good;
}

static bool is_right(struct qn_lab_check *c, const char *kernel, unsigned n, unsigned m)
{
    const struct call call = { kernel, n, m };
    const char *argv[8] = { NULL };
    uint64_t seed = qn_lab_draw(c) >> 1;

    if (program(c) && run_call(c, &call, argv, 0, NULL, seed))
        return true;
    tell_call(c, &call, seed, NULL);
    return false;
}

/* Checks result and misses of the same run, so that a kernel cannot compute less while it is counted. */
static bool count_misses(struct qn_lab_check *c, const struct call *call, const char *cache, unsigned long *misses, uint64_t seed)
{

    const char *simulator = program(c) ? qn_lab_made(c, "kernels.c", "nostack", build_simulator) : NULL;
    char d1[64], sim[4096];
    const char *argv[16] = { qn_lab_quern(c), "run", sim, d1, "--LL=1048576,16,64", "--I1=32768,8,64",
                             "--out-file=/dev/null", "--" };

    if (!simulator)
        return false;
    snprintf(d1, sizeof d1, "--D1=%s", cache);
    snprintf(sim, sizeof sim, "--sim=%s", simulator);
    return run_call(c, call, argv, 8, misses, seed);
}

/* ---- tests ---- */

static bool transpose_misses(struct qn_lab_check *c, unsigned n, unsigned m, unsigned long most)
{
    const struct call call = { "transpose", n, m };
    unsigned long misses, least = (n * m + m * n) / 8; /* every line once */
    uint64_t seed = qn_lab_draw(c) >> 1;
    bool good = count_misses(c, &call, SMALL_CACHE, &misses, seed);

    if (good && (misses < least || misses > most))
        good = qn_lab_say(c, "%u x %u: got %lu misses, wanted at most %lu (every line has to be brought in once: %lu)", n, m, misses, most,
                          least);
    if (!good)
        tell_call(c, &call, seed, SMALL_CACHE);
    return good;
}

/* most: misses per inner iteration, in hundredths. */
static bool multiply_misses(struct qn_lab_check *c, unsigned most)
{
    static const unsigned sizes[] = { 136, 144, 152 }; /* a row fills the cache; rows spread over its sets */
    unsigned n = sizes[qn_lab_below(c, QN_ARRAY_LEN(sizes))], least = n * n * 3 / 4;
    const struct call call = { "multiply", n, 0 };
    uint64_t seed = qn_lab_draw(c) >> 1;
    unsigned long misses;
    bool good = count_misses(c, &call, CACHE, &misses, seed);
    double each = good ? (double)misses / n / n / n : 0;

    if (good && (misses < least || each * 100 > most))
        good = qn_lab_say(c, "n = %u: got %.3f misses per inner iteration, wanted at most %.2f", n, each, most / 100.0);
    if (!good)
        tell_call(c, &call, seed, CACHE);
    return good;
}

/* Simple loops are right, and are given; points are for better ones. */
static bool transpose_right(struct qn_lab_check *c)
{
    bool good = is_right(c, "transpose", 32, 32) && is_right(c, "transpose", 64, 64)
                && is_right(c, "transpose", 67, 61);

    for (unsigned i = 0; good && i < CASES; i++)
        good = is_right(c, "transpose", qn_lab_between(c, 1, SMALL_MAX), qn_lab_between(c, 1, SMALL_MAX));
    return good && transpose_misses(c, 32, 32, 1000);
}

static bool multiply_right(struct qn_lab_check *c)
{
    for (unsigned i = 0; i < CASES; i++)
        if (!is_right(c, "multiply", qn_lab_between(c, 1, SMALL_MAX), 0))
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

const struct qn_lab qn_lab_02 = { 2, "02-loops", "Loop nests", files, tests, QN_ARRAY_LEN(tests), true };
