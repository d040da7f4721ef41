/* tak.c - for every compiler: recursion, doubles, strings, indirect calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tak(int x, int y, int z) { return y >= x ? z : tak(tak(x - 1, y, z), tak(y - 1, z, x), tak(z - 1, x, y)); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void)
{
    static int v[2000];
    char text[64] = "";
    unsigned x = 1;
    double sum = 0;

    for (int i = 0; i < 2000; i++) {
        v[i] = (int)((x = x * 1103515245 + 12345) >> 8);
        sum += v[i] / 3.0;
    }
    qsort(v, 2000, sizeof v[0], compare);
    for (int i = 0; i < 5; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d,", v[i * 399]);
    printf("%d %s %.3f\n", tak(12, 8, 4), text, sum);
    return 7;
}
