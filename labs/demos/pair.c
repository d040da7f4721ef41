/* pair.c - two arrays that lie 8 KiB apart are read in turn, again and again. */
#define N 256

struct {
    int a[2048], b[2048];
} data __attribute__((aligned(8192)));

int main(void)
{
    int sum = 0;

    for (int round = 0; round < 100; round++)
        for (int i = 0; i < N; i++)
            sum += data.a[i] * data.b[i];
    return sum;
}
