#!/bin/sh
# Runs that share an execution: are their rows the same, byte for byte, as those of runs of their own?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'

# References of all sizes and distances, over lines and pages, branches by chance; each execution leaves a byte in a file.
cat >mixed.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char memory[1 << 17];

static void (*volatile calls[4])(char *);
static void f0(char *p) { p[1]++; }
static void f1(char *p) { memset(p, 1, 300); }
static void f2(char *p) { memmove(p + 40, p, 200); }
static void f3(char *p) { *(volatile uint64_t *)p += *(volatile uint64_t *)(p + 61); }

int main(int argc, char **argv)
{
    uint64_t x = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    calls[0] = f0, calls[1] = f1, calls[2] = f2, calls[3] = f3;
    for (int i = 0; i < 30000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        char *p = memory + (x >> 40) % ((x >> 33 & 3) ? 6000 : sizeof memory - 1000);
        if (x >> 60 & 1)
            *(volatile uint16_t *)p = (uint16_t)x;
        calls[x >> 58 & 3](p);
    }
    return 0;
}
END
"$CC" -O1 -g -o mixed mixed.c || bail 'cannot compile'

executions() { if [ -f executions ]; then wc -c <executions; else echo 0; fi; }

# compare NAME EXECUTIONS ARGUMENTS...: the same sweep with and without sharing.
compare() {
    name=$1
    wanted=$2
    shift 2
    rm -f executions shared.csv alone.csv
    "$QUERN" sweep -q -j 1 -o shared.csv "$@" >out 2>&1 || diag "$(cat out)"
    is "$(cat out)" '' "$name: without a warning"
    is "$(executions)" "$wanted" "$name: $wanted executions"
    "$QUERN" sweep -q -j 1 --share=no -o alone.csv "$@" 2>&1
    same_file shared.csv alone.csv "$name: the same rows"
    ok "$name: all of them good" sh -c '! tail -n +2 shared.csv | grep -vq ,ok,'
}
caches='--I1=4096,2,32 --LL=65536,8,64'

# shellcheck disable=SC2086
compare 'sizes and ways' 1 $caches -P size 1K 32K -L ways=1,2,4,8 -L line=64 -- ./mixed 1
# shellcheck disable=SC2086
compare 'lines of many sizes' 1 $caches -L 'D1=1024,1,16;1024,2,32;2048,32,64;4096,2,128;8192,1,256;16384,4,32' -- ./mixed 2
# shellcheck disable=SC2086
compare 'ways of all numbers' 1 $caches -L 'D1=512,8,64;1024,16,64;768,3,64;256,4,64;64,1,64;128,2,64;4096,4,64;1536,6,64;8192,32,64' -- ./mixed 13
# shellcheck disable=SC2086
compare 'last levels' 1 $caches -L 'D1=1024,1,32;4096,4,64' -L 'LL=8192,1,64;16384,4,32;32768,8,128;65536,64,64' -- ./mixed 3
# shellcheck disable=SC2086
compare 'policies' 1 $caches --seed=7 -L sim=default,lru,fifo,random,plru,nru,lfu,srrip,brrip,drrip -L 'D1=1024,4,64;4096,2,32;4096,8,64' -- ./mixed 4
# shellcheck disable=SC2086
compare 'policies in the last level' 1 $caches -L sim=default,LL=srrip,D1=fifo+LL=random,D1=plru+LL=drrip -L 'D1=2048,2,64;4096,4,64' -- ./mixed 5
# shellcheck disable=SC2086
compare 'predictors' 1 $caches --branch-sim=yes -L sim=default,onebit,bimodal,gshare,tage,perceptron,btb,BC=gshare+BI=btb -L 'D1=1024,2,64;8192,2,64' -- ./mixed 6
# shellcheck disable=SC2086
compare 'a return stack, which runs alone' 3 $caches --branch-sim=yes -L sim=ras -L 'D1=1024,2,64;8192,2,64;1024,4,64' -- ./mixed 6
# shellcheck disable=SC2086
compare 'options' 1 $caches --branch-sim=yes -L sim=gshare,global -L h=1..6 --sim-opt=BC.gshare-history=3 '--sim-opt=global-history={h}' -- ./mixed 7
# shellcheck disable=SC2086
compare 'branches alone' 1 --I1=4096,2,32 --LL=65536,8,64 --cache-sim=no --branch-sim=yes -L sim=bimodal,gshare -- ./mixed 8
# shellcheck disable=SC2086
compare 'an I1 that is a module' 2 --LL=65536,8,64 -L sim=I1=srrip,I1=srrip+D1=fifo -L 'I1=4096,2,32;8192,2,64' -L 'D1=1024,2,64;8192,2,64' -- ./mixed 9
# shellcheck disable=SC2086
compare 'the counting of Cachegrind' 2 --counting=cachegrind --I1=4096,2,64 --LL=65536,8,64 -L 'D1=1024,2,32;2048,2,32;4096,2,64;8192,2,64' -- ./mixed 10
# shellcheck disable=SC2086
compare 'whole levels' 5 $caches -L sim=default,D1=victim,D1=nextline -L 'D1=1024,2,64;4096,2,64' -- ./mixed 12

