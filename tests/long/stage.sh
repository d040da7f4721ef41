#!/bin/sh
# stage.sh - `quern sweep --stage=FOLDER` on a real Slurm of this machine, the nodes of which see neither quern nor the program, its input and its
# folder: is the file the same byte for byte as that of a sweep here, though a node is killed in the middle?
#
#   make -C build && sh tests/long/stage.sh             as root; packages slurm-wlm and munge; two minutes
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

rm -rf home
mkdir -p home/ada/bin home/ada/work || bail 'no folders'
cp "$top_builddir/quern" "$top_builddir/quern-engine" home/ada/bin/ || bail 'no copy of quern'
QUERN=$SCRATCH/home/ada/bin/quern
hides=$SCRATCH/home
slurm_points=6
. "$top_srcdir/tests/long/slurm.inc"

cd home/ada/work || bail 'no folder'
cat >sum.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile unsigned char table[65536];
int main(int argc, char **argv)
{
    char word[64], exe[4096] = "";
    unsigned sum = (unsigned)argc;
    FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;

    if (!f || readlink("/proc/self/exe", exe, sizeof exe - 1) < 0)
        return 3;
    for (const char *s = exe; *s; s++)
        sum = sum * 31 + (unsigned char)*s;
    while (fgets(word, sizeof word, f) || fgets(word, sizeof word, stdin))
        for (const char *s = word; *s; s++)
            table[(sum = sum * 31 + (unsigned char)*s) & 65535]++;
    for (unsigned i = 0; i < 1u << 20; i++)
        table[i * 7 & 65535]++;
    return 0;
}
END
"$CC" -O1 -g -o sum sum.c || bail 'cannot compile'
seq 500 >data
seq 1000 1500 >input
sweep() { "$QUERN" sweep -q -L sim=lru,srrip,plru -P size 1K 4K -L seed=1..10 --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 "$@" -- ./sum data <input; }
sweep -o here.csv 2>"$SCRATCH/err" || bail "the sweep here: $(cat "$SCRATCH/err")"
is "$(wc -l <here.csv) $(grep -c ',ok' here.csv)" '91 90' '90 rows here'
sbatch --wait --chdir=/ --array=1-2 --output="$state/sees.%a" --wrap="ls $hides" >"$state/out" || bail 'a job that looks around'
is "$(cat "$state/sees.1" "$state/sees.2")" '' 'the nodes see nothing of it'

sweep --on=slurm --share=no --parts=15 --stage="$state/stage" -o there.csv >"$SCRATCH/said" 2>&1 &
sweeping=$!
some_parts() { [ "$(find "$state/stage" -name '*.csv' | wc -l)" -ge "$1" ]; }
await 'the first parts' some_parts 3
kill_node n1
await 'more parts' some_parts 6
node n1
wait $sweeping
is "$? $(cat "$SCRATCH/said")" '0 ' 'the sweep ends well'
is "$(cmp here.csv there.csv 2>&1)" '' 'the same file, though a node was killed'
is "$(find "$state/stage" -type d | wc -l) $(find "$state/stage" -type f | wc -l)" '1 8' 'quern, its engine, two modules and the mark of their folder, the program, its argument and its input are staged once'
sweep --on=slurm --share=no --parts=2 -o "$state/unstaged.csv" 2>"$SCRATCH/err"
is "$? $(grep -c "^quern: sweep: job 1: .*can't cd to $PWD" "$SCRATCH/err")" '1 1' 'without --stage: what the nodes lack is said'
done_testing
