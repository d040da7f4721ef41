/* lib/run/observe/beside.c - analyses beside the program: a process of their own, on another processor, which shares the engine's memory.
 *
 *   engine     fills a buffer of records, hands it on, and goes on with the other one
 *   observer   calls the analyses for it; what they count lies in the arena, as ever
 *   collector  is the parent of both: tells each of them that the other has ended
 *
 * The engine waits where counts are read (a part of the run, an interval, fork, the end), or if the observer still has the buffer before.  So
 * analyses see the same records in the same order as without an observer.  If the program is killed, the observer reads the rest.
 *
 * It is a process, not a thread of the program: the program's death, its signals, its descriptors and its list of threads are as natively.  A
 * forked child, whose parent is not the collector, has none: there the engine calls the analyses itself.
 */
#include "run/kernel/kernel.h"
#include "run/observe/observe.h"
#include "run/run.h"
#include "sim/stream.h"

#define STACK_BYTES (256u << 10)
#define FUTEX_WAIT_ 0
#define FUTEX_WAKE_ 1

enum { PR_SET_PDEATHSIG_ = 1, PR_SET_NAME_ = 15, SIG_KILL_ = 9 };

static uint32_t posted; /* batches */

static void wait_for_change(uint32_t *word, uint32_t from) { qn_sys4(__NR_futex, (long)word, FUTEX_WAIT_, from, 0); }

static void set(uint32_t *word, uint32_t to)
{
    __atomic_store_n(word, to, __ATOMIC_SEQ_CST);
    qn_sys3(__NR_futex, (long)word, FUTEX_WAKE_, 1);
}

/* ---- the observer ---- */

static void leave_the_program(void)
{
    qn_sys1(__NR_setsid, 0);
    qn_sys1(__NR_chdir, (long)"/");
    qn_sys2(__NR_prctl, PR_SET_NAME_, (long)"quern-observer");
    qn_sys2(__NR_prctl, PR_SET_PDEATHSIG_, SIG_KILL_);
    if (qn_sys1(__NR_getppid, 0) != qn_cfg()->collector)
        qn_exit_group(0);
    if (qn_sys_failed(qn_sys3(__NR_close_range, 0, UINT32_MAX, 0)))
        for (int fd = 0; fd <= qn_arena_fd || fd <= qn_socket_fd; fd++)
            qn_sys1(__NR_close, fd);
}

static _Noreturn void observe(void)
{
    struct qn_beside *b = &qn_arena->beside;
    uint32_t now;

    qn_signal_observer();
    leave_the_program();
    for (;;) {
        now = __atomic_load_n(&b->posted, __ATOMIC_SEQ_CST);
        if ((now & ~QN_BESIDE_ENDED) != b->done) {
            qn_stream_read((struct sim_record *)(uintptr_t)b->first, b->n);
            set(&b->done, now & ~QN_BESIDE_ENDED);
        } else if (now & QN_BESIDE_ENDED) {
            break;
        } else {
            wait_for_change(&b->posted, now);
        }
    }
    qn_stream_read_rest((struct sim_record *)(uintptr_t)b->first, b->n);
    qn_exit_group(0);
}

/* A process that shares our memory, and has our parent.  Returns its number, or -errno. */
static long start(void *top, int32_t *pid)
{
    register long r10 __asm__("r10") = 0, r8 __asm__("r8") = 0;
    long r;

    __asm__ volatile("syscall\n\t"
                     "test %0, %0\n\t"
                     "jnz 1f\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "call *%[main]\n\t"
                     "1:"
                     : "=a"(r)
                     : "0"((long)__NR_clone), "D"((long)(CLONE_VM | CLONE_PARENT | CLONE_PARENT_SETTID)), "S"(top), "d"(pid), "r"(r10), "r"(r8),
                       [main] "b"(observe)
                     : "rcx", "r11", "memory");
    return r;
}

/* ---- the engine ---- */

static _Noreturn void give_up(void)
{
    if (qn_arena->fatal)
        qn_exit_group(70); /* the observer has said why */
    qn_die_fatal(QN_FATAL_RESOURCE, 0, "the process that calls the analyses was killed");
}

static void wait(void)
{
    uint32_t *done = &qn_arena->beside.done, now;

    while ((now = __atomic_load_n(done, __ATOMIC_SEQ_CST)) != posted) {
        if (now & QN_BESIDE_ENDED)
            give_up();
        wait_for_change(done, now);
    }
}

static void hand_on(struct sim_record *first, uint32_t n)
{
    struct qn_beside *b = &qn_arena->beside;

    wait();
    b->first = (uintptr_t)first;
    b->n = n;
    posted++;
    set(&b->posted, posted);
}

void qn_beside_begin(const struct qn_config *c)
{
    static const struct qn_stream_beside beside = {hand_on, wait};
    qn_sigset mask;
    uint8_t *stack;
    long pid;

    if (!qn_sim_can_be_beside() || c->check || c->L2.line || qn_self->filters || qn_sys1(__NR_getppid, 0) != c->collector)
        return;
    stack = qn_engine_alloc(STACK_BYTES);
    posted = 0;
    mask = qn_signal_block_all();
    pid = start(stack + STACK_BYTES, &qn_arena->beside.pid);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&mask, 0, 8);
    if (qn_sys_failed(pid))
        qn_arena->beside.pid = 0;
    else
        qn_stream_be_beside(&beside);
}

void qn_beside_end(bool waits)
{
    struct qn_beside *b = &qn_arena->beside;
    uint32_t now;

    if (!qn_sim_stream.beside)
        return;
    qn_sim_stream_tell();
    qn_stream_be_alone();
    set(&b->posted, posted | QN_BESIDE_ENDED);
    while (waits && !((now = __atomic_load_n(&b->done, __ATOMIC_SEQ_CST)) & QN_BESIDE_ENDED))
        wait_for_change(&b->done, now);
}

void qn_beside_forked(void)
{
    qn_arena->beside = (struct qn_beside){.pid = 0};
    qn_stream_be_alone();
}
