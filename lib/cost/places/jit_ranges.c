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

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

const char *qn_cost_plain_file(char *file)
{
    char *path = strncmp(file, "file://", 7) ? NULL : strchr(file + 7, '/'), *to = path;

    if (!path)
        return file;
    for (const char *from = path; *from; from++) {
        int high = *from == '%' ? hex_digit(from[1]) : -1, low = high < 0 ? -1 : hex_digit(from[2]);

        *to++ = low < 0 || !(high | low) ? *from : (char)(high << 4 | low);
        from += low < 0 || !(high | low) ? 0 : 2;
    }
    *to = 0;
    return path;
}

/* Does a path or a URL begin here? */
static bool begins_file(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");

    return *text == '/' || !strncmp(text, "node:", 5) || (n && !strncmp(text + n, "://", 3));
}

/* The blank before the file: the first that a whole path or a URL follows, because names of folders may have blanks; else the last one. */
static char *find_file(char *name)
{
    for (char *blank = strchr(name, ' '); blank; blank = strchr(blank + 1, ' '))
        if (begins_file(blank + 1))
            return blank;
    return strrchr(name, ' ');
}

/* "JS:*sum /home/me/sum.js:3:13": function, file, line and column, as V8 writes them. */
void qn_cost_split_jit_name(struct qn_cost_jit_range *r, char *name)
{
    char *blank = find_file(name);
    uint32_t column;

    r->function = name;
    if (!blank || blank == name || !take_number(blank + 1, &column))
        return;
    if (!take_number(blank + 1, &r->line)) {
        blank[1 + strlen(blank + 1)] = ':'; /* one number is no place: as it was */
        return;
    }
    *blank = 0;
    r->file = qn_cost_plain_file(blank + 1);
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
