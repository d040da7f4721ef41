/* lib/run/kernel/seccomp/seccomp_filter.h - a filter of system calls, for seccomp.c and seccomp_pass.c. */
#ifndef QN_RUN_SECCOMP_FILTER_H
#define QN_RUN_SECCOMP_FILTER_H

#include "base/base.h"

/* The language, linux/filter.h: low three bits the class, then size and mode, or operation and source. */
struct qn_bpf_insn { uint16_t code; uint8_t jt, jf; uint32_t k; };
struct qn_bpf_program { uint16_t n; uint64_t insns; };
enum { LD, LDX, ST, STX, ALU, JMP, RET, MISC };
enum { IMM = 0x00, ABS = 0x20, JEQ = 0x10, JGE = 0x30 };
#define QN_BPF_MAX 4096u         /* instructions */
#define RET_ALLOW 0x7fff0000u

struct qn_seccomp_filter {
    const struct qn_seccomp_filter *older;
    uint32_t n;
    bool listens;                /* it has a listener, so it is installed in the kernel, too */
    struct qn_bpf_insn insn[];
};

/* Installs the filter in the kernel with a listener; returns the listener's descriptor, or -errno. */
long qn_seccomp_listen(const struct qn_seccomp_filter *f, uint64_t flags);

#endif
