/* lib/guest/load.h - loading a program as the kernel does: its segments and those of its interpreter are mapped, and its stack is made.
 *
 * The kernel gave the engine  argc, argv[], envp[], auxv[].  The guest gets the same stack and environment without the
 * engine's arguments, and an auxv that describes the guest's program.  Unless addresses are to vary, strings are copied to
 * addresses that depend on the guest's arguments and environment only.
 *
 * Errors are errno values: ENOENT, EACCES, ENOEXEC (not ELF, other machine, 32-bit), ENOMEM, EINVAL, EIO (truncated).
 */
#ifndef QN_GUEST_LOAD_H
#define QN_GUEST_LOAD_H

#include "base/base.h"

#define QN_PATH_MAX 4096

struct qn_image {
    uint64_t entry;        /* where the guest starts: the interpreter's entry if there is one */
    uint64_t program_entry;/* AT_ENTRY */
    uint64_t phdr;         /* AT_PHDR */
    uint64_t phnum;        /* AT_PHNUM */
    uint64_t interp_base;  /* AT_BASE, 0 without interpreter */
    uint64_t start, end;   /* of the program's segments; also if they cannot be mapped */
    bool exec_stack;       /* PT_GNU_STACK asks for an executable stack */
    bool fixed;            /* ET_EXEC */
};

/* Where a position-independent image of `size` bytes is placed; supplied by run. */
struct qn_elf_base {
    uint64_t (*low_address)(uint64_t size);
};

/* A script's first line: interpreter and one optional argument. */
struct qn_script {
    char interp[256];
    char arg[256];
    bool has_arg;
};
#define QN_SCRIPT_DEPTH 5u /* scripts whose interpreters are scripts, one behind the other */

/* 0: *script filled in; ENOEXEC: fd is no script. */
int qn_elf_read_script(int fd, struct qn_script *script);
/* May this file be executed by this engine?  0 or errno.  Does not map anything; of *image, sets start, end and fixed. */
int qn_elf_check(int fd, struct qn_image *image);
int qn_elf_load(int fd, const struct qn_elf_base *base, struct qn_image *image);

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
