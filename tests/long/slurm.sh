#!/bin/sh
# slurm.sh - a sweep of 200 rows on a real Slurm of this machine (munged, slurmctld, two slurmd): is the file the same byte for byte
# as that of a sweep here, while a node, a job and the controller are killed?
#
#   make -C build && sh tests/long/slurm.sh             as root; packages slurm-wlm and munge; three minutes
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

slurm_points=5
. "${top_srcdir:-$(dirname "$0")/../..}/tests/long/slurm.inc"

cat >walk.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static volatile char a[1 << 16];
int main(int argc, char **argv)
{
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    for (int i = 0; i < 400; i++)
        for (int k = 0; k < 1 << 16; k += 16)
            a[k]++;
    return argc > 9 && argv[1];
}
END
# (static, so that nothing depends on what is installed meanwhile)
"$CC" -O1 -g -static -o walk walk.c || bail 'cannot compile'
rm -rf executions here.csv slurm.csv*
sweep() { "$QUERN" sweep -q -L sim=lru,fifo,srrip,plru,nru -P size 1K 8K -L seed=1..10 --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 "$@" -- ./walk; }
sweep -o here.csv || bail 'the sweep here'
is "$(wc -l <here.csv)" 201 '200 rows'

# Ten rows in each: 20 jobs on two nodes.
sweep --on=slurm --share=no --parts=20 --on-opt=--time=10 -o slurm.csv >said 2>&1 &
sweeping=$!
some_rows() { [ "$(ls slurm.csv.parts/*.csv 2>"$state/ls" | wc -l)" -ge "$1" ]; }
await 'the first parts' some_rows 3
# a job
victim=$(squeue -h -t R -o %A | head -n 1)
scancel --full --signal=KILL "$victim" 2>"$state/scancel"
await 'more parts' some_rows 6
# a node's daemon, with the job that it runs
kill_node n1
await 'more parts' some_rows 9
kill_controller
controller
node n1
await 'the controller' scontrol ping
wait $sweeping
is "$? $(cat said)" '0 ' 'the sweep ends well'
is "$(cmp here.csv slurm.csv 2>&1)" '' 'the same file, though a job, a node and the controller were killed'
is "$(ls -d slurm.csv*)" 'slurm.csv' 'nothing beside it'

# --cancel: an interrupted sweep takes its jobs along.
rm -f slurm.csv
sweep --on=slurm --share=no --parts=20 --cancel -o slurm.csv >said 2>&1 &
sweeping=$!
await 'the first parts' some_rows 2
kill -TERM "$(pgrep -P $sweeping . || echo $sweeping)" $sweeping 2>"$state/kill"
wait $sweeping
none_left() { [ -z "$(squeue -h)" ]; }
await 'no job left' none_left
ok 'interrupted with --cancel: no job is left' none_left
done_testing
