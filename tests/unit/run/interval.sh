#!/bin/sh
# quern run --interval=N: is every interval cut between the right two instructions, and is nothing counted twice or lost?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cp "$top_builddir/quern-engine" engine || bail 'there is no quern-engine'
caches='--I1=1024,2,32 --D1=1024,1,32 --LL=16384,4,32'

# run ENGINE N OPTIONS...: ./intervals, ./profile of ./guest
run() {
    engine=$1 n=$2
    shift 2
    # shellcheck disable=SC2086
    "$QUERN" run -q --sim=./"$engine" $caches --interval="$n" --interval-file=intervals --out-file=profile "$@" -- ./guest
}

# columns FIRST LAST: those of ./intervals, without the head
columns() { sed 1d intervals | cut -d, -f"$1-$2" | tr , ' '; }

# sums: do all columns of counts add up to the profile?
sums() {
    names=$(sed -n 's/^events: //p' profile)
    [ "$(head -n 1 intervals | cut -d, -f4-$((3 + $(echo "$names" | wc -w))))" = "$(echo "$names" | tr ' ' ,)" ] ||
        { echo 'the columns are not the events'; return 1; }
    got=$(awk -F, -v n="$(echo "$names" | wc -w)" 'NR > 1 { for (i = 4; i < 4 + n; i++) sum[i] += $i }
        END { for (i = 4; i < 4 + n; i++) printf " %.0f", sum[i] }' intervals)
    [ "summary:$got" = "$(sed -n '/^summary/p' profile)" ] || { echo "summary:$got"; sed -n '/^summary/p' profile; return 1; }
}

# even N: every interval begins where the last one ended and has N instructions, but for the last
even() {
    awk -F, -v n="$1" 'NR == 1 { next }
        $2 != at { print "row " $1 " begins at " $2 ", not " at; exit 1 }
        { if ($3 != $2 + $4 || $4 > n || $4 == 0) { print "row " $1 ": " $2 " to " $3 ", Ir " $4; exit 1 }
          if (short) { print "row " short " is short"; exit 1 }
          if ($4 < n) short = $1
          at = $3 }' intervals
}

# ---- by hand: one straight line, each instruction of its own kind ----

cat >guest.S <<'END'
        .globl  _start
_start: mov     $buffer, %edi           # 1     Ir
        mov     (%rdi), %eax            # 2     Dr, a miss
        mov     %eax, 4(%rdi)           # 3     Dw
        mov     $1000, %ecx             # 4
        mov     $5, %al                 # 5
        rep stosb                       # 6 to 1005: a thousand writes, 31 misses
        mov     (%rdi), %eax            # 1006  Dr
        cmp     $1, %eax                # 1007
        je      1f                      # 1008  Bc
1:      mov     $60, %eax               # 1009
        xor     %edi, %edi              # 1010
        syscall                         # 1011
        .bss
        .balign 4096
buffer: .skip   4096
END
$CC -nostdlib -static -g -o guest guest.S || bail 'cannot assemble'
# kinds: of each row the events that are not 0 and not misses of fetches
kinds() {
    columns 2 13 | awk '{ printf "%s-%s: %s", $1, $2, $3; if ($6) printf " Dr %s/%s", $6, $7; if ($9) printf " Dw %s/%s", $9, $10
        if ($12) printf " Bc %s", $12; print "" }'
}
run engine 1 --branch-sim=yes
is "$(kinds)" '0-1: 1
1-2: 1 Dr 1/1
2-3: 1 Dw 1/0
3-4: 1
4-5: 1
5-1005: 1000 Dw 1000/31
1005-1006: 1 Dr 1/0
1006-1007: 1
1007-1008: 1 Bc 1
1008-1009: 1
1009-1010: 1
1010-1011: 1' 'an interval per instruction; a repeated one is not cut'
ok 'the sums are those of the profile' sums
run engine 2 --branch-sim=yes
is "$(kinds)" '0-2: 2 Dr 1/1
2-4: 2 Dw 1/0
4-1005: 1001 Dw 1000/31
1005-1006: 1 Dr 1/0
1006-1008: 2 Bc 1
1008-1010: 2
1010-1011: 1' 'intervals end at the first instruction that completes a multiple of 2'
run engine 1005 --branch-sim=yes
is "$(kinds)" '0-1005: 1005 Dr 1/1 Dw 1001/31
1005-1011: 6 Dr 1/0 Bc 1' 'a repetition may be the end'
run engine 1006 --branch-sim=yes
is "$(kinds)" '0-1006: 1006 Dr 2/1 Dw 1001/31
1006-1011: 5 Bc 1' 'or not'
run engine 1000000 --branch-sim=yes
is "$(kinds)" '0-1011: 1011 Dr 2/1 Dw 1001/31 Bc 1' 'one interval for all'
run engine 1005 --counting=cachegrind
is "$(columns 4 4)" '1006
6' 'in mode cachegrind a repetition has one instruction more'

