/* objects.c - allocates in every way that C knows; see notes.h.  With -DTHREADS some of it on another thread. */
#define _GNU_SOURCE
#include "notes.h"

#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>

#define FUNCTION __attribute__((noinline)) static

static char table[5000];
static long numbers[300];
static struct { char first[70], second[70]; } pair = { "1", "2" };

FUNCTION void *by_malloc(size_t n) { void *p = malloc(n); ADD(p, n, "heap:by_malloc"); return p; }
FUNCTION void *by_calloc(size_t n) { void *p = calloc(n, 3); ADD(p, 3 * n, "heap:by_calloc"); return p; }
FUNCTION void *by_aligned(size_t n) { void *p = aligned_alloc(256, n); ADD(p, n, "heap:by_aligned"); return p; }
FUNCTION void *by_memalign(size_t n) { void *p = memalign(512, n); ADD(p, n, "heap:by_memalign"); return p; }
FUNCTION void *by_valloc(size_t n) { void *p = valloc(n); ADD(p, n, "heap:by_valloc"); return p; }

FUNCTION void *by_posix(size_t n)
{
    void *p = NULL;

    if (posix_memalign(&p, 128, n))
        abort();
    ADD(p, n, "heap:by_posix");
    return p;
}

FUNCTION void *by_realloc(void *old, size_t n)
{
    void *p = realloc(old, n);

    if (old)
        GONE(old);
    ADD(p, n, "heap:by_realloc");
    return p;
}

FUNCTION void *by_mmap(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ADD(p, n, "heap:by_mmap");
    return p;
}

/* A wrapper, and an allocator of its own: both are named by --alloc. */
__attribute__((noinline)) void *xmalloc(size_t n) { void *p = malloc(n); return p ? p : (abort(), p); }
FUNCTION void *by_xmalloc(size_t n) { void *p = xmalloc(n); ADD(p, n, "heap:by_xmalloc"); return p; }

static char *pool, *pool_next;

__attribute__((noinline)) void *pool_get(char **from, unsigned n, unsigned size) { char *p = *from; *from += n * size; return p; }

FUNCTION void *by_pool(unsigned n) { void *p = pool_get(&pool_next, n, 24); ADD(p, n * 24, "heap:by_pool"); return p; }

FUNCTION void *by_make_pool(size_t n) { pool = pool_next = malloc(n); ADD(pool, n, "heap:by_make_pool"); return pool; }

FUNCTION void give(void *p) { GONE(p); free(p); }

/* Many small ones that come and go, so that a place belongs to one and then to another. */
FUNCTION void churn(void)
{
    void *kept[64] = { 0 };

    for (int i = 0; i < 2000; i++) {
        unsigned k = (seed >> 13) % 64, size = 1 + (seed >> 8) % 500;

        if (kept[k])
            give(kept[k]);
        kept[k] = i % 3 ? by_malloc(size) : by_calloc(size);
        touch(kept[k], size);
        if (i % 7 == 0)
            kept[k] = by_realloc(kept[k], size * 2);
    }
    for (int k = 0; k < 64; k++)
        if (kept[k])
            give(kept[k]);
}

FUNCTION void use(void *p, size_t n) { touch(p, n); touch(p, n); }

FUNCTION void pools(void)
{
    by_make_pool(40000);
    for (int i = 1; i < 60; i++)
        use(by_pool(i % 10 + 1), 24);
    use(pool, 40000);
    give(pool);
    use(by_malloc(40000), 40000);
}

FUNCTION void *work(void *nothing)
{
    char *mapped;

    churn();
    use(by_aligned(4096), 4096);
    use(by_memalign(3000), 3000);
    use(by_valloc(5000), 5000);
    use(by_posix(6000), 6000);
    use(by_xmalloc(2000), 2000);
    use(by_realloc(by_realloc(NULL, 100000), 900000), 900000);
    mapped = by_mmap(50000);
    use(mapped, 50000);
    GONE(mapped);
    munmap(mapped, 50000);
    pools();
    return nothing;
}

int main(void)
{
    IS(table, "symbol:table");
    IS(numbers, "symbol:numbers");
    IS(pair, "symbol:pair");
    use(table, sizeof table);
    use(numbers, sizeof numbers);
    use(&pair, sizeof pair);
#ifdef THREADS
    pthread_t other;

    pthread_create(&other, NULL, work, NULL);
    pthread_join(other, NULL);
#endif
    work(NULL);
    use(table, sizeof table);
    write_notes();
    return 0;
}
