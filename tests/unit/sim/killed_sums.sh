#!/bin/sh
# A run with every analysis and every option that may be combined, killed by SIGKILL when the program has told its pid: do the columns add up?
# (--versus is not combined with --data, --explain and --watch; values and conflicts only with each other.)
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
    char *more = calloc(argc, 100000);
    for (long step = 1; step < 40; step += 2)
        more[walk(step) & 0xffff] += 1;
    __asm__ volatile("mov $39, %%eax; syscall; mov %%rax, %0\n" /* getpid */
                     "mov $1, %%eax; mov $9, %%edi; lea %0, %%rsi; mov $4, %%edx; syscall\n"
                     "1: mov $34, %%eax; syscall; jmp 1b" /* pause */
                     : "+m"(pid) : : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "memory");
    return 0;
}
END_OF_C
${CC:-cc} -O1 -g -o program program.c || bail 'the program does not compile'
mkfifo pipe || bail 'no pipe'

# killed OPTIONS...: profile and log of a run that is killed
killed() {
    rm -f profile* log
    "$QUERN" run --D1=4096,2,64 --LL=65536,8,64 --branch-sim=yes --out-file=profile --log-file=log "$@" ./program >/dev/null 2>&1 </dev/null 9>pipe &
    quern=$!
    pid=$(od -An -tu4 -N4 <pipe | tr -d ' ')
    kill -KILL "$pid"
    wait "$quern"
    is $? 137 "killed: $*"
}

# The sum of all lines, and of all instructions, is the summary, in each column; classes of misses are the misses, in each line.
add_up() {
    awk '
        /^events:/ { for (i = 2; i <= NF; i++) name[i - 1] = $i; n = NF - 1 }
        /^summary:/ { for (i = 1; i <= n; i++) total[i] = $(i + 1); summary = 1 }
        /^[0-9+*-]/ { for (i = 1; i <= n; i++) { line[i] += $(i + 1); of[name[i]] = $(i + 1) } lines++; classes() }
        /^#0x/ { for (i = 1; i <= n; i++) insn[i] += $(i + 2) }
        function classes() {
            if (("AN.conflict" in of) && of["AN.compulsory"] + of["AN.capacity"] + of["AN.conflict"] != of["D1mr"] + of["D1mw"])
                print "line " FNR ": classes are not the misses"
        }
        END {
            for (i = 1; i <= n; i++)
                if (line[i] != total[i] || insn[i] != total[i])
                    print name[i] ": lines " line[i] ", instructions " insn[i] ", summary " total[i]
            if (!summary || lines < 100)
                print "no summary, or few lines"
        }' profile
}
total() { awk -v name="$1" '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at[name] }' profile; }
said() { sed -n "s/^[-=]*[0-9]*[-=][-=] *AN: $1/\\1/p" log; } # PATTERN, with one group

all=3c,sets,latency,mattson,sizes,culprits,sharing,interval
for sample in shards=0 shards=100; do
    killed --analysis=$all --dump-instr=yes --sim-opt=$sample --data=use --calls=paths --interval=20000 --explain=program.c:7 --explain-file=explained \
        --branches-file=branches --watch=5 --watch-file=watched
    misses=$(($(total D1mr) + $(total D1mw)))
    is "$(add_up)" '' '... each column adds up, and the classes of misses'
    is "$(said 'from [0-9]*: \(.*\)' | tr ' ' '\n' | awk '{ n += $1 } END { print n }')" $misses '... misses by set'
    is "$(said '4096 bytes: \(.*\)')" "$(total D1mr) $(total D1mw)" '... a D1 of this size'
    is "$(awk -F, '$6 == "evictor" { n += $10 } END { print n }' profile.findings.csv)" "$(said 'lines missed: .*, \(.*\) evicted before')" '... lines missed, by the instructions that had evicted them'
    is "$(said 'loads served by the D1 \(.*\): about.*' | tr -dc '0-9 ' | awk '{ print $1 + $2 + $3, $2 + $3, $3 }')" "$(total Dr) $(total D1mr) $(total DLmr)" '... loads by level'
    is "$(awk '/^#miss/ { n += $5 + $6; c += $9 + $10 + $11 } END { print n, c }' profile)" "$misses $misses" '... misses by object, and their classes'
done
# Each list of values of a load, and each row of conflicts, has all of its executions.
killed --analysis=conflicts,values --sim-opt=addresses=1
is "$(awk -F, '
    $6 == "addr" { executions[$1 $2] = $11 }
    $6 == "load" && $7 == 1 { of[$1 $2] = $11; n++ }
    $6 == "bytes" || $6 == "4k" { of[$1 $2] = $11; n += 1000000 }
    END { for (i in of) if (of[i] != executions[i]) print i ": " of[i] " executions, " executions[i] " addresses"; print (n > 100000000 && n % 1000000 > 100) }' profile.findings.csv)" 1 '... loads were executed as often as they have addresses, values and chances of a conflict'
killed --analysis=$all --dump-instr=yes --versus=D1=fifo --calls=paths --interval=20000
is "$(add_up)" '' '... each column adds up, those of the second simulator, too'
done_testing
