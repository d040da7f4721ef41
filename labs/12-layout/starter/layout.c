/* layout.c - three functions, as one writes them first.  Lay their data out so that they miss less: see HANDOUT.md.
 *
 * No library: only C.  `room` is the only memory for what is large.
 */
#include "kernels.h"

/* Each round goes through all particles; `carry` goes on from one to the next, and from a round to the next. */
struct particle {
    unsigned x, y, z, mass, charge, kind, color, age, v, w[7];
};

void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    struct particle *p = (struct particle *)room;
    unsigned carry = 0;

    for (long i = 0; i < n * WORDS_EACH; i++)
        room[i] = in[i];
    for (long round = 0; round < m; round++)
        for (long i = 0; i < n; i++) {
            carry = 5 * carry + p[i].x;
            p[i].x += p[i].v ^ carry;
        }
    for (long i = 0; i < n; i++)
        out[i] = p[i].x;
}

/* Field f of record i is in[f * n + i].  What a lookup finds says which record is the next. */
#define FIELDS 12

void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned h = 0;

    (void)room;
    for (long i = 0; i < m; i++) {
        long record = h % n;

        for (long f = 0; f < FIELDS; f++)
            h = HASH(h, in[f * n + record]);
        out[i] = h;
    }
}

/* A simulation: the next event is the one of the lowest time, of equal times the one of the lowest number.  Its data give a hash and the time at
 * which it comes again.  A heap: no event is before its parent. */
#define SPREAD 1000

struct event {
    unsigned time, data[WORDS_EACH - 1], number;
};

static int is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* What is at the place goes down until it is before its children. */
static void sink(struct event *heap, long n, long at)
{
    for (long child; (child = 2 * at + 1) < n; at = child) {
        struct event moved;

        if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &heap[at]))
            return;
        moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
    }
}

void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    struct event *heap = (struct event *)room;
    unsigned h = 0;

    for (long i = 0; i < n; i++) {
        heap[i].time = in[i * WORDS_EACH] % 64;
        heap[i].number = i;
        for (long word = 1; word < WORDS_EACH; word++)
            heap[i].data[word - 1] = in[i * WORDS_EACH + word];
    }
    for (long i = n / 2; i-- > 0;)
        sink(heap, n, i);
    for (long i = 0; i < m; i++) {
        for (long word = 1; word < WORDS_EACH; word++)
            h = HASH(h, heap[0].data[word - 1]);
        out[i] = h;
        heap[0].time += 1 + h % SPREAD;
        sink(heap, n, 0);
    }
}
