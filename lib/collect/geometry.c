/* lib/collect/geometry.c - the geometry of the caches: from the options, otherwise this machine's.
 *
 * In:  --D1=32768,8,64 and nothing for I1 and LL; the environment variable QUERN_CACHES, which states caches of the machine:
 *      "I1=32768,8,64 LL=8388608,16,64"
 * Out: D1 as given; I1 and LL as stated, else from CPUID; if CPUID does not have them, the defaults of the manual.  An L2 only if it is given and
 *      so is the LL: --L2 alone is the older name of --LL
 *
 * A cache is valid if its line is a power of two of at least 16 bytes, the number of sets is a power
 * of two (of L2 and LL any) and size = sets * assoc * line.  A geometry from CPUID is made valid, as Cachegrind does for its last level: the number of sets
 * is rounded down to a power of two, and the ways are scaled, rounded to the nearest number, so that the size stays about the same.  (A
 * 12-way 48 KiB cache with 64 sets is not changed; 24 MiB with 24576 sets of 16 ways become 16384 sets of 24.)
 */
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/collect.h"

#define LINE_MIN 16
#define CPUID_CACHES_INTEL 4u
#define CPUID_CACHES_AMD 0x8000001du
#define CPUID_L1_AMD 0x80000005u
#define CPUID_L2_AMD 0x80000006u
#define CPUID_FEATURES_AMD 0x80000001u
#define CPUID_TOPOEXT (1u << 22)

static const struct qn_geometry defaults[] = { { 65536, 2, 64 }, { 65536, 2, 64 }, { 262144, 8, 64 } }; /* I1, D1, LL */

static bool invalid(const char *name, const char *what, const struct qn_geometry *g, uint64_t got, const char *wanted)
{
    qn_collect_complain("%s=%u,%u,%u: %s: got %llu, wanted %s", name, g->size, g->assoc, g->line, what,
                    (unsigned long long)got, wanted);
    return false;
}

/* "--LL", "--L2", or "QUERN_CACHES: LL" */
static bool is_below_level_1(const char *name)
{
    size_t n = strlen(name);

    return n >= 2 && (!strcmp(name + n - 2, "LL") || !strcmp(name + n - 2, "L2"));
}

bool qn_collect_check_geometry(const char *name, const struct qn_geometry *g)
{
    uint64_t way = (uint64_t)g->assoc * g->line;

    if (g->line < LINE_MIN || !qn_is_pow2(g->line))
        return invalid(name, "line size", g, g->line, "a power of two, at least 16");
    if (g->assoc < 1)
        return invalid(name, "associativity", g, g->assoc, "at least 1");
    if (g->size == 0 || g->size % way)
        return invalid(name, "size", g, g->size, "sets * associativity * line size");
    if (!qn_is_pow2(g->size / way) && !is_below_level_1(name))
        return invalid(name, "number of sets", g, g->size / way, "a power of two");
    return true;
}

static struct qn_geometry make_valid(uint64_t sets, uint64_t assoc, uint64_t line)
{
    uint64_t lines = sets * assoc;

    if (!sets || !assoc || !line)
        return (struct qn_geometry){ 0, 0, 0 };
    line = 1ull << qn_log2(line < LINE_MIN ? LINE_MIN : line);
    sets = 1ull << qn_log2(sets);
    while (sets * ((lines + sets / 2) / sets) * line > UINT32_MAX)
        lines /= 2;
    assoc = (lines + sets / 2) / sets;
    return (struct qn_geometry){ (uint32_t)(sets * assoc * line), (uint32_t)assoc, (uint32_t)line };
}

/* Leaves 4 and 8000001D have the same form, a subleaf for each cache. */
static unsigned list_subleaves(unsigned leaf, struct qn_collect_cache list[QN_COLLECT_CACHES_MAX])
{
    unsigned n = 0, a, b, c, d;

    for (; n < QN_COLLECT_CACHES_MAX; n++) {
        __cpuid_count(leaf, n, a, b, c, d);
        if (!(a & 31))
            break;
        list[n] = (struct qn_collect_cache){ a >> 5 & 7, (enum qn_collect_cache_kind)(a & 31), (uint64_t)c + 1, (uint64_t)(b >> 22) + 1,
                                             (uint64_t)(b & 4095) + 1 };
    }
    return n;
}

