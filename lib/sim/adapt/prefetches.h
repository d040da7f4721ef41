/* lib/sim/adapt/prefetches.h - the account of a prefetcher, whatever the cache around it is.
 *
 *   coverage = useful / (useful + misses)      accuracy = useful / prefetches */
static unsigned level_prefetches, level_useful, level_unused; /* events */
static uint64_t level_misses SIM_SHARED;

static void prefetches_init(const struct sim_config *c)
{
    level_prefetches = sim_event(c->slot, "prefetches", "lines prefetched");
    level_useful = sim_event(c->slot, "useful-prefetches", "prefetched lines that were referenced");
    level_unused = sim_event(c->slot, "unused-prefetches", "prefetched lines that left unreferenced");
}

static void prefetches_finish(void)
{
    uint64_t useful = sim_counted(level_useful), all = sim_counted(level_prefetches), would_miss = useful + level_misses;

    sim_print("%s: coverage %lu%%, accuracy %lu%%", sim.slot, 100 * useful / (would_miss ? would_miss : 1), 100 * useful / (all ? all : 1));
}
