/* recent.c - what a site's last miss was on does not say what its next one is on: one loop walks over memory that becomes something else.
 *
 * walk_at() is the only place that misses much: over blocks of one site, whose type is known after the first large one; over memory that is
 * freed, and allocated elsewhere; over a pool before and after blocks come to lie in it; over a mapping of which a part becomes a stack.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PART = 16 * PAGE };

struct item {
    long key, value, more;
};

static long sum, table[20000];

static void __attribute__((noinline)) walk_at(uintptr_t start, size_t size)
{
    const volatile char *p = (const volatile char *)start;

    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < size; i += 20)
            sum += p[i];
}

#define walk(start, size) walk_at((uintptr_t)(start), size)

static struct item *__attribute__((noinline)) make(size_t n)
{
    struct item *list = malloc(n * sizeof *list);

    return list;
}

static void __attribute__((noinline)) clear(struct item *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        list[i].value = 0;
}

static void sizes(void)
{
    struct item *small[40], *large;

    for (int i = 0; i < 40; i++)
        walk(small[i] = make(30), 30 * sizeof(struct item));
    large = make(2000);
    walk(small[39], 30 * sizeof(struct item));
    clear(large, 2000);
    walk(small[39], 30 * sizeof(struct item));
    walk(large, 2000 * sizeof(struct item));
    for (int i = 0; i < 40; i++) {
        uintptr_t at = (uintptr_t)small[i];

        walk(at, 30 * sizeof(struct item));
        free(small[i]);
        walk(at, 30 * sizeof(struct item));
    }
    walk(large, 2000 * sizeof(struct item));
    free(large);
}

static void reused(void)
{
    for (int i = 0; i < 200; i++) {
        char *a = malloc(5000), *b;

        uintptr_t at = (uintptr_t)a;

        walk(at, 5000);
        free(a);
        walk(at, 5000);
        b = malloc(4990);
        walk(b, 4990);
        walk(table, sizeof table / 10);
        free(b);
    }
}

static char *__attribute__((noinline)) part_of(char *pool, size_t n, size_t size) { return pool + n * size; }

static void pool(void)
{
    char *memory = malloc(PART);

    walk(memory, PART);
    for (size_t i = 0; i < 100; i++) {
        sum += *part_of(memory, i, 160);
        if (i % 20 == 0)
            walk(memory, PART);
    }
    walk(memory, PART);
    free(memory);
}

/* On another stack. */
static void __attribute__((noinline)) stand(char *top)
{
    char *sp = (char *)((uintptr_t)top & ~(uintptr_t)15);

    __asm__ volatile("xchg %%rsp, %0; call 1f; jmp 2f; 1: movl $3000, %%ecx; 3: pushq %%rcx; decl %%ecx; jnz 3b; leaq 24000(%%rsp), %%rsp; ret; 2: xchg %%rsp, %0"
                     : "+r"(sp) : : "rcx", "memory", "cc");
}

static char *map(char *at, size_t size)
{
    return (char *)syscall(SYS_mmap, at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
}

static void stack(void)
{
    char *memory = map(NULL, 4 * PART);

    munmap(memory + PART, 3 * PART);
    walk(memory, PART);
    walk(memory, PART);
    stand(memory + PART);
    walk(memory, PART);
    map(memory + PART, 2 * PART);
    walk(memory + PART, 2 * PART);
    walk(memory, 3 * PART);
    walk(memory, 3 * PART);
    munmap(memory, PART);
    map(memory, PART);
    walk(memory, 3 * PART);
}

int main(void)
{
    sizes();
    reused();
    pool();
    stack();
    printf("%ld\n", sum);
    return 0;
}
