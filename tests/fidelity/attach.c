/* attach.c - memory that moves or is attached without an address, also when nothing is free but what lies between the parts of
 * quern; and code in memory that is attached, detached, or shared and only later executable. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "code.h"

#define PAGE 4096ul
#define GAP (96ul << 30)       /* as much as lies between parts of quern, and more than is left elsewhere at the top */
#define QUERN_LOW 0x7e8000000000ul
#define QUERN_HIGH 0x7ef000000000ul

/* Nothing of this size is free above quern; what comes from below does not matter. */
static void fill_top(void)
{
    for (int i = 0; i < 10000; i++) {
        char *p = mmap(NULL, GAP, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (p == MAP_FAILED || (uintptr_t)p < QUERN_HIGH) {
            if (p != MAP_FAILED)
                munmap(p, GAP);
            return;
        }
    }
}

static void moved(void)
{
    char *p, *q;
    int bad = 0;

    for (int i = 0; i < 3; i++) {
        p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        p[5] = 42;
        q = mremap(p, PAGE, GAP, MREMAP_MAYMOVE);
        if (q == MAP_FAILED) {
            printf("mremap: %s\n", strerror(errno));
            return;
        }
        q[GAP - 1] = 1;
        bad += q[5] != 42 || mprotect(q, GAP, PROT_READ) || madvise(q, GAP, MADV_DONTNEED) || munmap(q, GAP);
    }
    printf("mremap: %d cannot be used or given back\n", bad);
}

static void attached(void)
{
    int id = shmget(IPC_PRIVATE, GAP, IPC_CREAT | SHM_NORESERVE | 0600), bad = 0;

    if (id < 0) {
        printf("no segment of that size\n");
        return;
    }
    for (int i = 0; i < 3; i++) {
        char *p = shmat(id, NULL, 0);

        if (p == (char *)-1) {
            printf("shmat: %s\n", strerror(errno));
            break;
        }
        bad += p[7] != i;
        p[7] = (char)(i + 1);
        bad += mprotect(p, PAGE, PROT_READ) || shmdt(p);
    }
    shmctl(id, IPC_RMID, NULL);
    printf("shmat: %d cannot be used or given back\n", bad);
}

static sigjmp_buf back;

static void on_fault(int sig)
{
    siglongjmp(back, sig);
}

static void code_attached(void)
{
    int id = shmget(IPC_PRIVATE, PAGE, IPC_CREAT | 0700), sum = 0;
    uint8_t *w = shmat(id, NULL, 0), *volatile x = shmat(id, NULL, SHM_EXEC | SHM_RDONLY);

    for (int i = 0; i < 100; i++) {
        put_code(w, i);
        sum += call(x);
    }
    printf("code in an attached segment: %d\n", sum);
    shmdt(x);
    signal(SIGSEGV, on_fault);
    if (!(sum = sigsetjmp(back, 1)))
        sum = call(x);
    printf("detached: %d\n", sum);
    x = mmap(x, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    put_code(x, 77);
    printf("something else there: %d\n", call(x));
    put_code(w, 78);
    if (shmat(id, x, SHM_EXEC | SHM_REMAP) == x)
        printf("attached over it: %d\n", call(x));
    shmctl(id, IPC_RMID, NULL);
}

static void shared_then_executable(void)
{
    int fd = memfd_create("code", 0), sum = 0;
    uint8_t *w, *x;

    if (ftruncate(fd, PAGE))
        return;
    w = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    x = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
    put_code(w, 1);
    mprotect(x, PAGE, PROT_READ | PROT_EXEC);
    for (int i = 0; i < 100; i++) {
        put_code(w, i);
        sum += call(x);
    }
    printf("shared, then made executable: %d\n", sum);
    x = mremap(x, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    for (int i = 0; i < 100; i++) {
        put_code(w, i);
        sum -= call(x);
    }
    printf("moved: %d\n", sum);
}

int main(void)
{
    code_attached();
    shared_then_executable();
    fill_top();
    moved();
    attached();
    return 0;
}
