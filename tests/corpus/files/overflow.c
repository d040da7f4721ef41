/* overflow.c - two mistakes for the sanitizers to find. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *p = malloc(10);

    (void)argv;
#ifdef SHIFT
    printf("%d\n", (argc << 31) + (argc << (argc + 31)));
#else
    p[9 + argc] = 1;
#endif
    free(p);
    return 0;
}
