/*
 * Choosing regions of a profile. See region.h.
 *
 * In:  lines behind the summary
 * Out: which of them belong to what was chosen
 */
#include "prof/region.h"

#include <stdio.h>
#include <string.h>

#include "text/digits.h"

static const char *chosen;

void qn_prof_choose_region(const char *name)
{
    chosen = name;
}

const char *qn_prof_chosen_region(void)
{
    return chosen;
}

static int matches(const char *path, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = path; n > 0 && (at = strstr(at, name)) != NULL; at++)
        if ((at == path || at[-1] == '/') && (at[n] == '\0' || at[n] == '/'))
            return 1;
    return 0;
}

int qn_prof_names_regions(const char *desc)
{
    return strncmp(desc, "Regions:", 8) == 0;
}

static void remember(struct qn_prof_regions *r, const char *path)
{
    size_t n = strlen(r->names);
    snprintf(r->names + n, sizeof r->names - n, "%s%s", n ? ", " : "", path);
}

static int begin(struct qn_prof_regions *r, const char *path, const char **what)
{
    if (r->reading) {
        *what = "a region without its summary";
        return -1;
    }
    r->seen++;
    remember(r, path);
    r->reading = r->chosen && matches(path, r->chosen);
    r->matched += r->reading;
    return 0;
}

/* "#regions: N" */
static int promise(struct qn_prof_regions *r, const char *digits, const char **what)
{
    uint64_t n;
    const char *end = qn_text_parse_digits(digits, INT32_MAX, &n);
    if (!end || *end != '\0') {
        *what = "malformed number of regions";
        return -1;
    }
    r->promised = (int)n;
    return 0;
}

int qn_prof_region_line(struct qn_prof_regions *r, const char *text, const char **what)
{
    static const char count[] = "#regions: ", region[] = "#region: ";
    if (r->promised < 0)
        return strncmp(text, count, sizeof count - 1) == 0 ? promise(r, text + sizeof count - 1, what) : 0;
    if (text[0] != '#') {
        *what = "text behind the summary";
        return -1;
    }
    if (strncmp(text, region, sizeof region - 1) == 0)
        return begin(r, text + sizeof region - 1, what);
    return r->reading;
}