# ---- faults: what was not executed is not counted; it is made up for ----

cat >guest.S <<'END'
        .globl  _start
_start: mov     $13, %eax               # rt_sigaction(SIGSEGV, &action, 0, 8)
        mov     $11, %edi
        mov     $action, %esi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        mov     $40, %ebx
1:      nop
        nop
        xor     %eax, %eax
        mov     (%rax), %ecx            # faults; the handler goes on behind it
2:      nop
        nop
        dec     %ebx
        jnz     1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
handler:
        movq    $2b, 168(%rdx)          # rip in the context
        ret
restore:
        mov     $15, %eax
        syscall
        .data
action: .quad   handler, 0x04000004, restore, 0
END
$CC -nostdlib -static -g -o guest guest.S || bail 'cannot assemble'
for n in 1 2 3 5 11 64; do
    for max in 64 2; do
        run engine $n --block-max=$max
        ok "faults, intervals of $n, blocks of $max: even" even $n
        ok 'sums' sums
        is "$(sed -n 's/^summary: \([0-9]*\) .*/\1/p' profile)" $((7 + 40 * (3 + 2 + 2 + 4) + 3)) 'every instruction once'
    done
done

# ---- recounted from a recording ----

$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o by_interval "$top_srcdir/tests/unit/run/slow/by_interval.c" \
    "$top_srcdir"/lib/trace/read.c "$top_srcdir"/lib/trace/champsim_read.c "$top_srcdir"/lib/trace/parts.c -lzstd -llzma || bail 'cannot compile the recount'
"$QUERN" sim build --replay -o replay || bail 'cannot build the replay'
for program in conflict matmul sort branches hash; do
    cp "$top_builddir/tests/guest/$program" guest || bail "no guest program $program"
    n=$((1000 + $(expr length "$program") * 13))
    "$QUERN" trace -o raw --sim=./engine -- ./guest
    run engine $n --branch-sim=yes --filter=no
    # shellcheck disable=SC2086
    ./replay $caches --outcomes=outcomes raw >out || bail 'cannot replay'
    ./by_interval $n raw outcomes >wanted || bail 'cannot recount'
    columns 4 16 >got
    same_file got wanted "$program: intervals of $n as recounted from the recording"
    ok 'many of them' test "$(wc -l <got)" -gt 50
    ok 'sums' sums
    cp intervals unfiltered
    run engine $n --branch-sim=yes
    same_file intervals unfiltered 'the same with the filter'
    run engine $n --branch-sim=yes --block-max=3 --tcache-size=1M
    same_file intervals unfiltered 'with short blocks and a small code cache'
    cp profile with
    # shellcheck disable=SC2086
    "$QUERN" run -q --sim=./engine $caches --branch-sim=yes --block-max=3 --out-file=profile ./guest
    same_file with profile 'and the profile is as without intervals'
done
run engine 100 --no-cache-sim
ok 'without caches' sums
ok 'and even' even 100
is "$(head -n 1 intervals)" 'interval,start,end,Ir,of_rows' 'without columns for caches and branches'

# ---- events of modules, rates ----

