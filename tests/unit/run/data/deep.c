/* data/deep.c - main's variable is written, and read from so many calls deep: 1024 lines of it. */
#include <stdlib.h>
#include <string.h>

#define LINES 1024

static volatile int sink;

static __attribute__((noinline)) void go_down(const volatile char *buffer, int depth)
{
    if (depth)
        go_down(buffer, depth - 1);
    else
        for (int i = 0; i < LINES; i++)
            sink = buffer[64 * i];
    sink = depth;
}

int main(int argc, char **argv)
{
    char buffer[64 * LINES];

    memset(buffer, 1, sizeof buffer);
    go_down(buffer, argc == 2 ? atoi(argv[1]) : 0);
    return 0;
}
