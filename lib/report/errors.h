/* lib/report/errors.h - what to look at first, in the form of a compiler's messages, which editors read.
 *
 *   mm.c:12:27: 16.9 M D1 misses (86%): capacity, on b
 *
 * The findings about places of qn_report_find, in its order.  The column is that of the object on which the line misses, if the line names it, else
 * that of its first character that is not blank; 1 if there is no source.  An editor counts a tab as one column here.
 */
#ifndef QN_REPORT_ERRORS_H
#define QN_REPORT_ERRORS_H

#include "out/report.h"

enum qn_text_status qn_report_put_errors(struct qn_out_sink *s, const struct qn_out_request *q, struct qn_text_error *err);

#endif
