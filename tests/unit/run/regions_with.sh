#!/bin/sh
# Regions by name together with what else there is: events of modules, intervals, explained lines, threads, processes, signals.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"

# ---- with everything else that counts ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: mov     $3, %r12d
1:      ask     BEGIN, "down"
        mov     $4096, %ecx
2:      add     %eax, far - 4(, %rcx, 4)
        dec     %ecx
        jnz     2b
        ask     END, "down"
        ask     BEGIN, "across"
        mov     $4096, %edx
3:      lea     (%rdx, %rdx, 8), %ecx           # 9 is odd, so all elements
        and     $4095, %ecx
        add     %eax, far(, %rcx, 4)            # line 15
        dec     %edx
        jnz     3b
        ask     END, "across"
        dec     %r12d
        jnz     1b
        quit
        .bss
        .balign 4096
far:    .skip   16384
GUEST
assemble
run
cp profile plain
cp log plain.log
is "$(parts)" "across $((3 * (1 + 5 * 4096 + 2)))
down $((3 * (1 + 3 * 4096 + 2)))" 'two loops'
is "$(awk '$2 ~ /^[0-9]+$/ && ($6 == "across" || $6 == "down") { print $2, $3, $6 }' log)" \
    "$(sum across) $((3 * 4096)) across
$(sum down) $((3 * 4096)) down" 'a table behind the summary' # the elements are read to be written: data reads
run --no-filter
same_file profile plain 'without the filter'
run --interval=1000 --interval-file=intervals
same_file profile plain 'with intervals'
run --explain=guest.S:15 --explain-file=explanation
same_file profile plain 'with a line explained'
run --dump-instr=yes
is "$(for region in across down; do sum $region; done)" "$(cp profile insns; cp plain profile; for region in across down; do sum $region; done)" \
    'by instruction'
"$QUERN" sim build --AN=3c -o engine || bail 'cannot build'
run
for region in across down; do
    is "$(($(sum $region AN.compulsory) + $(sum $region AN.capacity) + $(sum $region AN.conflict)))" \
        "$(($(sum $region D1mr) + $(sum $region D1mw)))" "classes of misses in region $region"
done
is "$(sum down AN.compulsory) $(sum across AN.compulsory)" '512 0' 'a line of memory is new once' # 16 KiB of 32 bytes
cp "$top_builddir/quern-engine" engine

# ---- threads, processes, signals ----

cat >guest.c <<'GUEST'
#include <pthread.h>
#include <quern.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void work(long n) { for (long i = 0; i < n; i++) sum++; }
static void handler(int sig) { (void)sig; work(100); }
static void *inherits(void *p) { work(1000); QUERN_REGION_END("outer"); QUERN_REGION_BEGIN("own"); work(2000); return p; }
static void *none(void *p) { work(4000); return p; }
int main(void)
{
    pthread_t a, b;
    QUERN_REGION_BEGIN("outer");
    pthread_create(&a, NULL, inherits, NULL);
    QUERN_REGION_END("outer");
    pthread_create(&b, NULL, none, NULL);
    QUERN_REGION_BEGIN("mine");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    work(8000);
    QUERN_REGION_END("mine");
    signal(SIGUSR1, handler);
    quern_region_begin("signals");
    raise(SIGUSR1);
    QUERN_REGION_BEGIN("forks");
    if (fork() == 0) {
        work(16000);
        QUERN_REGION_END("forks");
        work(32000);
        quern_region_end("signals");
        _exit(0);
    }
    wait(NULL);
    QUERN_REGION_END("forks");
    quern_region_end("signals");
    return 0;
}
GUEST
$CC -O1 -g -I"$top_srcdir/include" -o guest guest.c -lpthread || bail 'cannot compile'
ok 'natively nothing happens' ./guest
rm -f profile*
# shellcheck disable=SC2086
"$QUERN" run --sim=./engine $caches --out-file=profile.%p ./guest 2>log
# rounds REGION FILE: executions of the loop in work, each of which writes once
rounds() {
    "$QUERN" merge --region="$1" "$2" | awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i }
        /^fn=/ { mine = $0 == "fn=work" } /^[0-9]/ && mine { n += $at } END { print n + 0 }'
}
parent=$(sed -n 's/^==\([0-9]*\)== .*/\1/p' log | head -n 1)
for file in profile.*; do
    case $file in profile."$parent") continue ;; esac
    child=$file
done
is "$(rounds outer profile."$parent")" 3000 'a thread begins in the region in which it was made'
is "$(rounds outer/own profile."$parent")" 2000 'and cannot end it, so that its own are inside'
is "$(rounds mine profile."$parent")" 8000 'nor does a region of another thread count for it'
is "$(rounds signals profile."$parent")" 100 'a signal handler runs in the region that it interrupts'
is "$(rounds forks profile."$parent")" 0 'nothing in the parent'
is "$(rounds forks "$child") $(rounds signals "$child")" '16000 48100' 'a forked child goes on in the region' # with what was counted before
is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i } /^fn=/ { mine = $0 == "fn=work" }
    /^summary:/ { exit } /^[0-9]/ && mine { n += $at } END { print n }' profile."$parent")" 15100 'what belongs to no region is in the whole'

done_testing
