/* Code in a file that becomes shorter: what is beyond its end raises SIGBUS, what is not runs on; and when it is long again. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static sigjmp_buf back;
static char *code;

static void handler(int sig, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d code %d at %+ld; ", sig, info->si_code, (long)((char *)info->si_addr - code));
    siglongjmp(back, 1);
}

static int number(long at, int n)
{
    return !sigsetjmp(back, 1) ? ((int (*)(int))(void *)(code + at))(n) : -1;
}

static void tell(const char *what)
{
    printf("%s: ", what);
    printf("%d ", number(0, 1));
    printf("%d ", number(0, 0));
    printf("%d ", number(PAGE, 1));
    printf("%d\n", number(2 * PAGE - 3, 0));
}

/* f(n) { return n ? 1 : g(n); }, the jump into the next page; g is there, and once more across the end of that */
static void write_code(int file)
{
    static const unsigned char first[] = {0xb8, 1, 0, 0, 0, 0x85, 0xff, 0x0f, 0x84, 0xf3, 0x0f, 0, 0, 0xc3}, second[] = {0xb8, 2, 0, 0, 0, 0xc3};

    if (pwrite(file, first, sizeof first, 0) < 0 || pwrite(file, second, sizeof second, PAGE) < 0 ||
        pwrite(file, second, sizeof second, 2 * PAGE - 3) < 0)
        perror("write");
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    int file = memfd_create("code", 0);

    setvbuf(stdout, NULL, _IONBF, 0);

    sigaction(SIGBUS, &act, NULL);
    sigaction(SIGSEGV, &act, NULL);
    write_code(file);
    code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    if (ftruncate(file, PAGE))
        perror("truncate");
    tell("one page");
    write_code(file);
    tell("whole");
    if (ftruncate(file, 2 * PAGE))
        perror("truncate");
    munmap(code, 3 * PAGE);
    code = mmap(NULL, 3 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    tell("two pages");
    return 0;
}
