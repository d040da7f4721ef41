/* rust.c - functions with names as Rust's library has them: what makes a vector longer allocates for its caller, through several of them. */
#include <stdlib.h>
#include <string.h>

struct item { long key; double value; };
struct vector { struct item *items; size_t n, room; };

#define CODE __attribute__((noinline, noclone))

/* As RawVec::finish_grow is, it knows no type. */
CODE void *finish_grow(void *old, size_t bytes) __asm__("_RNvMs_NtCslNYArtu3iFV_5alloc7raw_vecNtB4_11RawVecInner11finish_grow");
CODE void *finish_grow(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);

    if (!new)
        abort();
    return new;
}

CODE void push(struct vector *v, long key) __asm__("_RNvMs_NtCslNYArtu3iFV_5alloc3vecINtB4_3VecNtCs1_4main4ItemE4pushCs1_4main");
CODE void push(struct vector *v, long key)
{
    if (v->n == v->room)
        v->items = finish_grow(v->items, (v->room = 2 * v->room + 4) * sizeof *v->items);
    v->items[v->n++] = (struct item){key, 0};
}

CODE void *finish_older(void *old, size_t bytes) __asm__("_ZN5alloc7raw_vec11finish_grow17h0123456789abcdefE");
CODE void *finish_older(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);

    if (!new)
        abort();
    return new;
}

CODE void push_older(struct vector *v, long key) __asm__("_ZN5alloc3vec16Vec$LT$T$C$A$GT$4push17h0123456789abcdefE");
CODE void push_older(struct vector *v, long key)
{
    if (v->n == v->room)
        v->items = finish_older(v->items, (v->room = 2 * v->room + 4) * sizeof *v->items);
    v->items[v->n++] = (struct item){key, 0};
}

CODE void fill(struct vector *v)
{
    for (int i = 0; i < 3000; i++)
        push(v, i);
}

CODE void fill_older(struct vector *v)
{
    for (int i = 0; i < 3000; i++)
        push_older(v, i);
}

int main(void)
{
    struct vector a = {0}, b = {0};
    long sum = 0;

    fill(&a);
    fill_older(&b);
    for (int i = 0; i < 3000; i++)
        sum += a.items[i].key + b.items[i].key;
    return sum == 1;
}
