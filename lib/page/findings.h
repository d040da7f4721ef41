/* lib/page/findings.h - what to look at first, as report/findings.c ranks it, as JSON behind the rest of a page's data.
 *
 *   ,"findings":[{"what":"a.c:10, in f: 9 D1 misses","proof":"...","advice":"...","file":"/src/a.c","line":10}],"hints":["compile it with -g"],
 *   "classes":{"compulsory":"Compulsory misses: ...",...}
 */
#ifndef QN_PAGE_FINDINGS_H
#define QN_PAGE_FINDINGS_H

#include "page/log.h"
#include "page/profile.h"

struct qn_report_facts;

/* A profile and what lies beside it; tables without columns: there is none.  log: NULL, or the misses by size and set. */
struct qn_page_found {
    struct qn_page_profile *profile;
    const struct qn_text_table *intervals, *runs, *sharing, *culprits;
    const struct qn_page_log *log;
};

/* Of facts that a report has gathered. */
void qn_page_put_findings(struct qn_report_facts *f, FILE *out);
/* Gathers them, then the same.  Nothing is written of a profile without instructions. */
void qn_page_find(const struct qn_page_found *from, FILE *out);

#endif
