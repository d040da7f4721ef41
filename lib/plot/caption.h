/* lib/plot/caption.h - the small print below a picture: program, caches, simulator, counting, quern.
 *
 *   a sweep        what is the same in all rows and is not drawn
 *   a profile      what its descriptions say
 *   a log          the same, from its first lines
 */
#ifndef QN_PLOT_CAPTION_H
#define QN_PLOT_CAPTION_H

#include "plot/keys.h"
#include "plot/picture.h"
#include "prof/read.h"

void qn_plot_caption_sweep(struct qn_plot_picture *p, const struct qn_plot_keys *k);
void qn_plot_caption_profile(struct qn_plot_picture *p, const struct qn_prof_header *h);
/* Opens a profile and puts its description into the caption; NULL with `err` filled.  To be closed. */
struct qn_prof_reader *qn_plot_open_profile(struct qn_plot_picture *p, const char *path, struct qn_text_error *err);
/* Of A and B: what they have in common once, the rest behind "A: " and "B: ". */
void qn_plot_caption_two(struct qn_plot_picture *p, const struct qn_prof_header *a, const struct qn_prof_header *b);

/* The sets of D1 or LL; 0: the profile does not say. */
double qn_plot_count_sets(const struct qn_prof_header *h, const char *level);

/* The program first, as "./prog arg". */
void qn_plot_caption_command(struct qn_plot_picture *p, const char *command);
/* "D1: 32 KiB, 8 ways, lines of 64 B" of level D1 and "32768 B, 64 B, 8-way associative"; NULL where that is something
 * else. */
char *qn_plot_read_cache(struct qn_exp_memory *m, const char *level, const char *text);

#endif
