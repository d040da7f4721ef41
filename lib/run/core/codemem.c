/* lib/run/core/codemem.c - memory of the code cache: private, writable and executable at one address.
 *
 * Private memory can use huge pages, which a large program needs: cc1 runs 24 MB of translated code, and the processor's TLB covers
 * only 8 MB with small pages.  A forked child gets a copy of its own, which the kernel makes page by page.
 */
#include "run/run.h"

#define ADVISE_HUGEPAGE 14

void qn_code_cache_map(void)
{
    enum { PRIVATE_ANONYMOUS_FIXED = 0x2 | 0x20 | 0x100000, READ_WRITE_EXECUTE = 7 };
    long at = qn_sys6(__NR_mmap, QN_CODE_BASE, QN_CODE_MAX, READ_WRITE_EXECUTE, PRIVATE_ANONYMOUS_FIXED, -1, 0);

    if (at != (long)QN_CODE_BASE)
        qn_die_fatal(QN_FATAL_RESOURCE, 0, "cannot make the code cache");
    qn_sys3(__NR_madvise, at, QN_CODE_MAX, ADVISE_HUGEPAGE); /* may fail without harm */
}
