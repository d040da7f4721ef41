/* array/waypred.c - way prediction: only the way of the set that was used last is read at first; a line in another way takes a second look.
 *
 * Hits and misses are those of the default cache, least recently used and write-allocate. In each set the way that was used last is predicted. A
 * hit there costs the energy of one way; a hit elsewhere first reads the wrong way, then the others. The predicted way is in brackets:
 *
 *   A B      miss                      A [B] .  .
 *   B        hits, predicted right     A [B] .  .
 *   A        hits, predicted wrong    [A] B  .  .
 *   A        hits, predicted right    [A] B  .  .
 *
 * What it cannot show: the cycle that a wrong prediction costs. Ways that are read, from its counts: a hit that was predicted right reads one,
 * every other reference to a line reads all W.
 *
 * Events: `way-mispredicts`, hits in another way than predicted.
 * Storage: log2 W bits per set.
 * Source: K. Inoue, T. Ishihara, K. Murakami, Way-predicting set-associative cache for high performance and low energy consumption, ISLPED
 * 1999. */
#include "sim/lines.h"

#define LEVEL "waypred"
#define LEVEL_SLOTS (LEVEL_IN_I1 | LEVEL_IN_D1)
#define LEVEL_LINES lines
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1
#define LEVEL_DROP 1

static struct lines lines;
static unsigned mispredicts;

static void cachesim_X_initcache(const struct sim_config *c)
{
    lines_init(&lines, c->sets, c->ways, c->line_bits);
    mispredicts = sim_event(c->slot, "way-mispredicts", "hits in another way than the one predicted");
}

static bool cachesim_X_settled(uint64_t line) { return lines_newest(&lines, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&lines, line); }

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        bool predicted = lines_newest(&lines, line);

        if (lines_find(&lines, line)) {
            if (!predicted)
                sim_count(mispredicts, 1);
            continue;
        }
        result->miss = true;
        lines_add(&lines, line, 0);
    }
}
