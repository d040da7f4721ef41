#!/bin/sh
# After a fault, is what analyses have counted of references that never happen taken back, as the misses are?
#
# The program dies, or goes on, at a write to address 0. The two references behind it are in the same block, and off the same register: quern
# simulates them before it executes any of the three.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

cd "$SCRATCH" || bail "no $SCRATCH"
cat >program.c <<'END_OF_C'
#include <setjmp.h>
#include <signal.h>
static long list[3000];
static sigjmp_buf back;
static void handler(int n) { siglongjmp(back, n); }
static void walk(long step)
{
    for (long i = 0; i < 3000; i++)
        list[i * step % 3000] += i;
}
#define FAULT __asm__ volatile("xor %%ebx, %%ebx; mov %%ebx, (%%rbx); mov %%ebx, 64(%%rbx); addl $1, 4096(%%rbx)" : : : "rbx", "memory")
int main(int argc, char **argv)
{
    volatile int n = 0;
    for (long step = 1; step < 40; step += 2)
        walk(step);
    if (argv[1][0] == 'g') {
        signal(SIGSEGV, handler);
        sigsetjmp(back, 1);
        if (n++ < 30) {
            walk(n);
            FAULT;
        }
        return 0;
    }
    if (argv[1][0] == 'e')
        __asm__ volatile("mov $231, %eax; xor %edi, %edi; syscall");
    FAULT;
    return argc;
}
END_OF_C
${CC:-cc} -O1 -g -o program program.c || bail 'the program does not compile'

# count NAME HOW OPTIONS...: it ends (e), dies (d) or goes on (g)
count() {
    name=$1 how=$2
    shift 2
    "$QUERN" run --LL=65536,8,64 --out-file="$name.profile" --log-file="$name.log" "$@" ./program "$how" >/dev/null 2>&1 </dev/null
    wanted=$?
    case $how in d) [ $wanted = 139 ] ;; *) [ $wanted = 0 ] ;; esac || { echo "status $wanted"; return 1; }
    sed 's/^[-=]*[0-9]*[-=][-=] *//' "$name.log" | grep '^AN' >"$name.said"
}
alike() { # OPTIONS...
    rm -f ends.* dies.*
    count ends e "$@" && count dies d "$@" && [ -s ends.said ] && diff ends.said dies.said
}
beside() { [ "$(wc -l <"ends.profile.$1")" -gt 3 ] && diff "ends.profile.$1" "dies.profile.$1"; }

for more in --filter=yes --no-filter --sim=D1=srrip; do
    for analysis in 3c sets mattson sizes; do
        ok "$analysis, $more" alike --analysis=$analysis --D1=4096,2,64 $more
    done
done
ok 'mattson, each size' alike --analysis=mattson --D1=4096,2,64 --sim-opt=sets=16,sizes=40
# Of a sample of the lines: the same misses.  (The error, and which lines are in the sample, may be others.)  Of so many lines some are in it.
sed 's/^\(#define FAULT .*\)addl $1, 4096(%%rbx)"/\1.set at, 64; .rept 60; mov %%ebx, at(%%rbx); .set at, at + 64; .endr"/' program.c >many.c
${CC:-cc} -O1 -g -o program many.c || bail 'the program does not compile'
sampled() { # OPTIONS...
    alike "$@" >/dev/null # whatever it says
    for name in ends dies; do sed -n 's/^\(AN: [0-9]* lines: [0-9]*\).*/\1/p' $name.said >$name.misses; done
    [ -s ends.misses ] && diff ends.misses dies.misses
}
for more in --filter=yes --no-filter; do
    ok "mattson of a sample of the lines, $more" sampled --analysis=mattson --D1=4096,2,64 --sim-opt=shards=100 $more
done
ok 'culprits' alike --analysis=culprits --D1=4096,2,64
ok '... of each instruction' beside findings.csv
ok 'all at once' alike --analysis=3c,sets,latency,mattson,sizes,culprits --D1=4096,2,64 --data=yes
ok '... of each instruction' beside findings.csv
ok '... by line' beside culprits.csv

# adds_up HOW OPTIONS...: instructions, data, misses of each table are those of the summary
adds_up() {
    how=$1
    shift
    count sums "$how" --analysis=sets,sizes,interval --sim-opt=interval=100000 --D1=4096,2,64 "$@" || return 1
    awk '
        FNR == 1 { file++ }
        file == 1 && /^events: / { for (i = 2; i <= NF; i++) name[i] = $i }
        file == 1 && /^summary: / { for (i = 2; i <= NF; i++) sum[name[i]] = $i }
        file == 2 && /^AN: from / { for (i = 4; i <= NF; i++) sets += $i }
        file == 2 && /^AN: 4096 bytes: / { reads = $4; writes = $5 }
        file == 2 && /^AN: [0-9]* [0-9]* / { ir += $3; data += $4; d1 += $6 }
        END {
            got = sets " " reads " " writes " " ir " " data " " d1
            all = sum["D1mr"] + sum["D1mw"]
            wanted = all " " sum["D1mr"] " " sum["D1mw"] " " sum["Ir"] " " (sum["Dr"] + sum["Dw"]) " " all
            print "got " got ", wanted " wanted
            exit got != wanted
        }' sums.profile sums.said
}
for how in e d g; do
    ok "$how: the tables add up" adds_up $how
    ok "$how: ... where each reference is a call" adds_up $how --no-filter
done
done_testing
