/* lib/page/watch/places.h - the places in the source where a page's steps happen, each once, and the source around them.
 *
 *   qn_page_find_place(p, "/src/a.c", "14", "main")   ->  0
 *   qn_page_put_places(p, out)                        ->  "places":[["/src/a.c",14,"main"]]
 *   qn_page_put_place_sources(p, out)                 ->  "files":[{"name":"/src/a.c","text":[[10,["..."]]],"size":40}]
 */
#ifndef QN_PAGE_PLACES_H
#define QN_PAGE_PLACES_H

#include <stdio.h>

#include "text/memory.h"

struct qn_page_places {
    struct qn_text_memory *memory;
    struct qn_page_place {
        const char *file, *line, *function;
    } *list;
    size_t count;
};

/* The place's number; adds it if it is new.  The caller owns the texts and keeps them. */
size_t qn_page_find_place(struct qn_page_places *p, const char *file, const char *line, const char *function);

void qn_page_put_places(const struct qn_page_places *p, FILE *out);
void qn_page_put_place_sources(const struct qn_page_places *p, FILE *out);

#endif
