/* Two columns of a matrix, a list and a branch: enough for every table of a profile. */
static int a[64][64], sum;

static __attribute__((noinline)) void walk(int column)
{
    for (int i = 0; i < 64; i++)
        if (a[i][column] % 3 == 0)
            sum += ++a[i][column];
}

void _start(void)
{
    for (int n = 0; n < 4; n++)
        walk(n % 2);
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
}
