/* lib/lab/kernels.c - see kernels.h. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/internal.h"
#include "lab/kernels.h"

const char *const qn_lab_kernel_files[] = { "nostack.c", "stack.h", "misses.sh", NULL };

#define DONE "done"
#define RESULTS "results"

static const char *source(const struct qn_lab_check *c) { return c->request->lab->files[0]; }

/* ---- the program ---- */

static const struct qn_lab_kernel *built; /* what build() makes a program of */

bool qn_lab_compile_kernel(struct qn_lab_check *c, const char *object)
{
    const char *const words[] = { "-std=gnu11", "-O1", "-Wall", "-fno-pie", "-I", qn_lab_starter(c), "-c", "-o", object,
                                  qn_lab_handed_in(c, source(c)), NULL };

    return qn_lab_compile(c, words) && qn_lab_inspect(c, object, QN_LAB_KERNEL);
}

static bool compile_driver(struct qn_lab_check *c, const char *starter, const char *object)
{
    char driver[4096], kernel[64], numbers[64], below[64], drawn[64], call[128];
    const char *const words[] = { "-std=gnu11", "-O1", "-ffreestanding", "-fno-pie", "-fno-stack-protector", "-I", starter, kernel, numbers, below,
                                  drawn, call, "-c", "-o", object, driver, NULL };

    snprintf(driver, sizeof driver, "%s/loops.c", qn_lab_host(c));
    snprintf(kernel, sizeof kernel, "-DKERNEL=%s", built->name);
    snprintf(numbers, sizeof numbers, "-DNUMBER=%s", built->numbers);
    snprintf(below, sizeof below, "-DBELOW=%" PRIu64 "ull", built->below);
    snprintf(drawn, sizeof drawn, "-DDRAWN=%s", built->drawn);
    snprintf(call, sizeof call, "-DWORDS=%s", built->words);
    return qn_lab_compile(c, words);
}

bool qn_lab_link_kernel(struct qn_lab_check *c, const char *driver, const char *object, const char *output)
{
    const char *const words[] = { "-nostdlib", "-static", "-no-pie", "-Wl,-e,host_start", "-Wl,-z,noexecstack", "-Wl,-z,separate-code",
                                  "-Wl,--defsym,memcpy=0", "-Wl,--defsym,memset=0", "-Wl,--defsym,memmove=0", "-o", output, driver, object,
                                  NULL };

    return qn_lab_compile(c, words);
}

static bool build(struct qn_lab_check *c, const char *output)
{
    char object[4096], driver[4096];

    snprintf(object, sizeof object, "%s.o", output);
    snprintf(driver, sizeof driver, "%s.driver.o", output);
    return qn_lab_compile_kernel(c, object) && compile_driver(c, qn_lab_starter(c), driver) && qn_lab_link_kernel(c, driver, object, output);
}

static const char *program(struct qn_lab_check *c, const struct qn_lab_kernel *kernel)
{
    built = kernel;
    return qn_lab_made(c, source(c), kernel->name, build);
}

static bool build_simulator(struct qn_lab_check *c, const char *output)
{
    char module[4096];
    const char *argv[] = { qn_lab_quern(c), "sim", "build", module, "-o", output, NULL };

    snprintf(module, sizeof module, "--D1=%s/nostack.c", qn_lab_host(c));
    return qn_lab_run_tool(c, argv, "nostack.c");
}

/* ---- a call ---- */

uint64_t qn_lab_next_number(uint64_t *seed, uint64_t below)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
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

static bool check_result(struct qn_lab_check *c, const struct qn_lab_call *call)
{
    size_t size = 0;
    char *results = qn_lab_read_out(c, RESULTS, &size);
    bool good = results && size >= 3 * QN_LAB_KERNEL_PART + sizeof DONE && !memcmp(results + 3 * QN_LAB_KERNEL_PART, DONE, sizeof DONE - 1);

    if (!good)
        qn_lab_say(c, "%s, %u, %u: the kernel did not return", call->kernel->name, call->n, call->m);
    else
        good = call->kernel->right(c, call, results);
    free(results);
    return good;
}

/* Runs argv; the program and its arguments begin at argv[at]. */
static bool run(struct qn_lab_check *c, struct qn_lab_call *call, const char **argv, unsigned at)
{
    char n[16], m[16], seed[24];
    const char *out = qn_lab_out(c, RESULTS), *const writable[] = { out, NULL };
    struct qn_lab_job job = { .argv = argv, .paths = { NULL, writable }, .ends_by = SIGILL };
    bool good;

    snprintf(n, sizeof n, "%u", call->n);
    snprintf(m, sizeof m, "%u", call->m);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)call->seed);
    argv[at++] = program(c, call->kernel);
    argv[at++] = n;
    argv[at++] = m;
    argv[at++] = seed;
    argv[at] = out;
    good = (call->cache ? qn_lab_run_quern(c, &job) : qn_lab_run_program(c, &job)) && check_result(c, call);
    if (good && call->cache && !find_misses(job.errors, &call->misses))
        good = qn_lab_say(c, "quern counted nothing between the marks");
    qn_lab_free_job(&job);
    return good;
}

bool qn_lab_call_kernel(struct qn_lab_check *c, struct qn_lab_call *call)
{
    const char *argv[16] = { NULL }, *simulator;
    char d1[64], sim[4096];

    if (!program(c, call->kernel))
        return false;
    if (!call->cache)
        return run(c, call, argv, 0);
    simulator = qn_lab_made(c, source(c), "nostack", build_simulator);
    if (!simulator)
        return false;
    snprintf(d1, sizeof d1, "--D1=%s", call->cache);
    snprintf(sim, sizeof sim, "--sim=%s", simulator);
    memcpy(argv, (const char *[]){ qn_lab_quern(c), "run", sim, d1, "--LL=1048576,16,64", "--I1=32768,8,64", "--out-file=/dev/null", "--" },
           8 * sizeof *argv);
    return run(c, call, argv, 8);
}

void qn_lab_tell_call(struct qn_lab_check *c, const struct qn_lab_call *call)
{
    char words[96], m[16] = "", program_name[32];

    if (call->m)
        snprintf(m, sizeof m, " %u", call->m);
    snprintf(program_name, sizeof program_name, "%s", c->request->lab->folder + 3); /* behind "02-" */
    snprintf(words, sizeof words, "%s %s %u%s %llu", program_name, call->kernel->name, call->n, m, (unsigned long long)call->seed);
    qn_lab_why(c, "The same call:\n    cc -O1 -g -o %s driver.c %s && ./%s\nIn a debugger:\n"
                  "    gdb -ex 'break %s' -ex run --args ./%s", program_name, source(c), words, call->kernel->name, words);
    if (call->cache)
        qn_lab_why(c, "Its misses, line by line, and why a line of %s misses:\n"
                      "    quern sim build --D1=nostack.c -o nostack\n"
                      "    quern run --sim=./nostack --D1=%s --LL=1048576,16,64 --I1=32768,8,64 --out-file=kernels.out -- ./%s\n"
                      "    quern annotate kernels.out\n"
                      "    quern run --D1=%s --explain=%s:LINE --out-file=/dev/null -- ./%s", source(c), call->cache, words, call->cache, source(c),
                      words);
}
