/* lib/run/kernel/attach.c - shmat, shmdt: as mmap and munmap, but only the kernel knows the size. */
#include "guest/exec_map.h"
#include "run/kernel/space_limits.h"
#include "run/run.h"

enum { E_INVAL = 22, E_NOMEM = 12 };
enum { SHM_RDONLY_ = 010000, SHM_RND_ = 020000, SHM_EXEC_ = 0100000, IPC_STAT_ = 2, P_WRITE = 2, P_EXEC = 4 };
#define DS_WORDS 14 /* struct shmid64_ds: */
#define DS_SIZE 6   /* the segment's size */

static uint64_t segment_size(long id)
{
    uint64_t ds[DS_WORDS] = {0};

    return qn_sys3(__NR_shmctl, id, IPC_STAT_, (long)ds) ? 0 : ds[DS_SIZE];
}

/* a: identifier, address or 0, flags */
long qn_sys_shmat(const long *a)
{
    uint64_t size = segment_size(a[0]), wish = (uint64_t)a[1], at;
    int prot = (a[2] & SHM_EXEC_ ? P_EXEC : 0) | (a[2] & SHM_RDONLY_ ? 0 : P_WRITE);
    long r;

    if (a[2] & SHM_RND_)
        wish = qn_round_down(wish, QN_PAGE);
    if (wish && qn_refuses_address(wish, size ? size : QN_PAGE))
        return -E_INVAL;
    if (!qn_space_allows(size, false, 0, false))
        return -E_NOMEM;
    r = qn_sys3(__NR_shmat, a[0], (long)wish, a[2]);
    if (!qn_sys_failed(r) && qn_is_engine_range((uint64_t)r, size)) {
        qn_sys1(__NR_shmdt, r);
        at = qn_find_free_range(size);
        qn_sys2(__NR_munmap, (long)at, (long)size);
        r = at ? qn_sys3(__NR_shmat, a[0], (long)at, a[2]) : -E_NOMEM;
    }
    if (!qn_sys_failed(r))
        qn_note_mapping((uint64_t)r, size, prot, true);
    return r;
}

long qn_sys_shmdt(uint64_t at)
{
    uint64_t end = qn_shared_end(at);
    long r;

    if (qn_is_engine_range(at, 1))
        return -E_INVAL;
    r = qn_sys1(__NR_shmdt, (long)at);
    if (!r && end)
        qn_note_mapping(at, end - at, 0, false);
    return r;
}
