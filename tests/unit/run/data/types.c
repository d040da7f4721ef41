/* types.c - blocks of known types, taken by variables, members, parameters and results; members by their ranges.  See notes.h. */
#include "notes.h"

#include <stddef.h>

#ifdef __clang__
#define FUNCTION __attribute__((noinline)) static
#else
#define FUNCTION __attribute__((noipa)) static
#endif

static char far[16384];

/* What is used next misses. */
#define AWAY(block) (touch(far, sizeof far), touch(block, 1))

struct place { double x, y; };
struct particle { struct place at; char name[40]; int id; struct place speed[2]; };
struct node { struct node *next; long key; };
struct list { long n; struct node *first; struct node *others[4]; };
struct text { size_t n; char bytes[]; };
typedef struct { short red, green; } colour;

static struct particle swarm[60];
static struct particle alone;
static colour *colours;
static struct node *table[8];
static double numbers[100];

FUNCTION struct node *by_local(void) { struct node *n = malloc(sizeof *n); n->key = 1; n->next = NULL; return n; }
FUNCTION struct node *by_result(void) { return malloc(sizeof(struct node)); }
FUNCTION void by_member(struct list *l) { l->first = malloc(sizeof *l->first); }
FUNCTION void by_element(struct list *l, int i) { l->others[i] = malloc(sizeof *l->others[i]); }
FUNCTION void by_global(void) { colours = calloc(500, sizeof *colours); }
FUNCTION void by_table(int i) { table[i] = malloc(sizeof(struct node)); }
FUNCTION void take(struct particle *p) { AWAY(p); p->id = 1; }
FUNCTION void by_parameter(void) { take(calloc(1, sizeof(struct particle))); }
FUNCTION struct text *by_open_end(size_t n) { struct text *t = malloc(sizeof *t + n); t->n = n; return t; }
FUNCTION struct node **by_pointers(size_t n) { struct node **p = calloc(n, sizeof *p); return p; }
FUNCTION char *by_chars(size_t n) { char *p = malloc(n); p[0] = 0; return p; }
FUNCTION void *by_nobody(size_t n) { return malloc(n); }

/* A model knows the members of these. */
FUNCTION struct particle *by_array(size_t n) { struct particle *p = malloc(n * sizeof *p); return p; }

#define MEMBER(p, member, key) ADD(&(p)->member, sizeof (p)->member, "part:struct particle:" key)

FUNCTION void tell_members(struct particle *p, size_t n)
{
    for (size_t i = 0; i < n; i++, p++) {
        MEMBER(p, at.x, "at.x");
        MEMBER(p, at.y, "at.y");
        MEMBER(p, name, "name[]");
        MEMBER(p, id, "id");
        ADD((char *)&p->id + 4, 4, "part:struct particle:+60 (padding)");
        MEMBER(p, speed[0].x, "speed[0].x");
        MEMBER(p, speed[0].y, "speed[0].y");
        MEMBER(p, speed[1].x, "speed[1].x");
        MEMBER(p, speed[1].y, "speed[1].y");
    }
}

int main(void)
{
    struct list l = {0};
    struct particle *many = by_array(50);
    struct text *text = by_open_end(3000);
    colour *c;
    void *p;

    tell_members(many, 50);
    tell_members(swarm, 60);
    tell_members(&alone, 1);
    for (int i = 0; i < 30; i++) {
        touch(many, 50 * sizeof *many);
        touch(swarm, sizeof swarm);
        touch(&alone, sizeof alone);
        touch(numbers, sizeof numbers);
        touch(text->bytes, 3000);
    }
    for (int i = 0; i < 4; i++) {
        by_element(&l, i);
        AWAY(l.others[i]);
        by_table(i);
        AWAY(table[i]);
    }
    by_member(&l);
    AWAY(l.first);
    p = by_local();
    AWAY(p);
    p = by_result();
    AWAY(p);
    by_global();
    c = colours;
    touch(c, 2000);
    by_parameter();
    touch(by_pointers(300), 2400);
    touch(by_chars(3000), 3000);
    touch(by_nobody(3000), 3000);
    write_notes();
    return 0;
}
