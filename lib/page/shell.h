/* lib/page/shell.h - writes what is around the data of a page: markup, style, scripts.
 *
 *   qn_page_begin(out, "./prog")      <!DOCTYPE html> ... <body><noscript>
 *   a table for readers without scripts
 *   qn_page_begin_data(out)           </noscript> ... <script type="application/json" id="data">
 *   JSON
 *   qn_page_end(out, QN_PAGE_EXPLORE) </script><script> ... </script></body></html>
 *
 * Style and scripts are the files *.css and *.js of this folder; build-aux/page-files.sh makes page_files.h of them.
 */
#ifndef QN_PAGE_SHELL_H
#define QN_PAGE_SHELL_H

#include <stdio.h>

enum qn_page_script { QN_PAGE_EXPLORE, QN_PAGE_WATCH };

/* At the top of each page, by which quern recognises it. */
#define QN_PAGE_MARK "<!-- made by quern page -->"

void qn_page_begin(FILE *out, const char *title);
void qn_page_begin_data(FILE *out);
void qn_page_end(FILE *out, enum qn_page_script script);

#endif
