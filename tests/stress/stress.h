/* stress.h - tests of signals and threads with random timing.  main.c runs them, one process each.
 *
 *   static int kill_self(unsigned n)          n iterations; 0, or what CHECK returns
 *   {
 *       for (unsigned i = 0; i < n; i++) { pause_a_while(); kill(getpid(), SIGUSR1); CHECK(count == i + 1); }
 *       return 0;
 *   }
 *
 * What is checked holds whatever the timing: counts of signals that queue, order, who gets them, under which mask, on which stack.
 */
#ifndef STRESS_H
#define STRESS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

struct stress_test {
    const char *name, *text;
    int (*run)(unsigned iterations);
};

/* One table for each file; the last has no name. */
extern const struct stress_test deliver_tests[], wait_tests[], stack_tests[], context_tests[], fault_tests[], timer_tests[],
    process_tests[], direct_tests[], sync_tests[], storm_tests[];

int stress_failed(const char *file, int line, const char *what); /* says so and returns 1 */
#define CHECK(e) do { if (!(e)) return stress_failed(__FILE__, __LINE__, #e); } while (0)

/* Below `below`; a sequence of its own for each thread, from the seed. */
unsigned draw(unsigned below);
/* Nothing, some computation, or a yield. */
void pause_a_while(void);
/* Computes for a while what never changes. */
uint64_t compute(unsigned rounds);

void on(int sig, void (*handler)(int, siginfo_t *, void *), int flags); /* SA_SIGINFO besides; nothing blocked */
void on_masked(int sig, void (*handler)(int, siginfo_t *, void *), int flags, const sigset_t *mask);
sigset_t set_of(int sig, ...); /* 0 ends */
sigset_t block(int sig);       /* in this thread; what was blocked before */
pthread_t start(void *(*run)(void *), void *argument);
bool spawns_well(int code); /* process.c: a shell that is spawned ends with this code, below 100 */

static inline unsigned fewer(unsigned n) { return n / 20 + 1; } /* a process takes as long as twenty signals */

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])

#endif
