/* lib/plot/flame.h - a flame graph: the paths of calls of a profile (`quern run --calls=paths`) as bars upon each other.
 *
 *   main 300, main;f 600   ->   [all 900      ]      f.svg, which needs no gnuplot: its script, for zoom and search, is in it
 *                               [main 900     ]
 *                               [   ][f 600   ]
 *
 * The width of a bar is the inclusive count of the path; its colour shows the misses of level 1 per 1000 instructions.  Invariants: the
 * callees' bars together are not wider than the caller's; texts are text elements, so that a viewer's search finds them.
 */
#ifndef QN_PLOT_FLAME_H
#define QN_PLOT_FLAME_H

#include <stdio.h>

#include "plot/plot.h"
#include "stacks/stacks.h"

struct qn_plot_flame_bar {
    uint32_t parent;           /* a bar that comes before; the first bar is all */
    uint32_t depth;            /* of the first 0 */
    const char *name, *file;   /* file: "" if it is not known */
    int64_t calls;
    double value, own;         /* of the event: inclusive, exclusive */
    double instructions, misses; /* inclusive; misses below 0: not counted */
    double left;               /* where it begins, in the event */
};

struct qn_plot_flame {
    struct qn_stacks_tree tree;
    struct qn_plot_flame_bar *bars; /* depth first */
    size_t count;
    uint32_t deepest;
    const char *title, *event, *caption;
};

/* Draws into request->output. */
enum qn_text_status qn_plot_draw_flame(const struct qn_plot_request *q, struct qn_text_error *err);

/* The text of the picture: flame_svg.c. */
void qn_plot_write_flame(const struct qn_plot_flame *f, const struct qn_plot_request *q, FILE *out);

#endif
