/* lib/plot/words.h - the texts for numbers and columns in a picture.
 *
 *   65536              -> "64 KiB"
 *   D1_miss_percent    -> "D1 misses per 100 references"
 *   D1_size            -> "size of the D1 (bytes)"
 *   32768, 8, 64       -> "32 KiB, 8 ways, lines of 64 B"
 */
#ifndef QN_PLOT_WORDS_H
#define QN_PLOT_WORDS_H

#include "text/memory.h"

char *qn_plot_say_bytes(struct qn_text_memory *m, double bytes);
/* A geometry; 0: not known, or not the same for all. */
char *qn_plot_say_cache(struct qn_text_memory *m, double size, double ways, double line);
/* A column of a sweep, of intervals, or an event, with its unit. */
const char *qn_plot_say_column(struct qn_text_memory *m, const char *column);
/* A key of a curve, for the legend: column sim, value srrip -> "srrip"; D1_ways, 4 -> "4 ways". */
const char *qn_plot_say_value(struct qn_text_memory *m, const char *column, const char *value);
/* 262144 -> "262 k"; sign: also a "+" for positive ones. */
char *qn_plot_say_count(struct qn_text_memory *m, double count, bool sign);
/* At most `room` characters; the middle is cut out. */
char *qn_plot_shorten(struct qn_text_memory *m, const char *text, size_t room);
/* The same of a function's name, which loses template arguments, parameters, the type before it and outer namespaces first:
 * void std::sort<int*, cmp>(int*, int*, cmp) -> std::sort<>(); of an inlined function both names: f (inlined in main) -> f (in main) */
char *qn_plot_shorten_name(struct qn_text_memory *m, const char *name, size_t room);

#endif
