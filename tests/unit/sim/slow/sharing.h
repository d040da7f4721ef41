/* tests/unit/sim/slow/sharing.h - what analysis/sharing.c counts, by the times of accesses: who has touched what when, and no copies, owners
 * or invalidations.  For the engine and for a test: no libc.
 *
 *   slow_refer(thread, address, size, writes);  slow_end();  slow_total, slow_lines
 *
 * A thread has a line as long as no other one has written to it since it touched it last.  A miss was true sharing if a byte was touched, before the
 * next miss, whose last writer is another thread, and which was written after this thread's last miss that was not false sharing.
 */
#include <stdint.h>

#define SLOW_LINES 8192
#define SLOW_THREADS 16
#define SLOW_BYTES 64

enum { SLOW_TRUE, SLOW_FALSE, SLOW_COLD, SLOW_UPGRADES, SLOW_KINDS };

struct slow_line {
    uint64_t number, count[SLOW_KINDS]; /* number: + 1 */
    uint64_t touched[SLOW_THREADS], wrote[SLOW_THREADS], useful[SLOW_THREADS]; /* times of the last; 0: never */
    uint64_t written_at[SLOW_BYTES];
    uint8_t writer[SLOW_BYTES];
    uint8_t open[SLOW_THREADS];
};

static struct slow_line *slow_lines; /* SLOW_LINES of them, zeroed */
static uint64_t slow_now, slow_total[SLOW_KINDS];
static uint32_t slow_line_bytes = 64;

static struct slow_line *slow_find(uint64_t number)
{
    uint64_t at = number % SLOW_LINES;

    for (unsigned i = 0; i < SLOW_LINES && slow_lines[at].number && slow_lines[at].number != number + 1; i++)
        at = (at + 1) % SLOW_LINES;
    slow_lines[at].number = number + 1;
    return &slow_lines[at];
}

static void slow_count(struct slow_line *l, unsigned kind)
{
    l->count[kind]++;
    slow_total[kind]++;
}

/* The latest of all but one thread. */
static uint64_t slow_others(const uint64_t *times, unsigned but)
{
    uint64_t latest = 0;

    for (unsigned t = 0; t < SLOW_THREADS; t++)
        if (t != but && times[t] > latest)
            latest = times[t];
    return latest;
}

static void slow_come(struct slow_line *l, unsigned t, int writes)
{
    uint64_t written = slow_others(l->wrote, t), touched = slow_others(l->touched, t);

    if (!l->touched[t]) {
        if (written || (writes && touched))
            slow_count(l, SLOW_COLD);
        l->useful[t] = slow_now;
    } else if (written > l->touched[t]) {
        if (l->open[t])
            slow_count(l, SLOW_FALSE);
        l->open[t] = 1;
    } else if (writes && touched > l->wrote[t]) {
        slow_count(l, SLOW_UPGRADES);
    }
}

static void slow_refer_line(unsigned t, uint64_t number, uint32_t first, uint32_t end, int writes)
{
    struct slow_line *l = slow_find(number);

    slow_now++;
    slow_come(l, t, writes);
    for (uint32_t b = first; b < end; b++)
        if (l->written_at[b] > l->useful[t] && l->writer[b] != t && l->open[t]) {
            slow_count(l, SLOW_TRUE);
            l->open[t] = 0;
            l->useful[t] = slow_now;
        }
    for (uint32_t b = first; b < end && writes; b++) {
        l->written_at[b] = slow_now;
        l->writer[b] = (uint8_t)t;
    }
    l->touched[t] = slow_now;
    l->wrote[t] = writes ? slow_now : l->wrote[t];
}

static void slow_refer(unsigned thread, uint64_t address, uint32_t size, int writes)
{
    for (uint64_t at = address; at - address < size;) {
        uint64_t number = at / slow_line_bytes, first = at % slow_line_bytes, left = size - (at - address);
        uint64_t end = first + left < slow_line_bytes ? first + left : slow_line_bytes;

        slow_refer_line(thread % SLOW_THREADS, number, (uint32_t)first, (uint32_t)end, writes);
        at += end - first;
    }
}

/* What is left open was false sharing. */
static void slow_end(void)
{
    for (unsigned i = 0; i < SLOW_LINES; i++)
        for (unsigned t = 0; t < SLOW_THREADS; t++)
            if (slow_lines[i].open[t])
                slow_count(&slow_lines[i], SLOW_FALSE);
}
