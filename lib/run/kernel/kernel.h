/* lib/run/kernel/kernel.h - the guest's system calls, for the files of this folder and for lib/run/core; signals are in signal.h, and what all
 * of lib/run calls in run.h.
 *
 * Constants and structures of the kernel come from its own headers, which declare no functions.
 */
#ifndef QN_RUN_KERNEL_H
#define QN_RUN_KERNEL_H

#include <asm/prctl.h>
#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/resource.h>
#include <linux/sched.h>

#include "guest/load.h"
#include "run/run.h"

/* ---- system calls: each handler makes call nr, with the arguments a[6], and returns its result ---- */

typedef long qn_call_handler(long nr, const long *a);

qn_call_handler qn_sys_mmap, qn_sys_munmap, qn_sys_mprotect, qn_sys_mremap, qn_sys_brk, qn_sys_shmat, qn_sys_shmdt, qn_sys_mlockall;
qn_call_handler qn_sys_sigaction, qn_sys_sigprocmask, qn_sys_sigpending, qn_sys_sigtimedwait, qn_sys_sigaltstack, qn_sys_death_signal, qn_sys_getppid;
qn_call_handler qn_sys_clone, qn_sys_execve, qn_sys_ptrace, qn_sys_personality;
qn_call_handler qn_sys_readlink, qn_sys_open, qn_sys_stat, qn_sys_getdents;
qn_call_handler qn_sys_limit, qn_sys_processors, qn_sys_seccomp, qn_sys_prctl_seccomp, qn_sys_user_dispatch;
bool qn_user_dispatch_takes(long nr); /* decides about the call that the guest is about to make.  true: it is not made, and a signal is pending */

/* Does qemu-user stand between us and the kernel?  It has no futex lists (set_robust_list), because it cannot hand them on. */
static inline bool qn_kernel_is_emulated(void) { return qn_sys2(__NR_set_robust_list, 0, 0) == -ENOSYS; }

/* ---- threads (thread.c), and the calls that make threads and processes (process.c) ---- */

struct qn_clone_request {
    struct clone_args a;
    uint64_t size; /* bytes of `a` that the guest gave to clone3; 0 = it called clone */
};

enum { QN_THREAD_FREE, QN_THREAD_LIVES, QN_THREAD_SIDE_EXITS /* still on its stack */ };

unsigned qn_thread_count(void); /* living guest threads, of all processes that share this memory */
bool qn_thread_strangers(void); /* did ever another process share this memory? */
bool qn_thread_is_last(void);   /* of its process */
struct qn_thread *qn_thread_new(void);
void qn_thread_each_of_process(void (*act)(struct qn_thread *, const void *), const void *argument);
bool qn_thread_uses(const struct qn_sigaction *actions, const struct qn_thread *but); /* does another thread use these signal dispositions? */
struct qn_thread *qn_thread_of(int32_t tid);                                          /* that shares our memory; NULL: there is none */
long qn_thread_start(struct qn_thread *t, const struct qn_clone_request *r);
void qn_thread_only_self(void); /* after fork: the other threads are gone */
/* Makes the guest's call with these flags, and on t's stack; t NULL: without a stack of its own. */
long qn_clone_call(const struct qn_clone_request *r, uint64_t flags, struct qn_thread *t);

void qn_memory_forked(void); /* memory.c: the child forgets code that is not for it */
void qn_memory_forks(void); /* memory.c: with --cores, names memory that processes share as not supported */

/* ---- turns, with --cores (thread.c, turns.c, futex.c) ---- */

bool qn_turn_waits(long nr, const long *a); /* may this call wait for somebody? */
void qn_turn_call_begin(void);              /* a call that keeps the lock begins, ends */
void qn_turn_call_end(struct qn_thread *t);
void qn_turn_draw(struct qn_thread *t); /* by the thread that runs: draws a ticket for t, which uses it when it comes */
void qn_turn_wait(struct qn_thread *t); /* t waits until one was drawn for it */
uint32_t qn_core_of(const struct qn_thread *t);
void qn_futex_thread_ends(struct qn_thread *t);
void qn_futex_forget(void);
qn_call_handler qn_sys_futex, qn_sys_futex_new, qn_sys_set_tid_address, qn_sys_yield;

void qn_lock_bar_kicks(struct qn_thread *t); /* t calls it before execve: then no kick is on its way, and none will be sent */
void qn_lock_allow_kicks(struct qn_thread *t);

/* switch.S: t NULL: a plain fork, which returns twice. */
long qn_clone_raw(long nr, const long args[5], struct qn_thread *t);
_Noreturn void qn_thread_end(volatile uint32_t *used, long nr, int code); /* *used = 0 and the system call, without a stack */

/* ---- limits (limits.c) ---- */