# shellcheck disable=SC2086
compare 'policies that ask for the instruction, which run alone' 5 $caches -L sim=lru,ship,hawkeye -L 'D1=1024,4,64;4096,4,64' -- ./mixed 15

# Lines of the last level that are shorter than those above, which makes a reference within one line one over several.
# shellcheck disable=SC2086
compare 'short lines below long ones' 1 --I1=4096,2,64 -L 'D1=2048,2,128;4096,4,128;16384,8,128' -L 'LL=32768,4,32;65536,8,64' -- ./mixed 14

# References of 512 bytes, children with a log of their own (sim/many/fetches.c), and a handler that ends it all.
cat >forks.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

static char memory[1 << 16] __attribute__((aligned(64)));
static char state[512] __attribute__((aligned(64)));

static void walk(int step)
{
    for (unsigned i = 0; i + 8 < sizeof memory; i += (unsigned)step)
        *(volatile uint64_t *)(memory + i) += i;
    __asm__ volatile("fxsave %0" : "=m"(state));
}

static void handler(int sig)
{
    walk(72);
    _exit(sig != SIGALRM);
}

int main(void)
{
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    for (int child = 0; child < 3; child++) {
        walk(56 + child);
        if (!fork()) {
            walk(61);
            _exit(0);
        }
        walk(67);
        wait(NULL);
    }
    signal(SIGALRM, handler);
    walk(60);
    kill(getpid(), SIGALRM);
    return 1;
}
END
"$CC" -O1 -o forks forks.c || bail 'cannot compile'
# shellcheck disable=SC2086
compare 'children and a handler' 1 $caches -L 'D1=1024,2,64;4096,4,64;2048,1,64' -- ./forks

# Simulators use vector registers, if there are any (sim/fast/rows.h), whose contents are the program's.
cat >vectors.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static struct {
    char row[64], line[64];
    uint64_t mask;
} before, after;
static char memory[1 << 16];

int main(void)
{
    char *p = memory;
    uint64_t n = sizeof memory / 64;
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw"))
        return 0;
    memset(&before, 0x5a, sizeof before);
    __asm__ volatile("vmovdqu64 %2, %%zmm16\n\tvmovdqu64 %3, %%zmm17\n\tkmovq %4, %%k1\n"
                     "1:\tincq (%0)\n\taddq $64, %0\n\tdecq %1\n\tjnz 1b\n\t"
                     "vmovdqu64 %%zmm16, %5\n\tvmovdqu64 %%zmm17, %6\n\tkmovq %%k1, %7"
                     : "+r"(p), "+r"(n)
                     : "m"(before.row), "m"(before.line), "m"(before.mask), "m"(after.row), "m"(after.line), "m"(after.mask)
                     : "memory", "cc");
    return memcmp(&before, &after, sizeof before) != 0;
}
END
"$CC" -O1 -o vectors vectors.c || bail 'cannot compile'
# shellcheck disable=SC2086
compare 'vector registers' 1 $caches -L 'D1=1024,4,64;4096,4,64;4096,8,64' -- ./vectors

