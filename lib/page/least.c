/* lib/page/least.c - finds the cost from which on a row has room on the page.  See profile.h. */
#include "page/profile.h"

/* C. A. R. Hoare, Algorithm 65: Find, Communications of the ACM 4 (1961), with the largest first; signed numbers, because `k` may go below 0. */
double qn_page_find_least(double *costs, size_t count, size_t most)
{
    ptrdiff_t wanted = (ptrdiff_t)most - 1, from = 0, to = (ptrdiff_t)count - 1;

    if (count <= most)
        return 0;
    while (from < to) {
        double pivot = costs[wanted];
        ptrdiff_t i = from, k = to;

        while (i <= k) {
            while (costs[i] > pivot)
                i++;
            while (costs[k] < pivot)
                k--;
            if (i <= k) {
                double cost = costs[i];

                costs[i++] = costs[k];
                costs[k--] = cost;
            }
        }
        from = k < wanted ? i : from;
        to = wanted < i ? k : to;
    }
    return costs[wanted];
}
