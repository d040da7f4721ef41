/* lib/report/pictures.h - the pictures of the page: <figure> with the image, and links to its data and script.
 *
 * The page is written once, with a place for each picture; its text is put together when gnuplot has drawn all of them.
 */
#ifndef QN_REPORT_PICTURES_H
#define QN_REPORT_PICTURES_H

#include <stdio.h>

#include "report/facts.h"

/* Writes data and script of a picture, unless that was tried before, and adds it to the batch. */
void qn_report_prepare(struct qn_report_facts *f, enum qn_report_picture which);
/* The same, and notes where in the page, `out`, the picture will stand. */
void qn_report_draw(struct qn_report_facts *f, FILE *out, enum qn_report_picture which);
/* Writes the picture there when gnuplot has drawn the batch, or the reason why there is none. */
void qn_report_put_picture(struct qn_report_facts *f, FILE *out, enum qn_report_picture which);

/* <a> to a file beside the page. */
void qn_report_link(FILE *out, const char *name, const char *end);

#endif
