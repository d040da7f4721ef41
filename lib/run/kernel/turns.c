/* lib/run/kernel/turns.c - with --cores: which system calls let another thread run.
 *
 * A call that cannot wait keeps the lock, so that the program's other threads are where they were when it returns; otherwise whoever is
 * quicker would run next.  A call that may have to wait is asked for, by poll: what is there at once is taken at once.
 */
#include "base/sizes.h"
#include "run/core/core.h"
#include "run/kernel/kernel.h"

enum { POLL_IN = 1, POLL_OUT = 4, F_SETLKW_ = 7, F_OFD_SETLKW_ = 38, IS_FIFO = 0010000, IS_REGULAR = 0100000, IS_MASK = 0170000, PIPE_BYTES = 4096 };

static uint32_t mode_of(long (*call)(const long *, struct stat *), const long *a)
{
    struct stat st;

    return qn_sys_failed(call(a, &st)) ? 0 : st.st_mode & IS_MASK;
}

static long stat_fd(const long *a, struct stat *st) { return qn_sys2(__NR_fstat, a[0], (long)st); }
static long stat_path(const long *a, struct stat *st) { return qn_sys4(__NR_newfstatat, a[0], a[1], (long)st, 0); }

/* Would the descriptor make it wait for this? */
static bool not_ready(long fd, int16_t events)
{
    struct {
        int32_t fd;
        int16_t events, revents;
    } p = {(int32_t)fd, events, 0};

    return qn_sys3(__NR_poll, (long)&p, 1, 0) == 0;
}

static bool write_waits(const long *a, bool bytes_known)
{
    if (mode_of(stat_fd, a) == IS_REGULAR)
        return false;
    return !bytes_known || (uint64_t)a[2] > PIPE_BYTES || not_ready(a[0], POLL_OUT);
}

/* A FIFO waits for its other end. */
static bool open_waits(long nr, const long *a)
{
    const long here[2] = {-100 /* AT_FDCWD */, a[0]};

    return mode_of(stat_path, nr == __NR_open ? here : a) == IS_FIFO;
}

bool qn_turn_waits(long nr, const long *a)
{
    switch (nr) {
    case __NR_read: case __NR_readv: case __NR_recvfrom: case __NR_recvmsg: case __NR_recvmmsg: case __NR_accept: case __NR_accept4:
        return not_ready(a[0], POLL_IN);
    case __NR_write: return write_waits(a, true);
    case __NR_writev: case __NR_sendto: case __NR_sendmsg: case __NR_sendmmsg: return write_waits(a, false);
    case __NR_open: case __NR_openat: case __NR_openat2: return open_waits(nr, a);
    case __NR_poll: return a[2] != 0;
    case __NR_epoll_wait: case __NR_epoll_pwait: return a[3] != 0;
    case __NR_fcntl: return a[1] == F_SETLKW_ || a[1] == F_OFD_SETLKW_;
    case __NR_ppoll: case __NR_select: case __NR_pselect6: case __NR_epoll_pwait2: case __NR_nanosleep: case __NR_clock_nanosleep:
    case __NR_wait4: case __NR_waitid: case __NR_pause: case __NR_rt_sigsuspend: case __NR_rt_sigtimedwait: case __NR_flock: case __NR_futex:
    case __NR_connect: case __NR_msgrcv: case __NR_msgsnd: case __NR_semop: case __NR_semtimedop: case __NR_mq_timedreceive:
    case __NR_mq_timedsend: case __NR_io_getevents: case __NR_io_pgetevents: case __NR_io_uring_enter: case __NR_splice: case __NR_tee:
    case __NR_vmsplice: case __NR_sendfile: case __NR_restart_syscall: case __NR_ptrace:
        return true;
    default: return false;
    }
}

/* ---- what translated code does for turns ---- */

/* What is not counted takes turns, too. */
static void rules(struct qn_emit_rules *r, unsigned mode)
{
    r->turns = r->counts || mode == QN_SCOPE_OFF;
    r->turn_refs = r->turns && qn_cfg()->quantum_is_refs ? qn_cfg()->quantum : 0;
    r->countdown = r->turns ? &qn_countdown : NULL;
}

static void undone(const struct qn_block_rec *b, unsigned insn) { qn_countdown += qn_cfg()->quantum_is_refs ? 0 : b->ninsns - insn; }

static unsigned act(uint32_t kind)
{
    uint64_t quantum = qn_cfg()->quantum;

    if (kind != QN_EXIT_COUNTDOWN)
        return 0;
    if (QN_SCOPE(qn_mode) == QN_SCOPE_OFF || !qn_turn_goes_on()) /* what is not simulated may share anything */
        qn_turn_end();
    return !qn_cfg()->quantum_is_refs && quantum < QN_TRANSLATED_MAX ? (unsigned)quantum : 0; /* the block fits into a turn */
}

const struct qn_slice qn_turns_slice = {.rules = rules, .undone = undone, .act = act};