static void read_subleaves(unsigned leaf, struct qn_geometry found[QN_COLLECT_LEVELS])
{
    struct qn_collect_cache list[QN_COLLECT_CACHES_MAX];
    unsigned last_level = 0, count = list_subleaves(leaf, list);

    for (unsigned i = 0; i < count; i++) {
        const struct qn_collect_cache *c = &list[i];
        unsigned which = c->level > 1 ? QN_COLLECT_LL : c->kind == QN_COLLECT_FETCHES ? QN_COLLECT_I1 : QN_COLLECT_D1;

        if (which == QN_COLLECT_LL && (c->level <= last_level || c->kind != QN_COLLECT_ALL))
            continue;
        if (which == QN_COLLECT_LL)
            last_level = c->level;
        found[which] = make_valid(c->sets, c->ways, c->line);
        if (c->kind == QN_COLLECT_ALL && c->level == 1) /* one cache for both */
            found[QN_COLLECT_I1] = found[QN_COLLECT_D1];
    }
}

static struct qn_geometry from_size(uint64_t size, uint64_t assoc, uint64_t line)
{
    return size && assoc && line ? make_valid(size / (assoc * line), assoc, line) : (struct qn_geometry){ 0, 0, 0 };
}

static uint64_t decode_ways(unsigned code, uint64_t size, uint64_t line)
{
    static const uint8_t ways[16] = { 0, 1, 2, 3, 4, 6, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0 };

    return code == 15 && line ? size / line : ways[code & 15];
}

/* Returns whether there is an L3 without ways, for which the L2 stands. */
static bool read_legacy(unsigned max, struct qn_geometry found[QN_COLLECT_LEVELS])
{
    unsigned a, b, c, d;
    uint64_t size, line;

    if (max < CPUID_L2_AMD)
        return false;
    __cpuid(CPUID_L1_AMD, a, b, c, d);
    found[QN_COLLECT_D1] = from_size((uint64_t)(c >> 24) << 10, c >> 16 & 255, c & 255);
    found[QN_COLLECT_I1] = from_size((uint64_t)(d >> 24) << 10, d >> 16 & 255, d & 255);
    __cpuid(CPUID_L2_AMD, a, b, c, d);
    size = (uint64_t)(d >> 18) << 19;
    line = d & 255;
    found[QN_COLLECT_LL] = from_size(size, decode_ways(d >> 12 & 15, size, line), line);
    if (found[QN_COLLECT_LL].line)
        return false;
    line = c & 255;
    found[QN_COLLECT_LL] = from_size((uint64_t)(c >> 16) << 10, decode_ways(c >> 12 & 15, (uint64_t)(c >> 16) << 10, line), line);
    return size && found[QN_COLLECT_LL].line;
}

static bool has_leaves_of_AMD(void)
{
    unsigned a, b, c = 0, d;

    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) >= CPUID_CACHES_AMD)
        __cpuid(CPUID_FEATURES_AMD, a, b, c, d);
    return c & CPUID_TOPOEXT;
}

static bool read_cpuid(struct qn_geometry found[QN_COLLECT_LEVELS])
{
    unsigned amd = (unsigned)__get_cpuid_max(0x80000000u, NULL);

    if ((unsigned)__get_cpuid_max(0, NULL) >= CPUID_CACHES_INTEL)
        read_subleaves(CPUID_CACHES_INTEL, found);
    if (found[QN_COLLECT_D1].line || amd < CPUID_L1_AMD)
        return false;
    if (has_leaves_of_AMD())
        read_subleaves(CPUID_CACHES_AMD, found);
    return found[QN_COLLECT_D1].line == 0 && read_legacy(amd, found);
}

