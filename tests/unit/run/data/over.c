/* data/over.c - code that is moved to where other code was, a library's over another one's.  Compiled with BUFFER it is such a library.
 *
 *   over ./alpha.so ./beta.so      run of the first; then that of the second, at the same address */
#ifdef BUFFER

#define LINES 64

void run(void)
{
    volatile char BUFFER[64 * LINES];

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < LINES; i++)
            BUFFER[64 * i] = 1;
}

#else

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul

static uintptr_t find_run(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);

    return library ? (uintptr_t)dlsym(library, "run") : 0;
}

int main(int argc, char **argv)
{
    uintptr_t first = argc == 3 ? find_run(argv[1]) : 0, second = argc == 3 ? find_run(argv[2]) : 0;

    if (!first || !second || first % PAGE != second % PAGE)
        return 1;
    ((void (*)(void))first)();
    if (mremap((void *)(second - second % PAGE), PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(first - first % PAGE)) == MAP_FAILED)
        return 1;
    ((void (*)(void))first)();
    puts("moved");
    fflush(stdout);
    _exit(0); /* what the second library had there is not to be called any more */
}

#endif
