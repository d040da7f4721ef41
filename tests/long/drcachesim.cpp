/* tests/long/drcachesim.cpp - DynamoRIO's cache simulator on a trace as text; compiled by drcachesim.sh with its sources.
 *
 *   drcachesim TRACE I1 D1 L2 LL INCLUSION PREFETCH
 *   drcachesim trace.lk 1024,2,64 1024,2,64 - 4096,4,64 n none          caches as SIZE,WAYS,LINE; L2 - : there is none
 *
 * INCLUSION is that of the LL: n neither, i inclusive, e exclusive.  PREFETCH is the cache with the next-line prefetcher; -D1: one that does
 * nothing about lines that are there.
 * Prints, for each cache, its name, and hits and misses of references, without those of prefetches. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cache.h"
#include "cache_stats.h"
#include "policy_lru.h"
#include "prefetcher.h"

using namespace dynamorio::drmemtrace;

struct own_cache : cache_t {
    explicit own_cache(const char *name) : cache_t(name) {}
    bool has(addr_t tag) { return find_caching_device_block(tag).first != nullptr; } /* contains_tag asks the caches above, too */
};

struct level {
    own_cache cache;
    std::unique_ptr<cache_stats_t> stats;
    explicit level(const char *name) : cache(name) {}
};

/* Theirs, but a line that is there already is not requested again, which would make it recently used. */
struct absent_lines : prefetcher_t {
    long line;
    explicit absent_lines(int bytes) : prefetcher_t(bytes), line(bytes) {}
    void prefetch(caching_device_t *cache, const memref_t &ref, bool missed) override
    {
        int bits = __builtin_ctzl((unsigned long)line);

        if (!static_cast<own_cache *>(cache)->has((ref.data.addr + (addr_t)line) >> bits))
            prefetcher_t::prefetch(cache, ref, missed);
    }
};

static cache_inclusion_policy_t inclusion(char word)
{
    return word == 'i'   ? cache_inclusion_policy_t::INCLUSIVE
           : word == 'e' ? cache_inclusion_policy_t::EXCLUSIVE
                         : cache_inclusion_policy_t::NON_INC_NON_EXC;
}

static void make(level &l, const char *shape, level *below, char word, const std::string &prefetches, const std::vector<caching_device_t *> &above)
{
    long size;
    int ways, line;

    if (std::sscanf(shape, "%ld,%d,%d", &size, &ways, &line) != 3)
        std::exit(2);
    l.stats.reset(new cache_stats_t(line));
    if (!l.cache.init(ways, line, size, below ? &below->cache : nullptr, l.stats.get(),
                      std::unique_ptr<cache_replacement_policy_t>(new policy_lru_t((int)(size / line / ways), ways)),
                      prefetches == l.cache.get_name()         ? new prefetcher_t(line)
                      : prefetches == "-" + l.cache.get_name() ? new absent_lines(line)
                                                               : nullptr,
                      inclusion(word), false, -1, nullptr, above))
        std::exit(2);
}

int main(int argc, char **argv)
{
    level I1("I1"), D1("D1"), L2("L2"), LL("LL");
    std::FILE *trace = argc == 8 ? std::fopen(argv[1], "r") : nullptr;
    bool three = argc == 8 && *argv[4] != '-';
    std::vector<caching_device_t *> first = {&I1.cache, &D1.cache}, middle = {&L2.cache};
    char text[200], kind;
    unsigned long addr;
    unsigned size;

    if (!trace)
        return 2;
    make(LL, argv[5], nullptr, *argv[6], argv[7], three ? middle : first);
    if (three)
        make(L2, argv[4], &LL, 'n', argv[7], first);
    make(I1, argv[2], three ? &L2 : &LL, 'n', argv[7], {});
    make(D1, argv[3], three ? &L2 : &LL, 'n', argv[7], {});
    while (std::fgets(text, sizeof text, trace)) {
        memref_t ref;

        if (std::sscanf(text, " %c %lx,%u", &kind, &addr, &size) != 3)
            continue;
        std::memset(&ref, 0, sizeof ref);
        ref.data.type = kind == 'I' ? TRACE_TYPE_INSTR : kind == 'S' ? TRACE_TYPE_WRITE : TRACE_TYPE_READ;
        ref.data.addr = addr;
        ref.data.size = size;
        (kind == 'I' ? I1 : D1).cache.request(ref);
    }
    for (level *l : {&I1, &D1, &L2, &LL})
        if (l->stats)
            std::printf("%s %ld %ld\n", l->cache.get_name().c_str(), (long)l->stats->get_metric(metric_name_t::HITS),
                        (long)l->stats->get_metric(metric_name_t::MISSES));
    return 0;
}
