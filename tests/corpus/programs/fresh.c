/* fresh.c - code that a program writes: written and run, changed in place and run again, mapped twice (written here, run
 * there), unmapped and mapped anew at the same address, copied, changed by its own block. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define CHECK(e) do { if (!(e)) { printf("line %d: %s\n", __LINE__, #e); exit(1); } } while (0)

typedef int function(int);

/* lea eax, [rdi + n]; ret */
static void write_add(unsigned char *p, int n)
{
    p[0] = 0x8d;
    p[1] = 0x87;
    memcpy(p + 2, &n, 4);
    p[6] = 0xc3;
}

static void change_in_place(void)
{
    unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;

    CHECK(p != MAP_FAILED);
    for (int i = 0; i < 300; i++) {
        write_add(p, i);
        sum += ((function *)p)(i);
        CHECK(((function *)p)(1) == i + 1);
    }
    printf("changed in place: %ld\n", sum);
}

static void protect_and_unprotect(void)
{
    unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long sum = 0;

    for (int i = 0; i < 300; i++) {
        CHECK(mprotect(p, PAGE, PROT_READ | PROT_WRITE) == 0);
        write_add(p, 7 * i);
        CHECK(mprotect(p, PAGE, PROT_READ | PROT_EXEC) == 0);
        sum += ((function *)p)(i);
    }
    printf("write xor execute: %ld\n", sum);
}

static void map_twice(void)
{
    int fd = memfd_create("code", 0);
    unsigned char *writable, *executable;
    long sum = 0;

    CHECK(fd >= 0 && ftruncate(fd, PAGE) == 0);
    writable = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    executable = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    CHECK(writable != MAP_FAILED && executable != MAP_FAILED);
    for (int i = 0; i < 300; i++) {
        write_add(writable, 11 * i);
        sum += ((function *)executable)(i);
    }
    printf("mapped twice: %ld\n", sum);
}

static void map_anew(void)
{
    unsigned char *p = NULL;
    long sum = 0;

    for (int i = 0; i < 300; i++) {
        unsigned char *q = mmap(p, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                MAP_PRIVATE | MAP_ANONYMOUS | (p ? MAP_FIXED : 0), -1, 0);

        CHECK(q != MAP_FAILED && (!p || q == p));
        p = q;
        write_add(p, 13 * i);
        sum += ((function *)p)(i);
        if (i % 2)
            CHECK(munmap(p, PAGE) == 0);
    }
    printf("mapped anew: %ld\n", sum);
}

/* mov byte [rip + 1], 9; mov eax, imm32 (its first byte is what is changed); ret: fresh in the same block */
static void change_own_block(void)
{
    static const unsigned char code[] = { 0xc6, 0x05, 0x01, 0, 0, 0, 0x09, 0xb8, 1, 0, 0, 0, 0xc3 };
    unsigned char *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(p != MAP_FAILED);
    memcpy(p, code, sizeof code);
    printf("own block: %d", ((int (*)(void))p)());
    p[6] = 77;
    printf(" %d\n", ((int (*)(void))p)());
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    change_in_place();
    protect_and_unprotect();
    map_twice();
    map_anew();
    change_own_block();
    return 0;
}
