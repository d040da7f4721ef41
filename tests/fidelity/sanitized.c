/* sanitized.c - built with AddressSanitizer (its leak checker, too), ThreadSanitizer or UndefinedBehaviorSanitizer; each finds
 * its mistake where argv[1] asks for it. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int shared;
static void *increment(void *p) { shared++; return p; }

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "nothing";
    int *block = calloc(10, sizeof *block), sum = 0;
    pthread_t t[2];

    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, increment, NULL);
        if (strcmp(what, "race"))
            pthread_join(t[i], NULL);
    }
    if (!strcmp(what, "race")) {
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
    }
    for (int i = 0; i < 10; i++)
        sum += block[i] + i;
    if (!strcmp(what, "overflow"))
        sum += INT_MAX;
    if (!strcmp(what, "beyond"))
        sum += ((volatile int *)block)[10];
    if (strcmp(what, "leak"))
        free(block);
    if (!strcmp(what, "freed"))
        sum += ((volatile int *)block)[1];
    block = NULL;
    printf("%d %d\n", sum != 0, shared == 2);
    return 0;
}
