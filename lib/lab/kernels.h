/* lib/lab/kernels.h - runs one function that was handed in, under quern, and counts its misses (labs 2 and 12).
 *
 * The driver is labs/host/loops.c: it fills memory with numbers drawn from a seed, calls the function, and its process has no functions that
 * a kernel could call.  Misses are those of the region that the driver marks, in a cache that does not see a KiB of the stack
 * (labs/host/nostack.c), so they do not depend on the compiler's use of registers.
 */
#ifndef QN_LAB_KERNELS_H
#define QN_LAB_KERNELS_H

#include "lab/check.h"

#define QN_LAB_KERNEL_CELLS 65536 /* of 8 bytes, of each of the three parts of memory: a, b, c */
#define QN_LAB_KERNEL_PART (QN_LAB_KERNEL_CELLS * sizeof(double))

/* What students get for that. */
extern const char *const qn_lab_kernel_files[];

struct qn_lab_call;

/* numbers, drawn, words: C, for the driver. */
struct qn_lab_kernel {
    const char *name;                    /* declared in the starter's kernels.h, defined in the first file that is handed in */
    const char *numbers;                 /* the type of what is drawn into memory from a on, */
    uint64_t below;                      /* each below this; */
    const char *drawn;                   /* so many */
    const char *words;                   /* what it is called with: of n, m, a, b, c */
    /* Is what it left in memory, a first, right?  false: a remark says what is not. */
    bool (*right)(struct qn_lab_check *c, const struct qn_lab_call *call, const char *memory);
};

struct qn_lab_call {
    const struct qn_lab_kernel *kernel;
    unsigned n, m;
    uint64_t seed;
    const char *cache;                   /* --D1; NULL: nothing is counted */
    unsigned long misses;                /* out: lines missed */
};

/* Calls it, and compares the result; misses are those of the same run, so that a kernel cannot compute less while it is counted.  false: a remark
 * says why, and --keep has the same call with the starter's driver, `program` WORDS. */
bool qn_lab_call_kernel(struct qn_lab_check *c, struct qn_lab_call *call);
void qn_lab_tell_call(struct qn_lab_check *c, const struct qn_lab_call *call);

/* Compiles the first file that is handed in, and inspects it.  Links without the C library, so that kernels cannot call it; memcpy and memset are
 * there, because compilers call them. */
bool qn_lab_compile_kernel(struct qn_lab_check *c, const char *object);
bool qn_lab_link_kernel(struct qn_lab_check *c, const char *driver, const char *object, const char *output);

/* The next number drawn from a seed, as the driver draws. */
uint64_t qn_lab_next_number(uint64_t *seed, uint64_t below);

#endif
