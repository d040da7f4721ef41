/* Which caches does a machine have by CPUID, and is it told where its L2 stands for an L3 of which CPUID does not give the ways? */
#include <cpuid.h>
#include <stdint.h>
#include <string.h>

#include "collect/collect.h"
#include "tap.h"

/* What CPUID answers: an old AMD's leaves. */
static uint32_t L1d, L1i, L2, L3;

static uint32_t answer(uint32_t leaf, char which)
{
    switch (leaf) {
    case 0x80000005u: return which == 'c' ? L1d : which == 'd' ? L1i : 0;
    case 0x80000006u: return which == 'c' ? L2 : which == 'd' ? L3 : 0;
    default: return 0;
    }
}

#undef __cpuid
#undef __cpuid_count
#define __cpuid(leaf, a, b, c, d) ((a) = answer(leaf, 'a'), (b) = answer(leaf, 'b'), (c) = answer(leaf, 'c'), (d) = answer(leaf, 'd'), (void)(a), (void)(b), (void)(c), (void)(d))
#define __cpuid_count(leaf, count, a, b, c, d) ((void)(count), __cpuid(leaf, a, b, c, d))
#define __get_cpuid_max(leaf, signature) ((leaf) ? 0x80000008u : 1u)
#include "../../../lib/collect/geometry.c"

void qn_collect_complain(const char *format, ...) { (void)format; }

static void choose(uint32_t size, const char *what, enum qn_collect_origin wanted)
{
    struct qn_collect_options o;
    struct qn_geometry geometry[QN_COLLECT_LEVELS];
    enum qn_collect_origin origin[QN_COLLECT_LEVELS];

    memset(&o, 0, sizeof o);
    qn_collect_choose_geometry(&o, geometry, origin);
    is_int(geometry[QN_COLLECT_LL].size, size, "%s: the size of the LL", what);
    is_int(origin[QN_COLLECT_LL], wanted, "%s: where it comes from", what);
    is_int(origin[QN_COLLECT_D1], QN_COLLECT_HOST, "%s: the D1 is the machine's", what);
}

int main(void)
{
    L1d = L1i = 32u << 24 | 8u << 16 | 64;  /* 32 KiB, 8 ways, lines of 64 bytes */
    L2 = 1024u << 16 | 6u << 12 | 64;       /* 1 MiB, 8 ways */
    L3 = 64u << 18 | 8u << 12 | 64;         /* 32 MiB, 16 ways */
    choose(32u << 20, "an L3 of 16 ways", QN_COLLECT_HOST);
    L3 = 64u << 18 | 9u << 12 | 64;         /* the ways stand in another leaf, which is not there */
    choose(1u << 20, "an L3 without ways", QN_COLLECT_NEXT);
    L3 = 0;
    choose(1u << 20, "no L3", QN_COLLECT_HOST);
    L2 = 0;
    choose(262144, "no L2", QN_COLLECT_DEFAULT);
    return done_testing();
}
