/* lib/plot/caption.h - the small print below a picture: program, caches, simulator, counting, quern.
 *
 *   a sweep        columns that are the same in all rows and are not drawn
 *   a profile      its descriptions
 *   a log          its first lines
 */
#ifndef QN_PLOT_CAPTION_H
#define QN_PLOT_CAPTION_H

#include "plot/keys.h"
#include "plot/picture.h"
#include "prof/read.h"

void qn_plot_caption_sweep(struct qn_plot_picture *p, const struct qn_plot_keys *k);
void qn_plot_caption_profile(struct qn_plot_picture *p, const struct qn_prof_header *h);
/* Opens a profile and puts its description into the caption; close it afterwards.  NULL with `err` filled. */
struct qn_prof_reader *qn_plot_open_profile(struct qn_plot_picture *p, const char *path, struct qn_text_error *err);
/* For two profiles: what both have once, the rest behind "A: " and "B: ". */
void qn_plot_caption_two(struct qn_plot_picture *p, const struct qn_prof_header *a, const struct qn_prof_header *b);

/* The number of sets of D1 or LL; 0: the profile does not have it. */
double qn_plot_count_sets(const struct qn_prof_header *h, const char *level);

/* The program first, as "./prog arg". */
void qn_plot_caption_command(struct qn_plot_picture *p, const char *command);
/* "D1: 32 KiB, 8 ways, lines of 64 B" for level D1 and "32768 B, 64 B, 8-way associative"; NULL: the text has another form. */
char *qn_plot_read_cache(struct qn_text_memory *m, const char *level, const char *text);

#endif