# The instructions that move rows are chosen when the simulator starts: all give the same.
cat >keep <<'END'
#!/bin/sh
cc=$1 to=$2
shift 2
"$cc" "$@" || exit
while [ $# -gt 1 ]; do
    [ "$1" != -o ] || { rm -f "$to" && cp "$2" "$to"; } # the last is the linked one
    shift
done
END
shapes='D1=1024,1,64;1024,2,64;1536,3,64;2048,4,64;2048,8,64;8192,8,64;12288,12,64;8192,16,64;16384,32,64'
# shellcheck disable=SC2086
XDG_CACHE_HOME=$PWD/cache CC="sh $PWD/keep $CC $PWD/many" "$QUERN" sweep -q -j 1 -o kept.csv $caches -L "$shapes" -- ./mixed 15 || bail 'no sweep'
many() { "$QUERN" run --out-file=profile --vectors="$1" --sim=./many --D1=128,1,64 --I1=4096,2,32 --LL=65536,8,64 --log-file="$1" -- ./mixed 15 && sed 's/==[0-9]*==//' "$1" >"$1.out"; }
many scalar
ok 'many caches without vectors' grep -q 'D1#8.D1mr [1-9]' scalar
for vectors in avx2 avx512; do
    if many $vectors 2>/dev/null; then
        same_file scalar.out $vectors.out "many caches with $vectors: the same misses"
    else
        skip "many caches with $vectors: this processor has none"
    fi
done

# What was compiled for caches that ship is kept: a sweep of the same caches, of another program, needs no compiler.
printf '#!/bin/sh\necho "$*" >>"%s/compiled"\nexec "$@"\n' "$PWD" >counting
kept() { XDG_CACHE_HOME=$PWD/cache CC="sh $PWD/counting $CC" "$QUERN" sweep -q -j 1 -o "$1" $caches -L "$2" -- ./mixed "$3"; }
kept first.csv "$shapes" 15 || bail 'no sweep'
ok 'many caches are compiled' test -s compiled
rm -f compiled
kept second.csv "$shapes" 16 && kept again.csv "$shapes" 15
ok '... once' test ! -e compiled
same_file first.csv again.csv '... and say the same'
kept other.csv 'D1=1024,1,64;4096,2,64' 15
ok 'other caches are compiled' test -s compiled

# A fault takes back what the engine counted; such programs run alone.
cat >fault.c <<'END'
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *page;

static void handler(int sig)
{
    (void)sig;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
    int fd = open("executions", O_WRONLY | O_APPEND | O_CREAT, 0600);

    if (write(fd, "x", 1) != 1)
        return 1;
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, handler);
    for (int i = 0; i < 50; i++) {
        mprotect(page, 4096, PROT_NONE);
        page[i * 64] = 1;
    }
    return 0;
}
END
"$CC" -O1 -o fault fault.c || bail 'cannot compile'
# shellcheck disable=SC2086
compare 'faults' 4 $caches -L 'D1=1024,2,64;2048,2,64;4096,2,64' -- ./fault
# shellcheck disable=SC2086
CC=/nonexistent "$QUERN" sweep -q $caches -L 'D1=1024,2,64;4096,4,64' -o nocc.csv -- ./mixed 3 2>/dev/null
"$QUERN" sweep -q $caches -L 'D1=1024,2,64;4096,4,64' -o cc.csv -- ./mixed 3
same_file nocc.csv cc.csv 'without a compiler defaults run one by one'
done_testing
