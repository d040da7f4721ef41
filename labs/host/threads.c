/* threads.c - the driver of lab 9 that the check uses: threads that call what was handed in, and then there is nothing left to call.
 *
 *   cc -I starter ...                                  lib/lab/labs/lab09.c
 *   share 2 8 100 1 7 /path/of/results                 job (0: counters, 1: queue, 2: lock), threads, rounds, depth, seed; `out` and "done" in the file
 *
 * As in loops.c: results are mapped, and before anything that was handed in runs, the page with all system calls and the vdso are unmapped.  The
 * threads have begun by then, and wait.  The first thread, which takes no part, looks at the others; if they have not ended after LOOKS looks, it
 * writes "stuck" in place of "done".  (quern --cores gives each thread its turn, so looks are a measure of their steps.)  It ends by an instruction
 * that is none.
 */
#include "workers.h"

#include <linux/sched.h>

#include "sealed.h"

#define STACK_BYTES 65536
#define LOOKS 20000

static const struct job *job;
static struct {
    volatile long ready, go, done;
} __attribute__((aligned(128))) state;
static char stacks[THREADS][STACK_BYTES] __attribute__((aligned(65536)));

/* ---- before it is sealed: all system calls are in this page ---- */

long host_clone(unsigned long flags, void *stack);
_Noreturn void seal(void);

__asm__(".section .text.seal,\"ax\",@progbits\n"
        "\t.balign 4096\n"
        "seal_page:\n"
        "host_call:\n"
        "\tmov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tmov %rcx, %rdx\n\tmov %r8, %r10\n\tmov %r9, %r8\n\tmov 8(%rsp), %r9\n"
        "\tsyscall\n"
        "\tret\n"
        "host_clone:\n" /* the new thread has nothing on its stack but its number */
        "\txor %edx, %edx\n\txor %r10d, %r10d\n\txor %r8d, %r8d\n\tmov $56, %eax\n"
        "\tsyscall\n"
        "\ttest %rax, %rax\n\tje begin\n"
        "\tret\n"
        "seal:\n" /* munmap of this page, with the last instruction in it */
        "\tmov $11, %eax\n\tlea seal_page(%rip), %rdi\n\tmov $4096, %esi\n"
        "\tjmp 1f\n"
        "\t.org seal_page + 4094, 0x90\n"
        "1:\tsyscall\n"
        /* ---- sealed: the next page ---- */
        "\tcall sealed\n"
        "\tlea out(%rip), %rsi\n\tmov $0x10000000, %edi\n\tmov $8192, %ecx\n"
        "\tcld\n\trep movsq\n"
        "\tmov %eax, (%rdi)\n"
        "\tud2\n"
        "begin:\n"
        "\txor %ebp, %ebp\n\tmov (%rsp), %rdi\n\tcall work\n"
        "\tud2\n"
        "\t.balign 4096, 0xcc\n"
        "\t.text\n");

/* A thread never ends by itself: there is no call for that. */
__attribute__((used)) static _Noreturn void work(long me)
{
    __atomic_fetch_add(&state.ready, 1, __ATOMIC_SEQ_CST);
    while (!state.go)
        relax();
    job->work(me);
    __atomic_fetch_add(&state.done, 1, __ATOMIC_SEQ_CST);
    for (;;)
        relax();
}

/* Returns the four letters behind the results. */
__attribute__((used)) static unsigned sealed(void)
{
    job->begin();
    state.go = 1;
    for (long looks = 0; state.done < threads; looks++) {
        if (looks == LOOKS)
            return 0x63757473; /* "stuc" */
        relax();
    }
    job->end();
    return 0x656e6f64; /* "done" */
}

__attribute__((used)) static _Noreturn void host_main(long *stack)
{
    char **argv = (char **)(stack + 1);

    if (*stack != 7)
        leave(2);
    job = &jobs[number(argv[1]) % (sizeof jobs / sizeof *jobs)];
    threads = (long)number(argv[2]) % THREADS;
    rounds = (long)number(argv[3]);
    depth = (long)number(argv[4]);
    seed = number(argv[5]);
    map_results(argv[6], sizeof out);
    unmap_vdso(argv + *stack + 1);
    for (long me = 0; me < threads; me++) {
        long *top = (long *)(stacks[me] + STACK_BYTES - 16);

        *top = me;
        if (host_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, top) < 0)
            leave(3);
    }
    while (state.ready < threads)
        relax();
    seal();
}

__asm__(".globl host_start\nhost_start:\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\txor %ebp, %ebp\n\tcall host_main\n");
