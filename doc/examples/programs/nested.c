/* nested.c - a loop of K turns within one of 10,000: K - 1 times taken, then not.
 *
 *   nested 8
 *
 * A predictor that remembers K outcomes knows where it is, and is right; with fewer it errs once in each inner loop.
 */
extern int atoi(const char *text);

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 0;
    volatile int sum = 0;

    for (int i = 0; i < 10000; i++)
        for (int k = 0; k < turns; k++)
            sum += k;
    return turns < 1;
}
