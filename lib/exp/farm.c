/* lib/exp/farm.c - see farm.h. */
#include "exp/farm.h"

#define WORDS_MAX 16 /* words of the command besides options and parts */

const char *const qn_exp_on_names[] = { [QN_EXP_HERE] = "here", [QN_EXP_PARALLEL] = "parallel", [QN_EXP_SLURM] = "slurm", NULL };

void qn_exp_put_word(FILE *f, const char *word)
{
    fputs(" '", f);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", f);
        else
            putc(*word, f);
    putc('\'', f);
}

static size_t add_parallel(struct qn_text_memory *m, const struct qn_exp_farm *f, char **argv, size_t n)
{
    argv[n++] = qn_text_copy(m, "--will-cite");
    if (f->jobs)
        argv[n++] = qn_text_format(m, "--jobs=%d", f->jobs);
    argv[n++] = qn_text_copy(m, "--retries=3");
    argv[n++] = qn_text_copy(m, "--quote"); /* it gives the command to a shell */
    argv[n++] = qn_text_format(m, "--joblog=%s/joblog", f->folder);
    argv[n++] = qn_text_copy(m, "sh");
    argv[n++] = qn_text_copy(m, "{1}");
    argv[n++] = qn_text_copy(m, "{2}");
    argv[n++] = qn_text_copy(m, ":::");
    argv[n++] = qn_text_copy(m, f->script); /* among the arguments "{}" is no replacement string */
    argv[n++] = qn_text_copy(m, ":::");
    for (int part = 1; part <= f->parts; part++)
        if (f->wanted[part])
            argv[n++] = qn_text_format(m, "%d", part);
    return n;
}

static size_t add_slurm(struct qn_text_memory *m, const struct qn_exp_farm *f, char **argv, size_t n)
{
    const char *array = "";

    for (int part = 1; part <= f->parts; part++)
        if (f->wanted[part])
            array = qn_text_format(m, "%s%s%d", array, *array ? "," : "", part);
    argv[n++] = qn_text_copy(m, "--parsable");
    argv[n++] = qn_text_copy(m, "--wait");
    argv[n++] = qn_text_copy(m, "--requeue");
    argv[n++] = qn_text_format(m, "--job-name=%s", f->name);
    argv[n++] = qn_text_format(m, "--output=%s/%%a.log", f->folder);
    argv[n++] = f->jobs ? qn_text_format(m, "--array=%s%%%d", array, f->jobs) : qn_text_format(m, "--array=%s", array);
    argv[n++] = qn_text_copy(m, f->script);
    return n;
}

char **qn_exp_farm_command(struct qn_text_memory *m, const struct qn_exp_farm *f)
{
    char **argv = qn_text_alloc(m, (WORDS_MAX + (size_t)f->n_options + (size_t)f->parts) * sizeof *argv);
    size_t n = 0;

    argv[n++] = qn_text_copy(m, f->on == QN_EXP_SLURM ? "sbatch" : "parallel");
    for (int i = 0; i < f->n_options; i++)
        argv[n++] = qn_text_copy(m, f->options[i]);
    n = f->on == QN_EXP_SLURM ? add_slurm(m, f, argv, n) : add_parallel(m, f, argv, n);
    argv[n] = NULL;
    return argv;
}
