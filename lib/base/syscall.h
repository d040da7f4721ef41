/* lib/base/syscall.h - Linux system calls without a libc, for the engine.
 *
 * Each returns what the kernel returns: a value, or -errno.
 */
#ifndef QN_BASE_SYSCALL_H
#define QN_BASE_SYSCALL_H

#include <asm/unistd_64.h>

static inline long qn_sys6(long n, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long r;

    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return r;
}

static inline long qn_sys3(long n, long a, long b, long c)
{
    long r;

    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}

static inline long qn_sys2(long n, long a, long b) { return qn_sys3(n, a, b, 0); }
static inline long qn_sys1(long n, long a) { return qn_sys3(n, a, 0, 0); }

static inline long qn_sys4(long n, long a, long b, long c, long d)
{
    return qn_sys6(n, a, b, c, d, 0, 0);
}

static inline bool qn_sys_failed(long r) { return r < 0 && r > -4096; }

#endif
