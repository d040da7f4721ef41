/* tools/run.c - `quern run`: parses the command line; lib/collect runs the program.
 *
 * In:  quern run --branch-sim=yes -- ./prog arg
 * Out: the guest's own output; a summary on stderr; cachegrind.out.PID; the guest's exit status
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#include "collect/options.h"
#include "run_options.h"
#include "tools.h"

static int run_command(int argc, char **argv)
{
    struct qn_collect_options options;
    int status = qn_run_parse(&options, argc, argv);

    return status >= 0 ? status : qn_collect_run(&options);
}

/* ---- a stack of quern's own, if `ulimit -s` is small: the limit is meant for the program ---- */

#define STACK_ENOUGH (1u << 20) /* bytes */
#define STACK_OWN (8u << 20)

static struct {
    ucontext_t caller, own;
    int argc, status;
    char **argv;
} stack_change;

static void run_on_own_stack(void) { stack_change.status = run_command(stack_change.argc, stack_change.argv); }

int qn_tool_run(int argc, char **argv)
{
    struct rlimit limit;
    void *stack;

    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_ENOUGH)
        return run_command(argc, argv);
    stack = mmap(NULL, STACK_OWN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED || getcontext(&stack_change.own))
        return run_command(argc, argv);
    stack_change.argc = argc;
    stack_change.argv = argv;
    stack_change.own.uc_stack = (stack_t){ .ss_sp = stack, .ss_size = STACK_OWN };
    stack_change.own.uc_link = &stack_change.caller;
    makecontext(&stack_change.own, run_on_own_stack, 0);
    swapcontext(&stack_change.caller, &stack_change.own);
    return stack_change.status;
}
