/* particles.c - loops over structures that read one member (doc/run.md). */
#include <stdlib.h>

struct particle {
    double x, y, z, speed;
    int id;
    char name[28];
};

enum { COUNT = 20000, ROUNDS = 5 };
static double weight[4 * COUNT];

static struct particle *make(void)
{
    struct particle *p = malloc(COUNT * sizeof *p);

    for (int i = 0; p && i < COUNT; i++) {
        p[i].id = i;
        p[i].x = i;
    }
    return p;
}

int main(void)
{
    struct particle *p = make();
    double sum = 0;

    for (int round = 0; p && round < ROUNDS; round++)
        for (int i = 0; i < COUNT; i++)
            sum += p[i].x * weight[4 * i];
    return sum < 0;
}
