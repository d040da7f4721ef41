/* array/sectored.c - a sectored cache: one tag for a sector of several lines, each of which is brought in when it is referenced.
 *
 * A sector is so many lines at an address that is a multiple of its size, with one tag and a valid bit for each line. A reference to a
 * line that is not valid in a sector that is there brings this line only; if the sector is not there, the least recently used sector of the set
 * is evicted, with all its lines. Two sectors of four lines, A B C D and E F G H, and I J K L; a dot is a line that is not valid:
 *
 *   A        sector and line miss      A . . .
 *   C        line misses               A . C .
 *   F        sector and line miss      . F . .  A . C .
 *   A        hits                      A . C .  . F . .
 *   I        sector and line miss      I . . .  A . C .      F has left, and three places beside it were never used
 *
 * Sets and ways are of sectors: the cache has as many bytes as --D1= says, and as many ways, so the sets are fewer by the lines of a sector.
 *
 * Options: `sector-lines` (4; 2, 4 or 8).
 * Events: `sector-misses`; the other misses found the sector.
 * Storage: (tag + sector-lines) bits per sector, where others have (tag + 1) per line.
 * Source: J. S. Liptay, Structural aspects of the System/360 Model 85, II: The cache, IBM Systems Journal 7(1), 1968. There, 16 sectors of 16
 * blocks of 64 bytes, fully associative: --D1=16384,32,64 with sectors of 8 comes near. */
#include "sim/lines.h"

#define LEVEL "sectored"
#define LEVEL_DROP 1
#define LEVEL_SETTLED 1
#define LEVEL_WRITES_SETTLED 1

static struct lines sectors; /* flags: a bit for each line that is valid */
static unsigned lines_of_sector, sector_misses;

static void cachesim_X_initcache(const struct sim_config *c)
{
    unsigned more_bits = 1;

    lines_of_sector = (unsigned)sim_option_within(c->slot, LEVEL, "sector-lines", 4, 2, 8);
    while (1u << more_bits < lines_of_sector)
        more_bits++;
    if (1u << more_bits != lines_of_sector || c->sets % lines_of_sector)
        sim_fail(c->slot, LEVEL, "sector-lines", 0, "must be 2, 4 or 8, and a divisor of the number of sets");
    lines_init(&sectors, c->sets / lines_of_sector, c->ways, c->line_bits + more_bits);
    sector_misses = sim_event(c->slot, "sector-misses", "references to lines whose sector was not there");
}

static uint64_t sector_of(uint64_t line) { return line >> sectors.bits << sectors.bits; }
static uint8_t bit_of(uint64_t line) { return (uint8_t)(1u << (line >> sim.line_bits & (lines_of_sector - 1))); }

static bool cachesim_X_settled(uint64_t line)
{
    uint64_t set = lines_set(&sectors, line);

    return sectors.line[set] == sector_of(line) && (sectors.flags[set] & bit_of(line));
}

/* Another sector becomes the most recently used of the set: lines of the one before are no longer settled. */
static void leave_front(uint64_t sector)
{
    uint64_t front = sectors.line[lines_set(&sectors, sector)];

    for (unsigned i = 0; front != LINES_NONE && i < lines_of_sector; i++)
        sim_dropped(front + ((uint64_t)i << sim.line_bits));
}

static void cachesim_X_drop(uint64_t line)
{
    uint64_t set = lines_set(&sectors, line);
    uint32_t way = rows_find(&sectors.line[set], sectors.ways, sector_of(line));

    if (way < sectors.ways)
        sectors.flags[set + way] &= (uint8_t)~bit_of(line);
}

static void cachesim_X_doref(uint64_t addr, uint32_t size, enum sim_kind kind, struct sim_result *result)
{
    (void)kind;
    LINES_OF(line, addr, size) {
        uint8_t *valid;

        if (!lines_newest(&sectors, sector_of(line)))
            leave_front(sector_of(line));
        valid = lines_find(&sectors, sector_of(line));
        if (valid && (*valid & bit_of(line)))
            continue;
        result->miss = true;
        if (valid) {
            *valid |= bit_of(line);
            continue;
        }
        sim_count(sector_misses, 1);
        lines_add(&sectors, sector_of(line), bit_of(line));
    }
}
