/* lib/guest/stack.h - the guest's initial stack, made from the engine's own.
 *
 * The kernel gave the engine  argc, argv[], envp[], auxv[].  The guest gets the same stack and environment without the
 * engine's arguments, and an auxv that describes the guest's program.  Unless addresses are to vary, strings are copied to
 * addresses that depend on the guest's arguments and environment only.
 */
#ifndef QN_GUEST_STACK_H
#define QN_GUEST_STACK_H

#include "guest/elf.h"

struct qn_start {
    const char *execfn;     /* AT_EXECFN: the path as executed */
    const char *const *argv;/* the guest's arguments, NULL-terminated */
    bool hide_vdso;
    bool tight;             /* the stack may not grow by much: everything close together, wherever that is */
    bool fixed_random;      /* AT_RANDOM: a fixed pattern made from seed */
    uint64_t seed;
    uint64_t (*hwcap)(unsigned word, uint64_t value); /* from the kernel's AT_HWCAP (word 1) or AT_HWCAP2 to the guest's */
};

/* Rebuild the stack below kernel_sp; returns the guest's initial rsp.  *vdso = address of the vDSO or 0. */
uint64_t qn_stack_build(uint64_t *kernel_sp, const struct qn_image *image, const struct qn_start *start, uint64_t *vdso);

#endif
