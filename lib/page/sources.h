/* lib/page/sources.h - writes the source of a file for the page: whole, or the surroundings of its lines with counts.
 *
 *   a.c of 31 lines            ->  ,"size":31,"text":[[1,["int main(void)", ...]]]
 *   large.c, counted: 900      ->  ,"size":250000,"text":[[890,[...]]]
 *   not here                   ->  ,"why":"No such file or directory"
 *   not whole                  ->  also ,"more":true    the whole source is in the second file, a script:
 *
 *       sourcesCame([{"name":"/src/large.c","text":[[1,["int main(void)", ...]]]}]);
 *
 * A line of more than LINE_MOST bytes is [beginning, bytes in all].  "newer":true: it was modified after the profile was made.
 */
#ifndef QN_PAGE_SOURCES_H
#define QN_PAGE_SOURCES_H

#include "text/source.h"
#include "page/profile.h"

/* Numbers of lines, ascending; they may repeat. */
struct qn_page_numbers {
    uint32_t *at;
    size_t count;
};

void qn_page_sort_numbers(struct qn_page_numbers *n);

/* Writes ,"text":[...],"size":N of a source: all lines, or those near `n`, as pieces of consecutive lines, as far as `room` (bytes) allows.
 * Returns what is left of `room`. */
size_t qn_page_put_pieces(FILE *out, struct qn_text_source *source, const struct qn_page_numbers *n, bool whole, size_t room);

/* Writes what the table above shows for a file.  Returns what is left of `room`, bytes. */
size_t qn_page_put_source(struct qn_page_profile *p, const struct qn_page_request *q, struct qn_page_file *file, FILE *out,
                          size_t room);

/* Writes the sources marked as `more` to q->more and adds their number to *count; after the last profile, the end. */
void qn_page_put_more(struct qn_page_profile *p, const struct qn_page_request *q, size_t *count);
void qn_page_end_more(const struct qn_page_request *q, size_t count);

#endif
