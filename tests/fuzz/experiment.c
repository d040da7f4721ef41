/* tests/fuzz/experiment.c - any bytes as an experiment file: refused with file and line, or an experiment whose runs are
 * made, or refused with the text that is to blame. */
#include "fuzz.h"

#include <ctype.h>

#include "exp/exp.h"
#include "exp/runs.h"

static const struct qn_geometry host[QN_EXP_LEVELS] = {{32768, 8, 64}, {32768, 8, 64}, {1048576, 16, 64}};

/* What a slip makes should not take all memory and time of the fuzzer: {1..100000} times a few axes is refused anyway. */
static int is_large(const struct qn_exp *e)
{
    double runs = e->program_count;
    for (int i = 0; i < e->axis_count; i++)
        runs *= e->axes[i].values.count;
    return runs > 3000 && runs <= QN_EXP_RUNS_MAX;
}

static void check_runs(const struct qn_exp *e, const struct qn_exp_runs *runs)
{
    must(runs->count > 0, "a run at least");
    for (int i = 0; i < runs->count; i++) {
        const struct qn_exp_run *r = &runs->at[i];
        must(r->argv[0] && *r->sim.text, "a command and a simulator");
        for (int a = 0; a < e->axis_count; a++)
            must(r->values[a], "a value for each axis");
        for (int l = 0; l < QN_EXP_LEVELS; l++) {
            const struct qn_geometry *g = &r->geometry[l];
            must((l == QN_EXP_L2 && !g->line) || (g->assoc && g->line && g->size >= (uint64_t)g->assoc * g->line), "a cache that can be, or no L2");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct qn_exp e;
    struct qn_exp_runs runs = { .count = 0 };
    struct qn_text_error err = {0};
    const char *path = fuzz_file(0, data, size);
    size_t n = strlen(path);
    qn_exp_init(&e);
    e.library = "/nowhere/sim"; /* no machines but those of a path */
    if (!qn_exp_read_file(&e, path, &err)) {
        must(err.status != QN_TEXT_OK && err.text[0], "a failure has a message");
        must(strncmp(err.text, path, n) == 0 && err.text[n] == ':' && isdigit((unsigned char)err.text[n + 1]),
             "the message names file and line");
    } else {
        must(err.status == QN_TEXT_OK, "success has no message");
        if (!is_large(&e)) {
            if (qn_exp_make_runs(&e, host, &runs, &err))
                check_runs(&e, &runs);
            else
                must(err.text[0], "impossible runs have a message");
        }
    }
    qn_exp_free_runs(&runs);
    qn_exp_free(&e);
    return 0;
}
