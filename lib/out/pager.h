/*
 * The terminal that a report is written to: its width, and a pager as git starts one.
 *
 * In:  PAGER, else less; LESS=FRX unless LESS is set: less ends by itself where the text fits, shows colours, leaves the text on the screen
 * Out: the writer's standard output is the pager's input, and so are its messages if they would go to the terminal
 *
 * Invariants: without a terminal, with PAGER=cat or empty, or where less is not found, nothing is started.
 */
#ifndef QN_OUT_PAGER_H
#define QN_OUT_PAGER_H

#include <stdbool.h>

/* Is fd a terminal that understands more than lines of text? */
bool qn_out_is_terminal(int fd);

/* Characters in a line: of COLUMNS, else of the terminal, else 80; at least 40. */
int qn_out_width(int fd);

/* Calls write(data), here or, if a pager reads what it writes, in a process of its own.  Returns its status once the pager has ended. */
int qn_out_page(bool wanted, int (*write)(void *data), void *data);

#endif
