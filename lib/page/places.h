/* lib/page/places.h - the places in the source that steps of a page happen at, each once, and the source around them.
 *
 *   qn_page_find_place(p, "/src/a.c", "14", "main")   ->  0
 *   qn_page_put_places(p, out)                        ->  "places":[["/src/a.c",14,"main"]]
 *   qn_page_put_place_sources(p, out)                 ->  "files":[{"name":"/src/a.c","text":[[10,["..."]]],"size":40}]
 */
#ifndef QN_PAGE_PLACES_H
#define QN_PAGE_PLACES_H

#include <stdio.h>

#include "exp/memory.h"

struct qn_page_places {
    struct qn_exp_memory *memory;
    struct qn_page_place {
        const char *file, *line, *function;
    } *list;
    size_t count;
};

/* Its number.  The texts stay the caller's. */
size_t qn_page_find_place(struct qn_page_places *p, const char *file, const char *line, const char *function);

void qn_page_put_places(const struct qn_page_places *p, FILE *out);
void qn_page_put_place_sources(const struct qn_page_places *p, FILE *out);

#endif
