#!/bin/sh
# The tables of analyses after SIGKILL: a program that is killed at a point of which it tells leaves what one leaves that ends there.
#
# It writes its pid into a pipe; after that it makes no reference to data.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >program.c <<'END_OF_C'
#include <stdlib.h>
static long list[3000], pid;
static long walk(long step)
{
    long sum = 0;
    for (long i = 0; i < 3000; i++)
        sum += list[i * step % 3000] += i;
    return sum;
}
int main(int argc, char **argv)
{
    long number = argv[1][0] == 'e' ? 231 : 34; /* exit_group, pause */
    char *more = calloc(argc, 100000);
    for (long step = 1; step < 40; step += 2)
        more[walk(step) & 0xffff] += 1;
    __asm__ volatile("mov $39, %%eax; syscall; mov %%rax, %0\n" /* getpid */
                     "mov $1, %%eax; mov $9, %%edi; lea %0, %%rsi; mov $4, %%edx; syscall\n"
                     "1: mov %%rbx, %%rax; xor %%edi, %%edi; syscall; jmp 1b"
                     : "+m"(pid) : "b"(number) : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory");
    return 0;
}
END_OF_C
${CC:-cc} -O1 -g -o program program.c || bail 'the program does not compile'
mkfifo pipe || bail 'no pipe'

# start NAME ENDS OPTIONS...: what it says later stands in NAME.said
start() {
    name=$1 ends=$2
    shift 2
    exec "$QUERN" run --LL=65536,8,64 --out-file="$name.profile" --log-file="$name.log" "$@" ./program "$ends" >/dev/null 2>&1 </dev/null
}
said() { sed 's/^[-=]*[0-9]*[-=][-=] *//' "$1.log" | grep '^AN'; }

# alike OPTIONS...
alike() {
    rm -f ends.* killed.*
    (start ends e "$@" 9>ends.pid) || return 1
    (start killed p "$@" 9>pipe) &
    quern=$!
    pid=$(od -An -tu4 -N4 <pipe | tr -d ' ')
    kill -KILL "$pid"
    wait "$quern"
    [ $? = 137 ] || return 1
    for name in ends killed; do said "$name" >"$name.said"; done
    [ -s ends.said ] && cmp ends.said killed.said && diff ends.said killed.said
}
beside() { # SUFFIX
    [ "$(wc -l <"ends.profile.$1")" -gt 3 ] && diff "ends.profile.$1" "killed.profile.$1"
}

for batch in never always; do
    ok "--batch=$batch: misses by set" alike --analysis=sets --D1=4096,2,64 --batch=$batch
    ok '... loads by level' alike --analysis=latency --D1=4096,2,64 --batch=$batch
    ok '... of each instruction' beside findings.csv
done
ok 'loads by level, another policy' alike --analysis=latency --sim=D1=srrip --D1=4096,2,64
ok '... of each instruction' beside findings.csv
ok 'the curve' alike --analysis=mattson --D1=4096,2,64
ok '... of each reference' alike --analysis=mattson --D1=4096,2,64 --no-filter
ok '... each size, each associativity' alike --analysis=mattson --D1=4096,2,64 --sim-opt=sets=16,sizes=40
ok 'D1s of other sizes' alike --analysis=sizes --D1=4096,2,64
ok 'who evicted it' alike --analysis=culprits --D1=4096,2,64
ok '... of each instruction' beside findings.csv
ok '... by line' beside culprits.csv
for D1 in 4096,2,64 --sim=D1=srrip; do
    case $D1 in --*) more=$D1 ;; *) more= ;; esac
    ok "lines with conflict misses, D1 $D1" alike --analysis=3c --D1=4096,2,64 $more
    is "$(grep -c 'line [0-9a-f]*: [0-9]* conflict misses' killed.said)" 10 '... ten of them'
done
ok 'by interval' alike --analysis=interval --D1=4096,2,64 --sim-opt=interval=10000
ok '... of any length' alike --analysis=interval --D1=4096,2,64 --sim-opt=interval=1
ok 'all at once' alike --analysis=3c,sets,latency,mattson,sizes,culprits --D1=4096,2,64 --data=yes
ok '... of each instruction' beside findings.csv
ok '... by line' beside culprits.csv
# (Of its last instructions it may be killed before or after some.)
data() { awk '/^summary/ { $2 = $3 = $4 = ""; print }' "$1.profile"; }
is "$(data killed)" "$(data ends)" '... and all counts of data, and classes'
objects() { grep '^#\(object\|in\|miss\|pair\)' "$1.profile"; }
is "$(objects killed)" "$(objects ends)" '... by object'
is "$(objects killed | awk '/^#miss/ { n += $5 + $6 - $9 - $10 - $11 } END { print (NR > 10), n }')" '1 0' '... each miss with its class'
ok 'classes by object, another policy' alike --analysis=3c --sim=D1=srrip --D1=4096,2,64 --data=yes
is "$(objects killed)" "$(objects ends)" '... the same'
done_testing
