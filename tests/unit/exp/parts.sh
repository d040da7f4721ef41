#!/bin/sh
# A sweep in parts, by hand and by GNU parallel: is the file the same byte for byte, also when parts, jobs or the sweep itself were killed?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
rm -rf ./*

# Each execution leaves a letter.
cat >walk.c <<'END'
#include <fcntl.h>
#include <unistd.h>
static volatile char a[8192];
int main(void)
{
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    for (int k = 0; k < 8192; k += 16)
        a[k]++;
    return 0;
}
END
"$CC" -O1 -g -o walk walk.c || bail 'cannot compile'
executions() { if [ -f executions ]; then wc -c <executions | tr -d ' '; else echo 0; fi; }
sweep() { "$QUERN" sweep -q -L sim=lru,srrip -P size 1K 4K -L seed=1,2 --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 "$@" -- "./it's" 'an argument'; }
ln -sf walk "it's"

sweep -o here.csv || bail 'the sweep itself'
is "$(wc -l <here.csv) $(executions)" '13 2' 'here: 12 rows of 2 executions'

# ---- parts by hand ----

for part in 1 2; do
    sweep --part=$part/2 -o part$part.csv
    is "$? $(wc -l <part$part.csv)" '0 7' "part $part of 2"
done
{ head -n 1 here.csv && tail -qn +2 part1.csv part2.csv; } | LC_ALL=C sort >both
is "$(LC_ALL=C sort here.csv | cmp - both 2>&1)" '' 'have all rows, each once'
rm -f executions
sweep --part=1/2 -o part1.csv
is "$(executions)" 0 'a part that is there is not made again'
# refused STATUS TEXT WORDS...
refused() {
    wanted="$1 $2"
    shift 2
    said=$("$@" 2>&1)
    is "$? $said" "$wanted" "$*"
}
refused 2 "quern: sweep: --part: got '3/2', wanted K/N, K from 1 to N" sweep --part=3/2
refused 2 "quern: sweep: --on: got 'pbs', wanted here, parallel or slurm" sweep --on=pbs
said=$(QUERN_SWEEP_MACHINE=NoSuchProcessor-1-2:1024,2,32:1024,2,32:1024,2,32 sweep -o other.csv 2>&1)
is "$? $(echo "$said" | sed "s/processor is [^,]*,/processor is PROCESSOR,/")" \
    "1 quern: sweep: this node's processor is PROCESSOR, wanted that of the sweep, NoSuchProcessor-1-2" 'a node with another processor refuses'
ok 'and writes nothing' test ! -e other.csv

# ---- a job that is bound to a processor, as Slurm binds it ----

cat >ask.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>
static volatile char a[8192];
int main(void)
{
    cpu_set_t set;
    long n = sysconf(_SC_NPROCESSORS_ONLN), k;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    for (k = 0; k < 100 * n + 1000 * CPU_COUNT(&set); k++)
        a[k % 8192]++;
    return 0;
}
END
"$CC" -O1 -g -o ask ask.c || bail 'cannot compile'
asks() { out=$1; shift; "$@" "$QUERN" sweep -q -L sim=lru --I1=4096,2,32 --D1=1024,2,32 --LL=65536,8,64 -o "$out" -- ./ask; }
asks free.csv env
asks bound.csv taskset -c 0
is "$? $(cmp free.csv bound.csv 2>&1)" '0 ' 'bound to a processor: the same file'
is "$("$QUERN" sweep --list -L sim=lru -- ./ask | grep -c -e ' --processors=4 ')" 1 'which sees as many processors on any machine'

# ---- GNU parallel ----

if ! command -v parallel >/dev/null || ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    absent 'GNU parallel is not installed' 13
    done_testing
    exit
fi
rm -f executions
sweep --on=parallel -o par.csv
is "$? $(cmp here.csv par.csv 2>&1) $(executions)" '0  2' 'parallel: the same file, a job for each execution'
is "$(ls -d par.csv*)" par.csv 'and nothing beside it'
sweep --on=parallel --share=no --on-opt=--sshlogin=:,2/: -j 2 -o hosts.csv
is "$? $(cmp here.csv hosts.csv 2>&1)" '0 ' 'parallel with two hosts, twelve jobs: the same file'
sweep --on=parallel --parts=5 --share=no -o five.csv
is "$? $(cmp here.csv five.csv 2>&1)" '0 ' 'in five parts'
sweep --on=parallel -o "it's \$one.csv"
is "$? $(cmp here.csv "it's \$one.csv" 2>&1)" '0 ' 'a name that a shell would take apart'
sweep --on=parallel -o 'it{}s {1} {= $_ =}.csv'
is "$? $(cmp here.csv 'it{}s {1} {= $_ =}.csv' 2>&1)" '0 ' 'a name that parallel would replace'
rm -f executions
sweep --on=parallel -o par.csv
is "$? $(executions)" '0 0' 'what is whole is not made again'

# A job that is killed: its part is made again, by the engine or by the next round.
cat >quern-that-dies <<END
#!/bin/sh
[ -e died ] || { : >died; kill -9 \$\$; }
exec "$QUERN" "\$@"
END
chmod +x quern-that-dies
mkdir -p bin
cat >bin/parallel <<END
#!/bin/sh
sed -i "s|'$QUERN'|'$PWD/quern-that-dies'|" killed.csv.parts/job.sh
exec $(command -v parallel) "\$@"
END
chmod +x bin/parallel
PATH=$PWD/bin:$PATH sweep --on=parallel --share=no -o killed.csv 2>said
is "$? $(cmp here.csv killed.csv 2>&1) $(ls died)" '0  died' 'a job is killed: nothing lost, nothing twice'

# An engine that does nothing: rows are missing, which is told; what the parts have is kept, and the next sweep goes on.
cat >bin/parallel <<'END'
#!/bin/sh
eval "last=\${$#}"
[ -e first ] && exit 1
: >first
exec sh late.csv.parts/job.sh "$last"
END
rm -f executions
PATH=$PWD/bin:$PATH sweep --on=parallel -o late.csv 2>said
is "$? $(cat said)" '1 quern: sweep: late.csv: 6 of 12 runs have no row; the same command goes on with them' 'an engine that loses a part'
is "$(wc -l <late.csv) $(ls late.csv.parts | tr '\n' ' ')" '7 2.csv job.sh ' 'the rows that are there are in the file'
sweep --on=parallel -o late.csv
is "$? $(cmp here.csv late.csv 2>&1) $(executions)" '0  2' 'the same command goes on: two executions in all'

# Interrupted: what is done stays.
cat >bin/parallel <<'END'
#!/bin/sh
sh stop.csv.parts/job.sh 1
kill -TERM "$(cat pid)"
exec sleep 1000
END
PATH=$PWD/bin:$PATH sh -c 'echo $$ >pid; exec "$@"' - "$QUERN" sweep -q -L sim=lru,srrip -P size 1K 4K -L seed=1,2 --I1=4096,2,32 --D1=1024,2,32 \
    --LL=65536,8,64 --on=parallel -o stop.csv -- "./it's" 'an argument' 2>said
is "$? $(wc -l <stop.csv)" '143 7' 'interrupted: what was done is in the file'
sweep --on=parallel -o stop.csv
is "$? $(cmp here.csv stop.csv 2>&1) $(ls -d stop.csv*)" '0  stop.csv' 'and the same command goes on'
done_testing
