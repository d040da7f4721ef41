/* lib/run/kernel/thread.h - what thread.c, lock.c and clone.c share. */
#ifndef QN_RUN_THREAD_H
#define QN_RUN_THREAD_H

#include "run/run.h"

/* clone.c: struct clone_args of the kernel (linux/sched.h), its first version and the two that followed. */
struct qn_clone_args {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup;
};

struct qn_clone_request {
    struct qn_clone_args a;
    uint64_t size; /* bytes of `a` that the guest gave to clone3; 0 = it called clone */
};

enum {
    CLONE_VM_ = 0x100, CLONE_FILES_ = 0x400, CLONE_SIGHAND_ = 0x800, CLONE_PIDFD_ = 0x1000, CLONE_VFORK_ = 0x4000, CLONE_THREAD_ = 0x10000,
    CLONE_SETTLS_ = 0x80000
};
#define CLONE_CLEAR_SIGHAND_ 0x100000000ull

enum { QN_THREAD_FREE, QN_THREAD_LIVES, QN_THREAD_LEAVES /* still on its stack */ };

unsigned qn_thread_count(void);     /* living guest threads, of all processes that share this memory */
unsigned qn_thread_strangers(void); /* processes that ever shared it with their parent */
bool qn_thread_is_last(void);       /* of its process */
struct qn_thread *qn_thread_new(void);
void qn_thread_each_of_process(void (*act)(struct qn_thread *, const void *), const void *argument);
bool qn_thread_uses(const struct qn_sigaction *actions, const struct qn_thread *but);
long qn_thread_start(struct qn_thread *t, const struct qn_clone_request *r);
void qn_thread_only_self(void);     /* after fork: the other threads are gone */
const struct qn_thread *qn_thread_of(int32_t tid);

/* clone.c */
long qn_clone_call(const struct qn_clone_request *r, uint64_t flags, struct qn_thread *t);

/* lock.c */
void qn_lock_steal(const struct qn_thread *dead, struct qn_thread *t);
void qn_lock_reset(void);
void qn_lock_bar_kicks(struct qn_thread *t); /* t calls it before execve: then no kick is on its way, and none will be sent */
void qn_lock_allow_kicks(struct qn_thread *t);

/* switch.S: t NULL: a plain fork, which returns twice. */
long qn_clone_raw(long nr, const long args[5], struct qn_thread *t);
_Noreturn void qn_gone(volatile uint32_t *used, long nr, int code); /* *used = 0 and the system call, without a stack */

#endif
