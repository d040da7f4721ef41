/* adds.c - for `quern demo sharing`: four threads add to counters of their own, which stand in one line, and then to some that have a line each. */
#include <pthread.h>

#define THREADS 4
#define ADDS 10000
#define LINE 64 /* bytes */

static struct { volatile unsigned n; } near[THREADS] __attribute__((aligned(LINE)));
static struct { volatile unsigned n; } __attribute__((aligned(LINE))) apart[THREADS];

static void *add(void *number)
{
    long me = (long)number;

    for (int i = 0; i < ADDS; i++)
        near[me].n++;
    for (int i = 0; i < ADDS; i++)
        apart[me].n++;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (long me = 0; me < THREADS; me++)
        pthread_create(&thread[me], NULL, add, (void *)me);
    for (long me = 0; me < THREADS; me++)
        pthread_join(thread[me], NULL);
    return 0;
}
