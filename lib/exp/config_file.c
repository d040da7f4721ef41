/* lib/exp/config_file.c - see config_file.h. */
#include "exp/config_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"

static struct {
    const char *path; /* in cfg->filename, too, but not of a section without a title */
    struct qn_text_memory *memory;
    struct qn_text_error *err;
    const cfg_opt_t **given; /* single values so far; each section has options of its own */
    size_t given_count;
} loading;

const char *qn_exp_origin(const cfg_t *cfg) { return qn_text_format(loading.memory, "%s:%d", loading.path, cfg->line); }

static void report(cfg_t *cfg, const char *format, va_list args)
{
    char text[QN_TEXT_MAX];

    vsnprintf(text, sizeof text, format, args);
    qn_text_fail(loading.err, QN_TEXT_BAD, "%s:%d: %s", loading.path, cfg->line, text);
}

int qn_exp_begin_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result)
{
    *(const char **)result = value;
    if (opt->flags & CFGF_LIST)
        return 0;
    for (size_t i = 0; i < loading.given_count; i++)
        if (loading.given[i] == opt) {
            cfg_error(cfg, "%s is given twice", opt->name);
            return -1;
        }
    loading.given = qn_text_grow(loading.memory, loading.given, loading.given_count, sizeof *loading.given);
    loading.given[loading.given_count++] = opt;
    return 0;
}

static int parse(FILE *file, const char *path, cfg_opt_t *options, const struct qn_exp_section_end *ends, const char *wanted)
{
    cfg_t *cfg = QN_NEEDED(cfg_init(options, CFGF_NONE));
    int status;

    cfg_set_error_function(cfg, report);
    for (; ends->name; ends++)
        cfg_set_validate_func(cfg, ends->name, ends->end);
    cfg->filename = strdup(path);
    status = cfg_parse_fp(cfg, file);
    if (status != CFG_SUCCESS) /* only if there is no message yet: for an invalid byte, libConfuse gives none */
        cfg_error(cfg, "cannot be read, wanted %s", wanted);
    cfg_free(cfg);
    return status;
}

bool qn_exp_read_config(const char *path, cfg_opt_t *options, const struct qn_exp_section_end *ends, const char *wanted, struct qn_text_memory *memory,
                        struct qn_text_error *err)
{
    FILE *file = fopen(path, "r");
    int first = file ? getc(file) : EOF, status; /* of a folder there is none; libConfuse's parser would end the command */

    if (!file || ferror(file)) {
        qn_text_fail(err, QN_TEXT_IO, "%s: %s", path, strerror(errno));
        if (file)
            fclose(file);
        return false;
    }
    ungetc(first, file);
    memset(&loading, 0, sizeof loading);
    loading.path = path;
    loading.memory = memory;
    loading.err = err;
    status = parse(file, path, options, ends, wanted);
    fclose(file);
    return status == CFG_SUCCESS;
}
