/*
 * The geometry of caches as numbers. See csv_head.h.
 *
 * In:  desc: D1 cache:         32768 B, 64 B, 8-way associative
 * Out: D1 size 32768, D1 ways 8, D1 line 64; 0 for what the profile does not have
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "out/csv/csv_head.h"

const char *const qn_out_csv_geometry_names[QN_OUT_CSV_GEOMETRY] = {
    "I1 size", "I1 ways", "I1 line", "D1 size", "D1 ways", "D1 line", "LL size", "LL ways", "LL line",
};

/* "32768 B, 64 B, 8-way associative", or Cachegrind's "..., direct-mapped". */
static void parse_cache(const char *value, uint64_t numbers[3])
{
    uint64_t size, line, ways;
    int n = 0;
    if (sscanf(value, "%" SCNu64 " B, %" SCNu64 " B, %n", &size, &line, &n) != 2 || n == 0)
        return;
    if (strcmp(value + n, "direct-mapped") == 0)
        ways = 1;
    else if (sscanf(value + n, "%" SCNu64 "-way", &ways) != 1)
        return;
    numbers[0] = size;
    numbers[1] = ways;
    numbers[2] = line;
}

void qn_out_csv_find_geometry(const struct qn_prof_header *h, uint64_t numbers[QN_OUT_CSV_GEOMETRY])
{
    static const char *const keys[] = {"I1 cache:", "D1 cache:", "LL cache:"};
    memset(numbers, 0, QN_OUT_CSV_GEOMETRY * sizeof *numbers);
    for (int i = 0; i < h->desc_count; i++)
        for (int k = 0; k < 3; k++) {
            size_t n = strlen(keys[k]);
            const char *text = h->descs[i].text;
            if (strncmp(text, keys[k], n) == 0)
                parse_cache(text + n + strspn(text + n, " "), numbers + 3 * k);
        }
}
