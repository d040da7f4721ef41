# world.sh - makes in the current folder what documents take for granted.
for folder in doc labs tests lib include build-aux; do ln -s "$top_srcdir/$folder" $folder; done
ln -s doc/examples examples
ln -s "$top_builddir" build

# A program with functions, allocations, branches, indirect calls, regions; its own caches are small.
cat >prog.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <quern.h>

struct node { struct node *next; long value; };
static double matrix[64][64];
static long (*operation[2])(long);

static long twice(long x) { return 2 * x; }
static long square(long x) { return x * x; }

static int shared[2];

static void *counts(void *of)
{
    for (int i = 0; i < 1000; i++)
        ((volatile int *)of)[0]++;
    return NULL;
}

static void step(void)
{
    QUERN_REGION_BEGIN("step");
    for (int column = 0; column < 64; column++)
        for (int row = 0; row < 64; row++)
            matrix[row][column] += row ^ column;
    QUERN_REGION_END("step");
}

long solve(struct node *list)
{
    long sum = 0;

    for (struct node *n = list; n; n = n->next)
        if (n->value % 3)
            sum += operation[n->value & 1](n->value);
    for (int i = 0; i < 20; i++)
        step();
    return sum;
}

int main(void)
{
    struct node *list = NULL;
    pthread_t thread;

    QUERN_REGION_BEGIN("setup");
    operation[0] = twice;
    operation[1] = square;
    for (long i = 0; i < 1000; i++) {
        struct node *n = malloc(sizeof *n);

        *n = (struct node){list, i};
        list = n;
    }
    QUERN_REGION_END("setup");
    pthread_create(&thread, NULL, counts, shared);
    counts(shared + 1);
    pthread_join(thread, NULL);
    QUERN_REGION_BEGIN("solve");
    printf("%ld\n", solve(list));
    QUERN_REGION_END("solve");
    return 0;
}
END
gcc -g -O1 -Iinclude -pthread -o prog prog.c || exit 1
for name in PROG solver interpreter sum words log; do cp prog $name || exit 1; done
cp PROG ../bin/

# The lines that are asked for by number
cat >matrix.c <<'END'
enum { N = 64 };
double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;

            for (int k = 0; k < N; k++)
                /* row by column */
                sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    return c[1][1] != 0;
}
END
cat >transpose.c <<'END'
enum { N = 64 };
int from[N][N], to[N][N];

static void transpose(void)
{
    int row, column;

    /* Rows are read, and columns are
     * written. */

    for (row = 0; row < N; row++)
        for (column = 0; column < N; column++)
            /* one element */
            to[column][row] = from[row][column];
}

int main(void)
{
    transpose();
    return to[1][1];
}
END
cat >sort.c <<'END'
enum { N = 500 };
static int values[N];

int main(void)
{
    unsigned random = 1;

    /* unsorted numbers */
    for (int i = 0; i < N; i++) {
        random = random * 1103515245 + 12345;
        values[i] = random >> 16 & 1023;
    }

    /* insertion sort */
    for (int i = 1; i < N; i++) {
        int value = values[i];
        int at = i;

        /* the place of the value */
        while (at > 0 && values[at - 1] > value) {
            values[at] = values[at - 1];
            at--;
        }
        values[at] = value;
    }
    return values[0] > values[1];
}
END
for name in matrix transpose sort; do gcc -g -O1 -o $name $name.c || exit 1; done
# A program that many threads count in, one that waits for what does not come
cat >server.c <<'END'
#include <unistd.h>
int main(void) { for (;;) pause(); }
END
gcc -g -o server server.c || exit 1

# A module of one's own
cat >mine.c <<'END'
#include "sim/module.h"
#define POLICY "mine"
static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }
static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }
static unsigned policy_victim(unsigned set) { (void)set; return sim_random(sim.ways); }
static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }
END
cp mine.c FILE.c
seq 1 3000 >corpus.txt
mkdir lecture && cp matrix.c lecture
echo a-long-secret >KEY
mkdir -p CLASS/ada CLASS/bob CLONES/ada submission && for folder in CLASS/ada CLASS/bob CLONES/ada submission; do cp -r "$top_srcdir"/labs/01-cache/starter/. $folder; done

printf '#!/bin/sh\n./prog >conftest && sed -n 1p conftest\n' >configure && chmod +x configure

# Profiles, under the names that documents use
small='--I1=4096,2,32 --D1=4096,2,32 --LL=65536,8,32'
# shellcheck disable=SC2086 # words
quern run -q $small --calls=paths --data=yes --analysis=3c,sets,mattson --interval=100000 --interval-file=run.csv --log-file=run.log \
    --out-file=PROFILE ./prog >/dev/null || exit 1
for name in cachegrind.out.PID cachegrind.out.4711 cachegrind.out.12 before.out old.out a.out b.out c.out v1.out v2.out prog.out cgout; do cp PROFILE $name; done
for file in PROFILE.*; do cp "$file" "cachegrind.out.PID.${file#PROFILE.}"; done
quern run -q --D1=8192,4,32 --calls=paths --data=yes --analysis=3c --out-file=after.out ./prog >/dev/null || exit 1
cp after.out new.out
quern convert --to=callgrind -o callgrind.out.12 PROFILE || exit 1
quern csv prog.out >lines.csv || exit 1
quern sweep -q -L sim=lru,srrip -P size 1K 4K --D1=1024,2,32 --LL=65536,8,32 -o runs.csv -- ./prog || exit 1
cp runs.csv sweep.csv
quern run -q --analysis=sizes $small --log-file=sizes.log --out-file=none ./prog >/dev/null || exit 1
for name in lru mysim; do quern sim build --D1=srrip -o $name || exit 1; done
quern trace -q -o matrix.trace ./matrix || exit 1
quern trace -q -o prog.trace ./prog >/dev/null || exit 1
