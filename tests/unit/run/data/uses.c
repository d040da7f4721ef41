/* uses.c - structures that are walked by a field, read over the ends of lines, copied and cleared; see notes.h.  Objects, and the members
 * of those whose type is told: a model knows which bytes of each line are used. */
#include "notes.h"

#include <stdint.h>

#ifdef __clang__
#define FUNCTION __attribute__((noinline)) static
#else
#define FUNCTION __attribute__((noipa)) static
#endif

struct place { double x, y; };
struct particle { struct place at; char name[40]; int id; struct place speed[2]; };
struct node { struct node *next; int key; char tag; };

static struct particle swarm[80];
static struct particle alone;
static char text[5000];
static double numbers[700];

FUNCTION struct particle *by_array(size_t n) { struct particle *p = calloc(n, sizeof *p); ADD(p, n * sizeof *p, "heap:by_array"); return p; }
FUNCTION struct node *by_node(void) { struct node *n = malloc(sizeof *n); ADD(n, sizeof *n, "heap:by_node"); return n; }

#define MEMBER(p, member, key) ADD(&(p)->member, sizeof (p)->member, key)

FUNCTION void tell_particles(struct particle *p, size_t n)
{
    for (size_t i = 0; i < n; i++, p++) {
        MEMBER(p, at.x, "part:struct particle:at.x");
        MEMBER(p, at.y, "part:struct particle:at.y");
        MEMBER(p, name, "part:struct particle:name[]");
        MEMBER(p, id, "part:struct particle:id");
        ADD((char *)&p->id + 4, 4, "part:struct particle:+60 (padding)");
        MEMBER(p, speed[0].x, "part:struct particle:speed[0].x");
        MEMBER(p, speed[0].y, "part:struct particle:speed[0].y");
        MEMBER(p, speed[1].x, "part:struct particle:speed[1].x");
        MEMBER(p, speed[1].y, "part:struct particle:speed[1].y");
    }
}

FUNCTION void tell_node(struct node *n)
{
    MEMBER(n, next, "part:struct node:next");
    MEMBER(n, key, "part:struct node:key");
    MEMBER(n, tag, "part:struct node:tag");
    ADD(&n->tag + 1, 3, "part:struct node:+13 (padding)");
}

FUNCTION double walk(const struct particle *p, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += p[i].at.x;
    return sum;
}

FUNCTION int names(const struct particle *p, size_t n)
{
    int sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += p[i].name[i % 40] + p[i].id;
    return sum;
}

FUNCTION int follow(const struct node *n)
{
    int sum = 0;

    for (; n; n = n->next)
        sum += n->key;
    return sum;
}

/* Words that lie over the ends of lines. */
FUNCTION uint64_t unaligned(const char *from, size_t n)
{
    uint64_t sum = 0, word;

    for (size_t i = 3; i + 8 < n; i += 29) {
        memcpy(&word, from + i, sizeof word);
        sum += word;
    }
    return sum;
}

FUNCTION void repeat(char *to, const char *from, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

FUNCTION void repeat_down(char *to, size_t n)
{
    uint64_t *last = (uint64_t *)(to + n) - 1;

    n /= 8;
    __asm__ volatile("std; rep stosq; cld" : "+D"(last), "+c"(n) : "a"(0ul) : "memory");
}

static volatile double sink;

int main(void)
{
    struct particle *many = by_array(120);
    struct node *first = NULL;

    IS(swarm, "symbol:swarm");
    IS(alone, "symbol:alone");
    IS(text, "symbol:text");
    IS(numbers, "symbol:numbers");
    tell_particles(many, 120);
    tell_particles(swarm, 80);
    tell_particles(&alone, 1);
    for (int i = 0; i < 90; i++) {
        struct node *n = by_node();

        tell_node(n);
        n->next = first;
        n->key = i;
        first = n;
    }
    for (int i = 0; i < 6; i++) {
        sink = walk(many, 120) + walk(swarm, 80) + names(many + i, 100) + follow(first) + (double)unaligned(text, sizeof text);
        touch(numbers, sizeof numbers);
        touch(&alone, sizeof alone);
        repeat(text + 7, (const char *)(many + 10), 3000);
        repeat_down(text + 100 * i, 1500);
    }
    write_notes();
    return 0;
}
