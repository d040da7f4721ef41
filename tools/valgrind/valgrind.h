/* tools/valgrind/valgrind.h - `quern valgrind`: Valgrind's command line, read as Valgrind 3.19 reads it.
 *
 *   ~/.valgrindrc           --cachegrind:branch-sim=yes --memcheck:leak-check=full
 *   VALGRIND_OPTS           --cache-sim=yes
 *   the command line        --tool=cachegrind --log-file=x.log ./prog arg
 *   -> --branch-sim=yes --cache-sim=yes --log-file=x.log, in this order: the last one of a name decides
 */
#ifndef QN_TOOL_VALGRIND_H
#define QN_TOOL_VALGRIND_H

#include <stdbool.h>
#include <stddef.h>

#include "../options.h"

/* A list of words; its last is NULL. */
struct qn_words {
    char **list;
    size_t count;
};

bool qn_words_add(struct qn_words *words, const char *word);

/* All options for `tool`, in the order in which they count, without a tool's name before them.  argv: the options of the command line,
 * argv[options] is the first word behind them.  false: there is no memory. */
bool qn_valgrind_gather(struct qn_words *words, const char *tool, char **argv, size_t options);

/* Tools whose options are known. */
enum qn_valgrind_tool { QN_VALGRIND_CACHEGRIND = 1, QN_VALGRIND_CALLGRIND = 2, QN_VALGRIND_ALL = 255 };

/* Adds to `run` what `quern run` calls this option.  false: it is refused, and a line says why. */
bool qn_valgrind_translate(struct qn_words *run, enum qn_valgrind_tool tool, const char *word);

/* For `quern run`, which has most of these options under the same name: qn_options.foreign. */
enum qn_option_foreign qn_valgrind_take_foreign(const char *word, char ***words);

void qn_valgrind_print_options(void);

#endif
