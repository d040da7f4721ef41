/* lib/run/kernel/vectors.c - pointers of the program into the engine, in a struct iovec or a struct msghdr.
 *
 *   readv(3, {{buffer, 8}, {0x70001000, 8}}, 2)   ->   readv(3, a copy: {{buffer, 8}, {a guard page, 8}}, 2)
 *
 * In:  a system call and its arguments
 * Out: the same, but a structure with a pointer into the engine is replaced by a copy, in which that pointer is one to a guard page.  The
 *      result then is that of a native run: the kernel transfers the vectors before it, or returns EFAULT.
 *
 * Not done: the other process's addresses in process_vm_readv and process_vm_writev; sendmmsg and recvmmsg, aio, io_uring.
 */
#include "run/kernel/pointers.h"
#include "run/run.h"

enum { VECTORS_MAX = 1024, PART = 16 }; /* the kernel's maximum (UIO_MAXIOV); vectors read at a time */

struct vector { uint64_t base, len; };

struct message { /* struct msghdr */
    uint64_t name;
    uint32_t name_len, unused;
    uint64_t vectors, n;
    uint64_t control, control_len;
    uint32_t flags, unused_too;
};

struct qn_pointer_copies {
    struct vector vectors[VECTORS_MAX];
    struct message message;
};

/* Each thread has copies of its own, because other threads make calls while it waits in the kernel. */
static struct qn_pointer_copies *copies(void)
{
    if (!qn_self->copies)
        qn_self->copies = qn_engine_alloc(sizeof *qn_self->copies);
    return qn_self->copies;
}

static bool any_inside(uint64_t at, uint64_t n)
{
    struct vector part[PART];

    for (uint64_t done = 0; done < n; done += PART) {
        uint64_t now = n - done < PART ? n - done : PART;

        if (!qn_read_guest(at + done * sizeof *part, part, now * sizeof *part))
            return false;
        for (uint64_t i = 0; i < now; i++)
            if (part[i].len && qn_pointer_is_inside(part[i].base))
                return true;
    }
    return false;
}

/* The address that the kernel gets for the program's n vectors: theirs, or that of a copy. */
static uint64_t hide_vectors(uint64_t at, uint64_t n)
{
    struct vector *to;

    if (n > VECTORS_MAX || !any_inside(at, n))
        return at;
    to = copies()->vectors;
    if (!qn_read_guest(at, to, n * sizeof *to))
        return at;
    for (uint64_t i = 0; i < n; i++)
        to[i].base = qn_pointer_hidden(to[i].base);
    return (uint64_t)(uintptr_t)to;
}

static uint64_t hide_message(uint64_t at)
{
    struct message m, hidden;

    if (!qn_read_guest(at, &m, sizeof m))
        return at;
    hidden = m;
    hidden.name = qn_pointer_hidden(m.name);
    hidden.control = qn_pointer_hidden(m.control);
    hidden.vectors = hide_vectors(qn_pointer_hidden(m.vectors), m.n);
    if (hidden.name == m.name && hidden.control == m.control && hidden.vectors == m.vectors)
        return at;
    copies()->message = hidden;
    return (uint64_t)(uintptr_t)&copies()->message;
}

void qn_vectors_hide(long nr, long *a)
{
    switch (nr) {
    case __NR_readv: case __NR_writev: case __NR_preadv: case __NR_pwritev: case __NR_preadv2: case __NR_pwritev2:
    case __NR_vmsplice: case __NR_process_vm_readv: case __NR_process_vm_writev: case __NR_process_madvise:
        a[1] = (long)hide_vectors((uint64_t)a[1], (uint64_t)a[2]);
        break;
    case __NR_sendmsg: case __NR_recvmsg: a[1] = (long)hide_message((uint64_t)a[1]); break;
    default: break;
    }
}

/* Copies to the program's struct msghdr what recvmsg has written into the copy (____sys_recvmsg in the kernel). */
void qn_vectors_tell(long nr, uint64_t at, const long *a, long r)
{
    const struct qn_pointer_copies *c = qn_self->copies;
    struct message m;

    if (nr != __NR_recvmsg || r < 0 || !c || (uint64_t)a[1] != (uint64_t)(uintptr_t)&c->message || !qn_read_guest(at, &m, sizeof m))
        return;
    m.name_len = c->message.name_len;
    m.control_len = c->message.control_len;
    m.flags = c->message.flags;
    qn_write_guest(at, &m, sizeof m);
}
