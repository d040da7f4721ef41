#!/bin/sh
# `quern replay -- PROGRAM`: a program in place of a trace.  Does a module in ordinary C see what the engine's modules see, and the program
# nothing of it?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

cd "$SCRATCH" || exit 1
cat >asked.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv, char **environment)
{
    static int data[100000];
    unsigned open = 0, n = 0;

    for (int fd = 3; fd < 1024; fd++)
        open += fcntl(fd, F_GETFD) >= 0;
    for (; environment[n]; n++)
        ;
    for (int i = 0; i < 100000; i += 7)
        data[i % 50000 * 2] += i;
    printf("%u descriptors, %u words of environment\n", open, n);
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
gcc -O1 -static -o asked asked.c || bail 'cannot compile'
cat >mine.c <<'END'
#include "sim/module.h"
#include <stdlib.h>
#define ANALYSIS "mine"
static double *sum;
static uint64_t reads, misses;
static void analysis_init(const struct sim_config *c) { (void)c; sum = malloc(sizeof *sum); *sum = 0.5; }
static void analysis_ref(const struct sim_ref *ref)
{
    *sum += ref->kind == SIM_READ;
    reads += ref->kind == SIM_READ;
    misses += ref->kind <= SIM_MODIFY && (ref->outcome & SIM_L1_MISS);
}
static void analysis_finish(void) { printf("mine: %.1f of %lu, %lu misses\n", *sum, reads, misses); free(sum); }
END

geometry='--D1=4096,4,64 --LL=65536,8,64'
./asked 3 >native 2>err
native=$(cat native)
# shellcheck disable=SC2086 # words
"$QUERN" replay $geometry --sim=AN=mine.c -- ./asked 3 >out 2>err
is $? 3 'the status is that of the program'
is "$(sed -n 1p out)" "$native" 'the program prints, and sees no descriptor or variable of ours'
is "$(sed -n 's/^mine: \([0-9]*\)[.]5 of \1, [0-9]* misses$/they work/p' out)" 'they work' 'malloc, printf and double'
is "$(cat err)" '' 'nothing else is said'

# shellcheck disable=SC2086 # words
"$QUERN" run -q $geometry --out-file=profile ./asked 3 >run.out
# shellcheck disable=SC2086 # words
"$QUERN" replay $geometry --tables=t -- ./asked 3 >live.out
awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i } /^summary:/ { for (i = 2; i <= NF; i++) print name[i], $i }' profile |
    grep '^D' | sort >wanted
awk -F, '$1 ~ /^D/ { print $1, $2 }' t.totals.csv | sort >got
same_file got wanted 'references and misses are those of the run'
is "$(wc -l <wanted)" 6 'six of them'

cat >threads.c <<'END'
#include <pthread.h>
static long counters[8];
static void *work(void *at) { for (int i = 0; i < 9000; i++) __atomic_fetch_add((long *)at, i, __ATOMIC_RELAXED); return NULL; }
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, work, &counters[i]);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    return 0;
}
END
gcc -O1 -static -pthread -o threads threads.c || bail 'cannot compile'
"$QUERN" run -q --cores=4 --quantum=each:2000 --out-file=profile ./threads
"$QUERN" replay --cores=4 --quantum=each:2000 --tables=t -- ./threads >out
awk '/^events:/ { for (i = 2; i <= NF; i++) name[i] = $i } /^summary:/ { for (i = 2; i <= NF; i++) print name[i], $i }' profile |
    grep -E '^(Ir|Dr|Dw|D1.false|D1.taken|D1.supplied) ' | sort >wanted
awk -F, '$1 ~ /^(Ir|Dr|Dw|D1.false|D1.taken|D1.supplied)$/ { print $1, $2 }' t.totals.csv | sort >got
same_file got wanted '--cores, --quantum: of both sides'
is "$(grep -c ' 0$' wanted)" 0 '... and none is 0'
"$QUERN" replay --json -- ./asked >json 2>err
is "$? $(head -c 25 json)$(cat err)" "0 {\"schema\":\"quern-replay\",$native" '--json: standard output is for it alone'

# ---- refusals: the program does not begin ----

"$QUERN" replay --D1=4096,4,60 -- touch begun >out 2>err
is "$? $(wc -l <err)" '2 1' 'a wrong option: a line, status 2'
"$QUERN" replay --sim=AN=absent.c -- touch begun >out 2>err
is "$? $(wc -l <err)" '2 1' 'a module that is not there: the same'
ok 'the program has not begun' [ ! -e begun ]
"$QUERN" replay -- >out 2>err
is "$? $(sed 's/;.*//' err)" '2 quern: replay: no program given' 'no program'
"$QUERN" replay -- ./absent >out 2>err
is "$? $(cat err)" '127 quern: run: ./absent: No such file or directory' 'a program that is not there'

# The module fails while the program runs, which is then ended.
sed 's/\*sum += ref/if (reads > 5000) *(volatile int *)8 = 1; &/' mine.c >fails.c
printf 'int main(void) { for (;;); }\n' >ever.c
gcc -o ever ever.c && timeout 60 "$QUERN" replay --sim=AN=fails.c -- ./ever >out 2>err
is $? 70 'a module that crashes: the program ends, too'
is "$(sed -n 's/.*module mine in slot AN.* at .*fails.c:\([0-9]*\).*/\1/p' err)" "$(grep -n volatile fails.c | cut -d: -f1)" '... with the line of the module'
is "$(find /tmp -maxdepth 1 -name 'quern-replay.*' -user "$(id -un)" -newer asked.c)" '' 'no folder is left'

done_testing
