/* mixed.c - vfork and threads in turns: what one leaves behind in the engine must not look like the other. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void *meet(void *result)
{
    pthread_barrier_wait(&barrier);
    ++*(int *)result;
    pthread_barrier_wait(&barrier);
    return NULL;
}

static int child(int status)
{
    int got;
    pid_t pid = vfork();

    if (pid == 0)
        _exit(status);
    waitpid(pid, &got, 0);
    return WEXITSTATUS(got);
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 10; i++) {
        pthread_t thread[2];
        int result[2] = {i, i};

        printf("%d ", child(i));
        for (int j = 0; j < 2; j++)
            if (pthread_create(&thread[j], NULL, meet, &result[j]) != 0)
                exit(1);
        pthread_barrier_wait(&barrier);
        printf("%d ", child(i + 1));
        pthread_barrier_wait(&barrier);
        for (int j = 0; j < 2; j++)
            pthread_join(thread[j], NULL);
        printf("%d\n", result[0] + result[1]);
    }
    return 0;
}
