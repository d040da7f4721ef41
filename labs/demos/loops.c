/* loops.c - an inner loop of ten rounds, run 10,000 times. */
int main(void)
{
    volatile int sum = 0;

    for (int i = 0; i < 10000; i++)
        for (int j = 0; j < 10; j++)
            sum++;
    return 0;
}
