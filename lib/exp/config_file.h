/* lib/exp/config_file.h - reads files by libConfuse: of experiments (exp.c) and of machines (machine.c).
 *
 * libConfuse calls the callbacks of the options for each value, when it knows the line.  Of Debian's libraries it is the one that has named
 * sections, lists and quoting, and that reports an unknown word with its line.
 */
#ifndef QN_EXP_CONFIG_FILE_H
#define QN_EXP_CONFIG_FILE_H

#include <confuse.h>

#include "text/error.h"
#include "text/memory.h"

#define QN_EXP_LIST(text, take) { .name = text, .type = CFGT_STR, .flags = CFGF_LIST, .parsecb = take }
#define QN_EXP_VALUE(text, take) CFG_STR_CB(text, NULL, CFGF_NODEFAULT, take)
#define QN_EXP_SECTION_FLAGS (CFGF_TITLE | CFGF_MULTI | CFGF_NO_TITLE_DUPES)

/* What is called at the end of a section; NULL ends a list of these. */
struct qn_exp_section_end {
    const char *name;
    cfg_validate_callback_t end;
};

/* Reads the file.  false: `err` is FILE:LINE: what.  `wanted` is said of bytes for which libConfuse has no message.  Not reentrant, because
 * libConfuse passes no pointer to the caller's data. */
bool qn_exp_read_config(const char *path, cfg_opt_t *options, const struct qn_exp_section_end *ends, const char *wanted, struct qn_text_memory *memory,
                        struct qn_text_error *err);

/* Begins every callback of a value: refuses a second one for a single value; libConfuse keeps the text. */
int qn_exp_begin_value(cfg_t *cfg, cfg_opt_t *opt, const char *value, void *result);

/* "FILE:LINE", in the memory given to qn_exp_read_config. */
const char *qn_exp_origin(const cfg_t *cfg);

#endif
