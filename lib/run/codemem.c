/* lib/run/codemem.c - memory of the code cache: one memfd seen twice, executable at QN_CODE_BASE, writable at its alias.
 *
 * A forked child must not write into its parent's code, so it gets a copy of what is in use in a memfd of its own. */
#include "run/run.h"
#include "tcache/tcache.h"

static int make(void)
{
    long fd = qn_sys2(__NR_memfd_create, (long)"quern-code", 1);

    if (qn_sys_failed(fd) || qn_sys2(__NR_ftruncate, fd, QN_CODE_MAX))
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot make the code cache");
    return (int)fd;
}

static void map_views(int fd)
{
    qn_map_shared(QN_CODE_BASE, QN_CODE_MAX, 5, fd, 0);
    qn_map_shared(QN_CODE_ALIAS_BASE, QN_CODE_MAX, 3, fd, 0);
    qn_sys1(__NR_close, fd);
}

void qn_code_cache_map(void) { map_views(make()); }

static void copy_range(int fd, uint64_t start, uint64_t end)
{
    uint64_t from = qn_round_down(start, QN_PAGE), size = qn_round_up(end, QN_PAGE) - from;

    if (start != end && qn_sys4(__NR_pwrite64, fd, (long)from, (long)size, (long)(from - QN_CODE_BASE)) != (long)size)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot copy the code cache");
}

/* Made before the fork: afterwards the parent writes on. */
int qn_code_cache_copy(void)
{
    int fd = make();
    uint64_t part[2][2];

    copy_range(fd, QN_CODE_BASE, QN_CODE_BASE + QN_CODE_FIXED);
    for (unsigned i = 0; i < QN_REGIONS; i++) {
        qn_tcache_used(i, part);
        copy_range(fd, part[0][0], part[0][1]);
        copy_range(fd, part[1][0], part[1][1]);
    }
    return fd;
}

void qn_code_cache_adopt(int fd) { map_views(fd); }
