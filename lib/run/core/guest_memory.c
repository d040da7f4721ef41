/* lib/run/core/guest_memory.c - reads and writes of guest memory that may fail: done by system calls, so they do not fault here. */
#include "run/run.h"

struct iovec_ { uint64_t base, len; };

bool qn_read_guest(uint64_t from, void *to, uint64_t size)
{
    struct iovec_ l = {(uint64_t)(uintptr_t)to, size}, r = {from, size};

    return qn_sys6(__NR_process_vm_readv, qn_sys1(__NR_getpid, 0), (long)&l, 1, (long)&r, 1, 0) == (long)size;
}

bool qn_write_guest(uint64_t to, const void *from, uint64_t size)
{
    struct iovec_ l = {(uint64_t)(uintptr_t)from, size}, r = {to, size};

    return qn_sys6(__NR_process_vm_writev, qn_sys1(__NR_getpid, 0), (long)&l, 1, (long)&r, 1, 0) == (long)size;
}

bool qn_copy_string(uint64_t guest, char *to, size_t size)
{
    size_t done = 0;

    while (done < size) {
        size_t part = QN_PAGE - (guest + done) % QN_PAGE;
        struct iovec_ local = {(uint64_t)(uintptr_t)to + done, part < size - done ? part : size - done};
        struct iovec_ remote = {guest + done, local.len};
        long n = qn_sys6(__NR_process_vm_readv, qn_sys1(__NR_getpid, 0), (long)&local, 1, (long)&remote, 1, 0);

        if (n <= 0) {
            to[done] = 0;
            return false;
        }
        for (long i = 0; i < n; i++)
            if (!to[done + (size_t)i])
                return true;
        done += (size_t)n;
    }
    return false;
}
