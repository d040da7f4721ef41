/* code_changes.c - code that changes: memory mapped twice, a store into its own block, read() into code, a file mapped
 * anew, code that is copied about, a patch by another process, flags that only the new code needs. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code.h"

/* A page of a new file, once to be written and once to be run; the file, -1 if there is none to be had. */
static int map_twice(uint8_t **w, uint8_t **x)
{
    int fd = memfd_create("code", 0);

    if (ftruncate(fd, 4096))
        return -1;
    *w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *x = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    return fd;
}

static void mapped_twice(void)
{
    uint8_t *w, *x;
    int fd = map_twice(&w, &x), sum = 0;

    if (fd < 0)
        return;
    for (int i = 0; i < 100; i++) {
        put_code(w, i * i);
        sum += call(x);
    }
    printf("mapped twice: %d\n", sum);
    for (int i = 0; i < 100; i++) { /* one byte, by pwrite */
        uint8_t low = (uint8_t)i;

        if (pwrite(fd, &low, 1, 1) == 1)
            sum += call(x);
    }
    printf("by pwrite: %d\n", sum);
    if (fork() == 0) {
        put_code(w, 4242);
        _exit(0);
    }
    wait(NULL);
    printf("by another process: %d\n", call(x));
}

/* movb $7, 1+0f(%rip) ; 0: mov $1, %eax ; ret: the store changes the next instruction. */
/* A file in memory, or without a name, that is mapped privately, and executable from the beginning or later, then written to in several ways. */
static void private_memory(int fd, int first)
{
    int other = memfd_create("other", 0), sum = 0;
    uint8_t *x, *w, buf[sizeof template];
    int64_t from = 0, to = 0;

    if (ftruncate(fd, 8192) || ftruncate(other, 4096))
        return;
    put_code(buf, 1);
    sum += pwrite(fd, buf, sizeof buf, 0) < 0;
    x = mmap(NULL, 4096, first, MAP_PRIVATE, fd, 0);
    w = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    mprotect(x, 4096, PROT_READ | PROT_EXEC);
    printf("private: %d", call(x));
    for (int i = 2; i < 50; i++) {
        put_code(buf, i);
        if (pwrite(fd, buf, sizeof buf, 0) > 0)
            sum += call(x);
        put_code(w, 3 * i);
        sum += call(x);
    }
    put_code(buf, 4000);
    if (pwrite(other, buf, sizeof buf, 0) > 0 && copy_file_range(other, &from, fd, &to, sizeof buf, 0) > 0)
        sum += call(x);
    put_code(buf, 90000);
    if (pwrite(other, buf, sizeof buf, 0) > 0 && lseek(fd, 0, SEEK_SET) == 0 && sendfile(fd, other, &(off_t){0}, sizeof buf) > 0)
        sum += call(x);
    printf(" %d\n", sum);
}

static void own_block(void)
{
    static const uint8_t code[] = {0xc6, 0x05, 1, 0, 0, 0, 7, 0xb8, 1, 0, 0, 0, 0xc3};
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    memcpy(x, code, sizeof code);
    printf("a store into its own block: %d\n", call(x));
    x[8] = 9;
    x[6] = 9;
    printf("and again: %d\n", call(x));
}

static void read_into_code(void)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), buf[sizeof template];
    int p[2], sum = 0;

    if (pipe(p))
        return;
    for (int i = 1; i <= 50; i++) {
        put_code(buf, i);
        if (write(p[1], buf, sizeof buf) != sizeof buf || read(p[0], x, sizeof buf) != sizeof buf)
            return;
        sum += call(x);
    }
    printf("read() into code: %d\n", sum);
}

static void protected_between(void)
{
    uint8_t *x = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;

    for (int i = 0; i < 50; i++) {
        mprotect(x, 4096, PROT_READ | PROT_WRITE);
        put_code(x + 16 * (i % 3), 3 * i);
        mprotect(x, 4096, PROT_READ | PROT_EXEC);
        sum += call(x + 16 * (i % 3));
    }
    printf("mprotect: %d\n", sum);
}

static void mapped_anew(void)
{
    int a = memfd_create("a", 0), b = memfd_create("b", 0), sum = 0;
    uint8_t buf[4096], *x = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* nothing else lies there */

    put_code(buf, 1000);
    if (write(a, buf, sizeof buf) < 0)
        return;
    put_code(buf, 1);
    if (write(b, buf, sizeof buf) < 0)
        return;
    for (int i = 0; i < 20; i++) {
        x = mmap(x, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, i % 2 ? a : b, 0);
        sum += call(x);
    }
    printf("mapped anew: %d\n", sum);
    for (int i = 0; i < 10; i++) {
        x = mremap(x, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, x + (i % 2 ? -8192 : 8192));
        sum += call(x);
    }
    printf("moved: %d\n", sum);
}

/* Code that writes the flags becomes code that reads them, without a system call between: it finds those of its caller. */
static void flags_kept(void)
{
    static const uint8_t writes[] = {0x31, 0xc0, 0xc3}, reads[] = {0x0f, 0x92, 0xc0, 0x0f, 0x94, 0xc4, 0xc3}; /* xor; setc %al; setz %ah */
    uint8_t *w, *x;
    int found = 0;

    if (map_twice(&w, &x) < 0)
        return;
    for (int i = 0; i < 100; i++) {
        const bool carry = i & 2, zero = i & 4;
        long flags = carry | zero << 6, result = 0;

        memcpy(w, i & 1 ? reads : writes, i & 1 ? sizeof reads : sizeof writes);
        __asm__ volatile("push %2\n popf\n call *%1" : "+a"(result) : "r"(x), "r"(flags) : "cc", "memory");
        found += i & 1 && result == (carry | zero << 8);
    }
    printf("flags that only the new code needs: %d\n", found);
}

int main(void)
{
    char name[40];

    mapped_twice();
    private_memory(memfd_create("code", 0), PROT_READ | PROT_EXEC);
    private_memory(memfd_create("code", 0), PROT_READ);
    private_memory(open("/dev/shm", O_TMPFILE | O_RDWR, 0600), PROT_READ);
    private_memory(open("/tmp", O_TMPFILE | O_RDWR, 0600), PROT_READ | PROT_EXEC);
    sprintf(name, "/quern-code-%d", (int)getpid());
    private_memory(shm_open(name, O_CREAT | O_RDWR, 0600), PROT_READ);
    shm_unlink(name);
    own_block();
    read_into_code();
    protected_between();
    mapped_anew();
    flags_kept();
    return 0;
}