unsigned qn_collect_list_caches(struct qn_collect_cache list[QN_COLLECT_CACHES_MAX])
{
    unsigned n = (unsigned)__get_cpuid_max(0, NULL) >= CPUID_CACHES_INTEL ? list_subleaves(CPUID_CACHES_INTEL, list) : 0;

    return n || !has_leaves_of_AMD() ? n : list_subleaves(CPUID_CACHES_AMD, list);
}

#define CACHES "QUERN_CACHES"

/* One cache of the variable: "D1=49152,12,64". */
static bool read_stated(const char *word, struct qn_geometry stated[QN_COLLECT_LEVELS])
{
    static const char *const names[] = { CACHES ": I1", CACHES ": D1", CACHES ": LL" };
    struct qn_geometry g;
    int end = -1;

    for (unsigned i = 0; i < QN_ARRAY_LEN(names); i++) {
        if (strncmp(word, strrchr(names[i], ' ') + 1, 2) || sscanf(word + 2, "=%u,%u,%u%n", &g.size, &g.assoc, &g.line, &end) != 3 ||
            word[2 + end])
            continue;
        stated[i] = g;
        return qn_collect_check_geometry(names[i], &g);
    }
    qn_collect_complain(CACHES ": got '%s', wanted caches as 'I1=32768,8,64 D1=32768,8,64 LL=8388608,16,64'", word);
    return false;
}

static bool read_all_stated(struct qn_geometry stated[QN_COLLECT_LEVELS])
{
    const char *text = getenv(CACHES);
    char *copy = text ? strdup(text) : NULL, *left = copy, *word;
    bool good = copy || !text;

    while (good && (word = strsep(&left, " ")))
        good = !*word || read_stated(word, stated);
    free(copy);
    return good;
}

bool qn_collect_choose_geometry(const struct qn_collect_options *o, struct qn_geometry geometry[QN_COLLECT_LEVELS],
                            enum qn_collect_origin origin[QN_COLLECT_LEVELS])
{
    const struct qn_geometry *machine = o->from_machine.geometry;
    struct qn_geometry host[QN_COLLECT_LEVELS], stated[QN_COLLECT_LEVELS];
    bool stands_in;

    memset(host, 0, sizeof host);
    memset(stated, 0, sizeof stated);
    stands_in = read_cpuid(host);
    if (!read_all_stated(stated))
        return false;
    memset(geometry, 0, QN_COLLECT_LEVELS * sizeof *geometry);
    origin[QN_COLLECT_L2] = o->geometry[QN_COLLECT_L2].line ? QN_COLLECT_GIVEN : QN_COLLECT_MACHINE;
    if (o->geometry[QN_COLLECT_LL].line || machine[QN_COLLECT_LL].line)
        geometry[QN_COLLECT_L2] = o->geometry[QN_COLLECT_L2].line ? o->geometry[QN_COLLECT_L2] : machine[QN_COLLECT_L2];
    for (unsigned i = 0; i < QN_ARRAY_LEN(defaults); i++) {
        if (o->geometry[i].line) {
            geometry[i] = o->geometry[i];
            origin[i] = QN_COLLECT_GIVEN;
        } else if (machine[i].line) {
            geometry[i] = machine[i];
            origin[i] = QN_COLLECT_MACHINE;
        } else if (i == QN_COLLECT_LL && o->geometry[QN_COLLECT_L2].line) {
            geometry[i] = o->geometry[QN_COLLECT_L2];
            origin[i] = QN_COLLECT_AS_L2;
        } else if (stated[i].line) {
            geometry[i] = stated[i];
            origin[i] = QN_COLLECT_STATED;
        } else {
            geometry[i] = host[i].line ? host[i] : defaults[i];
            origin[i] = !host[i].line ? QN_COLLECT_DEFAULT : i == QN_COLLECT_LL && stands_in ? QN_COLLECT_NEXT : QN_COLLECT_HOST;
        }
    }
    return true;
}
