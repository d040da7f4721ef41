/* array/decoupled.c - a decoupled sectored cache: few address tags, each for several lines, and lines that point to one of the tags of their set.
 *
 * A sectored cache saves tags: one for a sector of several lines. But where two sectors are used by turns, each evicts all lines of the other, and
 * places stay empty. Here a set has more tags than room for sectors, and each line frame a pointer that says to which of them its line belongs. So a
 * frame holds line 2, say, of any of the sectors that have a tag. Room for one sector of four lines, two tags; A B C D and E F G H are sectors, so are
 * I J K L:
 *
 *   A        sector and line miss      tags A      A . . .
 *   F        sector and line miss      tags E A    A F . .      sectored would have lost A
 *   A        hits                      tags A E    A F . .
 *   B        line misses               tags A E    A B . .      F's frame
 *   K        sector and line miss      tags I A    A B K .      E's tag is taken: F would leave if it were still there
 *
 * The rules: on a miss of the sector, the least recently used tag of the set is taken, and all its lines leave. The line goes into the frame for its
 * place in a sector; where the set has room for W sectors there are W, and the least recently used line leaves.
 *
 * Sets and ways are of sectors, as in sectored: --D1=16384,1,64 with sectors of 4 has 64 sets with room for one sector each.
 *
 * Options: `sector-lines` (4; 2, 4 or 8), `sector-tags` (0, which is 2 W), of a set.
 * Events: `sector-misses`; the other misses found the tag.
 * Storage: sector-tags times (tag, 1) bits, and W sector-lines times (1 + log2 sector-tags), per set; others: (tag + 1) per line; and the orders of use.
 * Source: A. Seznec, Decoupled sectored caches: conciliating low tag implementation cost and low miss ratio, ISCA 1994 (there tags are 2 and 4 for
 * each room, and a set's rooms do not share them). */
#include "sim/lines.h"

#define LEVEL "decoupled"
#define LEVEL_LINES frames
#define LEVEL_DROP 1
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1

static struct lines tags, frames; /* frames: a set for each place in a sector */
static unsigned lines_of_sector, sector_misses;

static void cachesim_X_initcache(const struct sim_config *c)
{
    uint32_t tags_of_set = (uint32_t)sim_option_within(c->slot, LEVEL, "sector-tags", 0, 0, 4096);

    lines_of_sector = (unsigned)sim_option_within(c->slot, LEVEL, "sector-lines", 4, 2, 8);
    if (!qn_is_pow2(lines_of_sector) || c->sets % lines_of_sector)
        sim_fail(c->slot, LEVEL, "sector-lines", 0, "must be 2, 4 or 8, and a divisor of the number of sets");
    lines_init(&tags, c->sets / lines_of_sector, tags_of_set ? tags_of_set : 2 * c->ways, c->line_bits + (uint32_t)__builtin_ctz(lines_of_sector));
    lines_init(&frames, c->sets, c->ways, c->line_bits);
    sector_misses = sim_event(c->slot, "sector-misses", "references to lines whose sector had no tag");
}

static uint64_t sector_of(uint64_t line) { return line >> tags.bits << tags.bits; }
static bool cachesim_X_settled(uint64_t line) { return lines_newest(&tags, sector_of(line)) && lines_newest(&frames, line); }
static void cachesim_X_drop(uint64_t line) { lines_remove(&frames, line); }

/* Another sector becomes the most recently used of its set: lines of the one before are no longer settled. */
static void leave_front(uint64_t sector)
{
    uint64_t front = tags.line[lines_set(&tags, sector)];

    for (unsigned i = 0; front != LINES_NONE && i < lines_of_sector; i++)
        sim_dropped(front + ((uint64_t)i << sim.line_bits));
}

static void bring_tag(uint64_t sector)
{
    sim_count(sector_misses, 1);
    lines_add(&tags, sector, 0);
    for (unsigned i = 0; tags.out != LINES_NONE && i < lines_of_sector; i++)
        lines_remove(&frames, tags.out + ((uint64_t)i << sim.line_bits));
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        if (!lines_newest(&tags, sector_of(line)))
            leave_front(sector_of(line));
        if (!lines_find(&tags, sector_of(line)))
            bring_tag(sector_of(line));
        if (lines_find(&frames, line))
            continue;
        result->miss = true;
        lines_add(&frames, line, 0);
    }
}