"$QUERN" sim build --D1=writeback -o wback || bail 'cannot build'
cp "$top_builddir/tests/guest/matmul" guest
run wback 50000
ok 'events of modules are columns, and add up' sums
ok 'and are not 0' awk -F, 'NR > 1 { sum += $13 } END { exit !(sum > 1000) }' intervals
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    function differs(text, above, below) { return below == 0 ? text != "" : (text - above / below) ^ 2 > 1e-8 }
    differs($at["D1m%"], 100 * ($at["D1mr"] + $at["D1mw"]), $at["Dr"] + $at["Dw"]) ||
    differs($at["I1mr%"], 100 * $at["I1mr"], $at["Ir"]) ||
    differs($at["LLmr%"], 100 * ($at["ILmr"] + $at["DLmr"] + $at["DLmw"]), $at["Ir"] + $at["Dr"] + $at["Dw"]) ||
    differs($at["MPKI"], 1000 * ($at["ILmr"] + $at["DLmr"] + $at["DLmw"]), $at["Ir"])' intervals)" '' 'rates are quotients of the counts'

# ---- processes, threads, signals ----

cat >guest.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sum;
static void *work(void *n) { for (long i = 0; i < (long)n; i++) sum += i; return NULL; }
static void tick(int sig) { (void)sig; sum++; }
int main(void)
{
    pthread_t t;
    signal(SIGALRM, tick);
    ualarm(1000, 1000);
    pthread_create(&t, NULL, work, (void *)300000);
    work((void *)300000);
    pthread_join(t, NULL);
    ualarm(0, 0);
    if (fork() == 0) {
        work((void *)50000);
        exit(0);
    }
    wait(NULL);
    raise(SIGKILL);
}
END
$CC -g -o guest guest.c -lpthread || bail 'cannot compile'
rm -f intervals* profile*
(run engine 777) 2>err
ok 'threads and signals, killed in the end: sums' sums
for child in intervals.*; do
    pid=${child#intervals.}
    mv "$child" intervals && mv "profile.$pid" profile
    ok 'a forked child has a file of its own, with what was counted before' sums
done

# ---- auto: rows are few, and those of the interval that it has come to ----

cp "$top_builddir/tests/guest/matmul" guest
for first in few many; do
    [ $first = many ] && cat >guest.c <<'END'
volatile unsigned at[4096];
int main(void)
{
    for (unsigned i = 0; i < 3000000; i++)
        at[i * 17 % 4096] += i % (1 + i / 1000000);
    return 0;
}
END
    [ $first = many ] && { $CC -O1 -g -o guest guest.c || bail 'cannot compile'; }
    run engine auto
    rows=$(($(wc -l <intervals) - 1)) length=$(sed -n 's/^1,0,\([0-9]*\),.*/\1/p' intervals)
    all=$(sed -n 's/^summary: \([0-9]*\).*/\1/p' profile)
    ok "auto, a $first-row run of $all instructions: $rows rows of $length, and all is in them" sums
    cp intervals auto
    run engine "$length"
    is "$(cat auto)" "$(cat intervals)" '... the very rows of a run with that length'
    [ $first = few ] || ok '... not fewer than 199, not more than 400, longer than the first ones' \
        test "$rows" -ge 199 -a "$rows" -le 400 -a "$length" -gt 10000
done

# ---- options ----

for bad in 0 -1 x 99999999999999999999; do
    run engine "$bad" >out 2>err
    is $? 2 "--interval=$bad is refused"
    ok 'in a word' grep -q "^quern: run: --interval: got '*$bad" err
done
cp "$top_builddir/tests/guest/matmul" guest
run engine 1000 --interval-file=/nosuch/file 2>err
is $? 1 'a file that cannot be written'
ok 'is named' grep -q '^quern: run: no intervals: /nosuch/file' err
mkdir here && cp guest here && cd here || bail 'no directory'
"$QUERN" run -q --interval=100000 ./guest
is "$(echo quern.intervals.*.csv | sed 's/[0-9][0-9]*/N/')" 'quern.intervals.N.csv' 'the default name'
done_testing