/* Between these two calls the soft limit of descriptors is higher, so that the engine can open some of its own. */
void qn_files_go_beyond(struct qn_limit *before);
void qn_files_go_back(const struct qn_limit *before);
int qn_files_move_up(int fd, const struct qn_limit *before); /* between these calls: moves a descriptor of the engine; returns the new one */
/* May the program map so many bytes more?  data: private and writable.  over: those that it has from `at` on are replaced. */
bool qn_limits_allow(uint64_t bytes, bool data, uint64_t at, bool over);
void qn_limits_exec(bool before); /* before the exec of an untraced program; with false, undoes that if the exec failed */
bool qn_is_capable(unsigned bit); /* is CAP_... effective in the user namespace of the process? */

/* ---- /proc (procfs.c) ---- */

enum { QN_MAPS_READ = 1, QN_MAPS_WRITE = 2, QN_MAPS_EXEC = 4, QN_MAPS_SHARED = 8 };

struct qn_mapping {
    uint64_t start, end, offset, dev, ino;
    unsigned flags;         /* QN_MAPS_... */
    char path[QN_PATH_MAX]; /* "" = none */
};

/* The mapping that contains this address; false: there is none. */
bool qn_maps_find(uint64_t address, struct qn_mapping *m);
/* Calls `see` for each mapping, in order of addresses, until it returns false.  false: the list cannot be read. */
bool qn_maps_each(bool (*see)(void *data, const struct qn_mapping *m), void *data);

/* The program of the process whose exe in /proc the guest's string names, this one or another one under quern; NULL: it names something else. */
const char *qn_proc_exe(int dirfd, uint64_t path);
/* The program that another process runs under quern; NULL: it does not run under quern, or may not be read. */
const char *qn_proc_program(int32_t pid);
bool qn_proc_is_own(int32_t id);     /* this process, or a thread of it */
bool qn_proc_holds(long fd);         /* a file of /proc */
char qn_proc_state(uint32_t tid);    /* the letter of proc(5): R running, S asleep, t stopped by a debugger, Z dead; 0 = no such thread */
/* Copies between here and the memory of another process, by process_vm_readv or process_vm_writev.  Bytes, or -errno. */
long qn_proc_transfer(long nr, int32_t pid, uint64_t at, void *here, uint64_t size);
/* The first size - 1 bytes of a file, or the name of what a descriptor has open, with a NUL.  Bytes, or -errno and "". */
long qn_proc_read(const char *path, char *text, size_t size);
long qn_proc_fd_path(int fd, char *to, size_t size);
/* Gives the kernel the guest's addresses.  Call it when the guest's stack is as at its first instruction. */
void qn_proc_publish(uint64_t sp, const struct qn_image *image);

/* ---- processors (processors.c) ---- */

uint64_t qn_processors_all(void);       /* a bit for each; 0: the program sees the machine's */
uint64_t qn_processors_of(int32_t tid); /* on which the thread may run; tid 0: this one */
#define QN_PROCESSORS_TEXT 256
void qn_processors_mask(char text[QN_PROCESSORS_TEXT], uint64_t mask);
void qn_processors_list(char text[QN_PROCESSORS_TEXT], uint64_t mask);

/* ---- pointers (pointers.c) ---- */

/* Replaces arguments of system call nr that point into the engine by pointers to a page without access, and structures with such pointers
 * by copies. */
void qn_pointers_hide(long nr, long *a);
/* After the call, whose result is r: copies results to the program's structure, which is at `at`; a[]: the arguments that the kernel got. */
void qn_pointers_tell(long nr, uint64_t at, const long *a, long r);

/* ---- filters of system calls (seccomp.c) ---- */

/* Do the filters allow the call?  If not, *r is its result in the guest's rax; a signal may be pending. */
bool qn_seccomp_allows(long nr, const long *a, long *r);
void qn_seccomp_exec_untraced(const struct qn_thread *t); /* just before execve; t may not hold the lock any more */
void qn_seccomp_save(const struct qn_seccomp_filter *filters, struct qn_arena_header *fresh);
void qn_seccomp_restore(void); /* the filters that were in force before execve */

/* ---- external code writes (external_writes.c) ---- */

void qn_external_writes(void);                /* from now on code of this process may change at any time */
void qn_external_writes_opened(long fd);      /* call it when the guest has opened a file for writing */
void qn_external_writes_ptrace(const long *a); /* call it before the guest's ptrace */
bool qn_external_writes_is_debugged(void);    /* by a program that runs under quern */

/* ---- messages to the collector (messages.c); those of one kind are declared in run.h ---- */

void qn_message_send(int fd, uint32_t kind, int value);
/* One answer and up to two descriptors, -1 where absent.  false: the collector is gone. */
bool qn_message_receive(int fd, struct qn_message *msg, int fds[2]);

#endif
