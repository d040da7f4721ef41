/* lib/cost/places/jit_ranges.c - ranges of code made at run time, and the places that their names hold.  See jit_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "cost/places/jit_parts.h"

#define SIZE_MAX_CODE (1ull << 30) /* bytes of one function; more is damage */

/* Takes ":123" off the end of text; false: there is none. */
static bool take_number(char *text, uint32_t *number)
{
    char *colon = strrchr(text, ':'), *end;
    unsigned long n;

    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
        return false;
    n = strtoul(colon + 1, &end, 10);
    if (*end || n > UINT32_MAX)
        return false;
    *colon = 0;
    *number = (uint32_t)n;
    return true;
}

/* "JS:*sum /home/me/sum.js:3:13": function, file, line and column, as V8 writes them. */
void qn_cost_split_jit_name(struct qn_cost_jit_range *r, char *name)
{
    char *blank = strrchr(name, ' ');
    uint32_t column;

    r->function = name;
    if (!blank || blank == name || !take_number(blank + 1, &column))
        return;
    if (!take_number(blank + 1, &r->line)) {
        blank[1 + strlen(blank + 1)] = ':'; /* one number is no place: as it was */
        return;
    }
    *blank = 0;
    r->file = blank + 1;
    if (!strncmp(r->file, "file://", 7))
        r->file += 7;
}

bool qn_cost_add_jit(struct qn_cost_jit *j, const struct qn_cost_jit_range *r)
{
    uint64_t size = r->end - r->start;

    if (!size || size > SIZE_MAX_CODE || !QN_GROW(j->list, j->count, j->room, 1024))
        return false;
    j->list[j->count] = *r;
    j->list[j->count].order = j->count;
    j->count++;
    if (size > j->longest)
        j->longest = size;
    return true;
}

bool qn_cost_find_jit_now(const struct qn_cost_jit *j, uint64_t address, struct qn_cost_jit_place *place)
{
    for (size_t i = j->count; i-- > 0;)
        if (address - j->list[i].start < j->list[i].end - j->list[i].start) {
            *place = (struct qn_cost_jit_place){j->list[i].function, j->list[i].file, j->list[i].line, j->list[i].end};
            return true;
        }
    return false;
}
