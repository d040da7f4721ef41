/* tests/long/calls_place.c - preloaded: heap, stack, arguments and environment lie at the same addresses under quern and under Valgrind.
 *
 * What string functions and tables of pointers execute depends on addresses.  So the heap is one mapping at a fixed address, out of which blocks are
 * taken by size, and main runs on a stack at a fixed address, to which arguments and environment are copied.  Numbers of processes and threads, and
 * what the kernel tells of the process, are the same, too.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HEAP 0x2000000000ul
#define HEAP_BYTES (1ul << 30)
#define STACK 0x2100000000ul
#define STACK_BYTES (64ul << 20)
#define ABOVE 65536ul /* bytes that stay free above the arguments */
#define CLASSES 64

static uintptr_t next;
static void *spare[CLASSES];

struct head {
    size_t size;             /* room behind it */
    size_t pad;
};

static void *map(uintptr_t at, size_t bytes)
{
    void *p = mmap((void *)at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        _exit(99);
    return p;
}

static unsigned class_of(size_t size)
{
    unsigned c = 4;

    while ((1ul << c) < size)
        c++;
    return c;
}

void *memalign(size_t align, size_t size)
{
    unsigned c = class_of(size ? size : 1);
    struct head *h;
    uintptr_t at;

    if (align <= 16 && spare[c]) {
        void *p = spare[c];

        spare[c] = *(void **)p;
        return p;
    }
    if (!next) {
        map(HEAP, HEAP_BYTES);
        next = HEAP;
    }
    align = align < 16 ? 16 : align;
    at = (next + sizeof *h + align - 1) & ~(align - 1);
    next = at + (1ul << c);
    if (next > HEAP + HEAP_BYTES)
        _exit(99);
    h = (struct head *)at - 1;
    h->size = 1ul << c;
    return (void *)at;
}

void *malloc(size_t size) { return memalign(16, size); }
void *aligned_alloc(size_t align, size_t size) { return memalign(align, size); }

int posix_memalign(void **p, size_t align, size_t size)
{
    *p = memalign(align, size);
    return 0;
}

void free(void *p)
{
    unsigned c;

    if (!p)
        return;
    c = class_of(((struct head *)p)[-1].size);
    *(void **)p = spare[c];
    spare[c] = p;
}

size_t malloc_usable_size(void *p) { return p ? ((struct head *)p)[-1].size : 0; }

void *calloc(size_t n, size_t size)
{
    void *p = malloc(n * size);

    return memset(p, 0, n * size);
}

void *realloc(void *p, size_t size)
{
    size_t old = malloc_usable_size(p);
    void *q;

    if (p && size <= old)
        return p;
    q = malloc(size);
    memcpy(q, p, old < size ? old : size);
    free(p);
    return q;
}

typedef int main_function(int, char **, char **);

static struct {
    main_function *main;
    int argc;
    char **argv;
    void (*init)(void), (*fini)(void), (*rtld_fini)(void);
} start;

static int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

__attribute__((noreturn, used)) static void go_on(void)
{
    real(start.main, start.argc, start.argv, start.init, start.fini, start.rtld_fini, NULL);
    __builtin_trap();
}

/* Pointers and strings, below the end of the new stack; returns where the pointers begin. */
static char **copy(char **from, size_t n, char *end)
{
    size_t bytes = 0;
    char *text;
    char **to;

    for (size_t i = 0; i < n; i++)
        bytes += from[i] ? strlen(from[i]) + 1 : 0;
    text = end - bytes;
    to = (char **)(((uintptr_t)text - (n + 2) * sizeof *to) & ~15ul);
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i] ? text : NULL;
        if (from[i])
            text = stpcpy(text, from[i]) + 1;
    }
    return to;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    char **env = argv + argc + 1;
    size_t n = 0;
    char *stack = map(STACK, STACK_BYTES);

    (void)stack_end;
    while (env[n])
        n++;
    start.main = main, start.argc = argc, start.init = init, start.fini = fini, start.rtld_fini = rtld_fini;
    start.argv = copy(argv, (size_t)argc + 1 + n + 1, stack + STACK_BYTES - ABOVE);
    environ = start.argv + argc + 1;
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    __asm__ volatile("mov %0, %%rsp\n\tcall go_on" : : "r"((uintptr_t)start.argv & ~15ul));
    __builtin_unreachable();
}

/* What programs hash or look for. */
unsigned long pthread_self(void) { return STACK; }
/* What it says differs: no program gets it. */
int open(const char *name, int flags, ...)
{
    va_list list;
    int mode;

    va_start(list, flags);
    mode = va_arg(list, int);
    va_end(list);
    if (!strcmp(name, "/proc/self/maps")) {
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_open, name, flags, mode);
}

int getpid(void) { return 4242; }
unsigned long getauxval(unsigned long type)
{
    (void)type;
    errno = ENOENT;
    return 0;
}
