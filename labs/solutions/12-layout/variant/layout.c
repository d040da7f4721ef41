/* layout.c - lab 12, a solution for variants.  X, V, FIELDS and SPREAD are defined before it. */
#include "kernels.h"

/* What a round uses stands alone, in two arrays: sixteen particles share a line. */
void scan(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned *x = room, *v = room + n, carry = 0;

    for (long i = 0; i < n; i++) {
        x[i] = in[i * WORDS_EACH + X];
        v[i] = in[i * WORDS_EACH + V];
    }
    for (long round = 0; round < m; round++)
        for (long i = 0; i < n; i++) {
            carry = 5 * carry + x[i];
            x[i] += v[i] ^ carry;
        }
    for (long i = 0; i < n; i++)
        out[i] = x[i];
}

/* What a lookup uses stands together, padded to a line; moved there sixteen records at a time, whose lines stay until all fields are in. */
#define LINE_WORDS 16

void lookup(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    unsigned h = 0;

    for (long first = 0; first < n; first += LINE_WORDS)
        for (long f = 0; f < FIELDS; f++)
            for (long i = first; i < first + LINE_WORDS && i < n; i++)
                room[i * LINE_WORDS + f] = in[f * n + i];
    for (long i = 0; i < m; i++) {
        const unsigned *record = room + h % n * LINE_WORDS;

        for (long f = 0; f < FIELDS; f++)
            h = HASH(h, record[FIELDS - 1 - f]);
        out[i] = h;
    }
}

/* The heap has times and numbers only; data stay where they are.  The eight children of an entry are one line: the first entry stands just before
 * a line. */
#define CHILDREN 8

struct entry {
    unsigned time, number;
};

static int is_before(struct entry a, struct entry b)
{
    return a.time < b.time || (a.time == b.time && a.number > b.number);
}

static void sink(struct entry *heap, long n, long at)
{
    struct entry moved = heap[at];

    for (long child; (child = CHILDREN * at + 1) < n;) {
        long end = child + CHILDREN < n ? child + CHILDREN : n;

        for (long i = child + 1; i < end; i++)
            child = is_before(heap[i], heap[child]) ? i : child;
        if (!is_before(heap[child], moved))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

void events(long n, long m, const unsigned *in, unsigned *room, unsigned *out)
{
    struct entry *heap = (struct entry *)room + CHILDREN - 1;
    unsigned h = 0;

    for (long i = 0; i < n; i++)
        heap[i] = (struct entry){ in[i * WORDS_EACH] % 64, i };
    for (long i = n; i-- > 0;)
        sink(heap, n, i);
    for (long i = 0; i < m; i++) {
        const unsigned *data = in + (long)heap[0].number * WORDS_EACH;

        for (long word = 1; word < WORDS_EACH; word++)
            h = HASH(h, data[word]);
        out[i] = h;
        heap[0].time += 1 + h % SPREAD;
        sink(heap, n, 0);
    }
}
