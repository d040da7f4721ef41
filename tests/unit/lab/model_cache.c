/* Do the graders' caches do what textbooks and hand-worked examples say? */
#include "lab/models/models.h"

#include <string.h>

#include "tap.h"

/* Touches the lines named by letters and returns how many of the touches missed. */
static int misses(struct qn_lab_cache *cache, const char *lines)
{
    int n = 0;

    for (size_t i = 0; lines[i]; i++) {
        const char *again = strchr(lines + i + 1, lines[i]);

        n += !qn_lab_touch_line(cache, (uint64_t)lines[i], again ? (uint64_t)(again - lines) : UINT64_MAX).hit;
    }
    return n;
}

static int belady(enum qn_lab_policy policy, unsigned frames)
{
    struct qn_lab_cache *cache = qn_lab_new_cache(policy, 1, frames);
    int n = misses(cache, "123412512345");

    qn_lab_free_cache(cache);
    return n;
}

/* The letter that leaves when the last line of `lines` comes; 0: none. */
static char victim(enum qn_lab_policy policy, unsigned ways, const char *lines)
{
    struct qn_lab_cache *cache = qn_lab_new_cache(policy, 1, ways);
    struct qn_lab_touch t = { .hit = false };

    for (; *lines; lines++)
        t = qn_lab_touch_line(cache, (uint64_t)*lines, 0);
    qn_lab_free_cache(cache);
    return t.evicted ? (char)t.victim : 0;
}

int main(void)
{
    struct qn_lab_cache *cache;

    is_int(belady(QN_LAB_FIFO, 3), 9, "Belady's string, FIFO, 3 frames");
    is_int(belady(QN_LAB_FIFO, 4), 10, "FIFO, 4 frames");
    is_int(belady(QN_LAB_LRU, 3), 10, "LRU, 3 frames");
    is_int(belady(QN_LAB_LRU, 4), 8, "LRU, 4 frames");
    is_int(belady(QN_LAB_OPT, 3), 7, "OPT, 3 frames");
    is_int(belady(QN_LAB_OPT, 4), 6, "OPT, 4 frames");

    is_int(victim(QN_LAB_LRU, 3, "ABCAD"), 'B', "LRU: B was used longest ago");
    is_int(victim(QN_LAB_FIFO, 3, "ABCAD"), 'A', "FIFO: A came first");
    is_int(victim(QN_LAB_PLRU, 4, "ABCDE"), 'A', "PLRU: after A B C D all pointers lead to A");
    is_int(victim(QN_LAB_PLRU, 4, "ABCDAE"), 'C', "PLRU: after one more A they lead to C");
    is_int(victim(QN_LAB_NRU, 4, "ABCDE"), 'A', "NRU: D cleared all other bits");
    is_int(victim(QN_LAB_NRU, 4, "ABCDABE"), 'C', "NRU: the first whose bit is clear");
    is_int(victim(QN_LAB_SRRIP, 2, "AABC"), 'B', "SRRIP: a line that was used again stays");
    is_int(victim(QN_LAB_LRU, 4, "ABCD"), 0, "free ways are filled first");

    cache = qn_lab_new_cache(QN_LAB_LRU, 2, 1);
    is_int(misses(cache, "0101"), 2, "lines of different sets do not meet");
    is_int(misses(cache, "0202"), 3, "lines of the same set do");
    qn_lab_free_cache(cache);
    return done_testing();
}
