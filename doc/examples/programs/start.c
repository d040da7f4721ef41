/* start.c - what mm.c and blocked.c need of a C library, so that nothing but themselves is counted: how much a C library does before
 * main depends on its version, on where the program lies, and on what else is installed.
 *
 *   cc -O1 -nostdlib -static -fno-builtin -o mm mm.c start.c
 */
__asm__(".globl _start\n"
        "_start: xor %ebp, %ebp\n"
        "        mov (%rsp), %edi\n"   /* argc */
        "        lea 8(%rsp), %rsi\n"  /* argv */
        "        and $-16, %rsp\n"
        "        call main\n"
        "        mov %eax, %edi\n"
        "        mov $231, %eax\n"     /* exit_group */
        "        syscall\n");

int atoi(const char *text);
int strcmp(const char *a, const char *b);

int atoi(const char *text)
{
    int n = 0;

    while (*text >= '0' && *text <= '9')
        n = 10 * n + *text++ - '0';
    return n;
}

int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a - *b;
}
