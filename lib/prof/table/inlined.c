/*
 * The short form of the name of an inlined function. See inlined.h.
 *
 * Names of functions may contain " at " and ", in ", too; so the last one of each is taken for the chain's.
 */
#define _GNU_SOURCE
#include "prof/table/inlined.h"

#include <ctype.h>
#include <string.h>

#define BEGINS " (inlined in "
#define GOES_ON ", in "
#define AT " at "

/* The last place of `what`, before `end`; NULL: none. */
static const char *find_last(const char *from, const char *end, const char *what)
{
    const char *found = NULL, *next;

    while ((next = memmem(from, (size_t)(end - from), what, strlen(what)))) {
        found = next;
        from = next + 1;
    }
    return found;
}

/* Does the name end in ":20)"? */
static int ends_in_a_line(const char *name, size_t n)
{
    size_t i = n - 1;

    while (i > 0 && isdigit((unsigned char)name[i - 1]))
        i--;
    return i < n - 1 && i > 0 && name[i - 1] == ':';
}

/* Finds the name of the function that the code is inlined in, from *outer to *end. 0: nothing is inlined. */
static int find_outer(const char *name, size_t n, const char **begin, const char **outer, const char **end)
{
    const char *last, *at;

    *begin = memmem(name, n, BEGINS, strlen(BEGINS));
    if (!*begin || name[n - 1] != ')')
        return 0;
    *begin += strlen(BEGINS);
    *end = name + n - 1;
    last = find_last(*begin, *end, GOES_ON);
    *outer = last ? last + strlen(GOES_ON) : *begin;
    at = ends_in_a_line(name, n) ? find_last(*outer, *end, AT) : NULL; /* the place of a call is not always known */
    *end = at ? at : *end;
    return 1;
}

void qn_prof_shorten_inlined(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (!find_outer(name, n, &begin, &outer, &end)) {
        qn_text_append(out, name, n);
        return;
    }
    qn_text_append(out, name, (size_t)(begin - name));
    qn_text_append(out, outer, (size_t)(end - outer));
    qn_text_append(out, ")", 1);
}

void qn_prof_inlined_into(const char *name, size_t n, struct qn_text_buffer *out)
{
    const char *begin, *outer, *end;

    out->length = 0;
    if (find_outer(name, n, &begin, &outer, &end))
        qn_text_append(out, outer, (size_t)(end - outer));
    else
        qn_text_append(out, name, n);
}
