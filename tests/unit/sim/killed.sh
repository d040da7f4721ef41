#!/bin/sh
# The tables of analyses after SIGKILL: a program that is killed at a point of which it tells leaves what one leaves that ends there.
#
# It writes its pid into a pipe; after that it makes no reference to data.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >program.c <<'END_OF_C'
#include <stdlib.h>
static long list[3000], pid;
static __attribute__((noinline)) long walk(long step)
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
ok '... of a sample of the lines' alike --analysis=mattson --D1=4096,2,64 --sim-opt=shards=100
is "$(awk '/give or take [1-9]/ { n++ } / drawn with probability 1\/[1-9][0-9]/ { n += 100 } END { print (n > 105) }' killed.said)" 1 '... with errors, and how it was drawn'
ok 'D1s of other sizes' alike --analysis=sizes --D1=4096,2,64
ok 'who evicted it' alike --analysis=culprits --D1=4096,2,64
ok '... of each instruction' beside findings.csv
ok '... by line' beside culprits.csv
for D1 in 4096,2,64 --sim=D1=srrip; do
    case $D1 in --*) more=$D1 ;; *) more= ;; esac
    ok "lines with conflict misses, D1 $D1" alike --analysis=3c --D1=4096,2,64 $more
    is "$(grep -c 'line 0x[0-9a-f]*: [0-9]* conflict misses' killed.said)" 10 '... ten of them'
done
# Of its last instructions it may be killed before or after some, so the last intervals are compared by what they have of data.
intervals() { # OPTIONS...
    alike "$@" >/dev/null # whatever it says
    for name in ends killed; do
        sed -n 2,60p "$name.said" >"$name.first"
        awk '/^AN: [0-9]+ / { data += $4; d1 += $6 } END { print data, d1, (NR > 60) }' "$name.said" >>"$name.first"
    done
    grep ' 1$' ends.first >/dev/null && diff ends.first killed.first
}
ok 'by interval' intervals --analysis=interval --D1=4096,2,64 --sim-opt=interval=10000
ok '... of any length' intervals --analysis=interval --D1=4096,2,64 --sim-opt=interval=1
# The same holds for instructions that are observed: what they say of values is compared, and how many they are, but for the last three.
observed() { # ANALYSIS...
    alike --analysis="$@" >/dev/null # whatever it says
    for name in ends killed; do
        sed 's/[0-9]* instructions observed, [0-9]* lists/N instructions observed/; s/[0-9]* instructions observed/N instructions observed/' "$name.said" >"$name.rows"
        sed -n 's/.* \([0-9][0-9]*\) instructions observed.*/\1/p;T;q' "$name.said" >"$name.observed"
    done
    [ -s ends.rows ] && diff ends.rows killed.rows && fewer=$(($(cat ends.observed) - $(cat killed.observed))) && [ $fewer -ge 0 ] && [ $fewer -le 3 ]
}
ok 'conflicts of loads and stores' observed conflicts
ok '... of each instruction' beside findings.csv
# The program begins and ends with other values: the loader reads the time stamp counter.
findings() {
    for name in ends killed; do
        sed -n '/,walk,/s/,[0-9]*$//p' "$name.profile.findings.csv" >"$name.found"
    done
    [ "$(wc -l <ends.found)" -gt 20 ] && diff ends.found killed.found
}
ok 'values' observed values
ok '... of each instruction' findings
ok '... beside conflicts' observed conflicts,values
ok '... of each instruction' findings
ok 'all kinds of values, lists of two' observed values --sim-opt=entries=2,addresses=1,targets=1,callers=1
ok '... of each instruction' findings
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

# Some analyses look at misses later.  This program is killed in a loop without a reference that follows so many misses.  It has executed
# all of that before, so it does not leave translated code there.
cat >spins.c <<'END_OF_C'
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static char lines[1000 * 64];
static int many;
static __attribute__((noinline)) void pass(volatile int *flag, int value, long spins)
{
    for (int i = 0; i < many; i++)
        lines[64 * i]++;
    *flag = value;
    for (; spins; spins--)
        __asm__ volatile("");
}
int main(int argc, char **argv)
{
    many = atoi(argv[argc - 1]);
    volatile int *flag = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, open("flag", O_RDWR), 0);
    int pid = getpid();
    for (int i = 0; i < 20; i++)
        pass(flag, 0, 20);
    pass(flag, pid, -1);
    return 0;
}
END_OF_C
${CC:-cc} -O1 -o spins spins.c || bail 'the program does not compile'
# spins ANALYSIS LINES OPTION: spins.said is what it says
spins() {
    printf '\0\0\0\0' >flag
    "$QUERN" run --D1=4096,2,64 --batch=never --out-file=spins.profile --log-file=spins.log --analysis="$1" ${3:-} ./spins "$2" >/dev/null 2>&1 </dev/null &
    pid=0
    while kill -0 $! && [ "$pid" = 0 ]; do pid=$(od -An -tu4 -N4 flag | tr -d ' '); done
    kill -KILL "$pid"
    wait $!
    said spins >spins.said
}
waiting() { awk '/the program was killed before/ { n = $7 } END { print n + 0 }' spins.said; }
waiting_misses() { awk '/the program was killed before/ { n = $(NF - 1) } END { print n + 0 }' spins.said; }
seen() { awk '/^AN: from/ { for (i = 4; i <= NF; i++) n += $i } END { print n }' spins.said; }
missed() { awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at["D1mr"] + $at["D1mw"] }' spins.profile; }
for analysis in culprits sets; do
    spins $analysis 200 2>/dev/null
    ok "$analysis: killed before $(waiting) misses were looked at, those of one block" [ "$(waiting)" -le 8 ]
done
is "$(($(seen) + $(waiting)))" "$(missed)" '... all but these were'
classes() { awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at["AN.compulsory"] + $at["AN.capacity"] + $at["AN.conflict"] }' spins.profile; }
spins 3c 1000 2>/dev/null
is "$(($(classes) + $(waiting_misses)))" "$(missed)" '3c: each miss has its class, but those that were not looked at'
spins 3c,sets 1000 2>/dev/null
is "$(($(classes) + $(waiting_misses))) $(($(seen) + $(waiting_misses)))" "$(missed) $(missed)" '... beside sets'
# The line of a reference that is looked at later was not among the last 16, so each of these is a miss of 16 lines.
of_16() { sed -n 's/^AN: 16 lines: //p' spins.said; }
all=0
for lines in 198 201 204; do
    spins mattson $lines --sim-opt=smallest=1024 2>/dev/null
    waits=$(waiting) counted=$(of_16)
    all=$((all + waits))
    spins mattson $lines --sim-opt=smallest=1024 --no-filter 2>/dev/null
    is "$((counted + waits))" "$(($(of_16) + $(waiting)))" "the curve: killed before $waits references were looked at"
done
ok '... there were some' [ $all -gt 0 ]
# Analyses of far lines: of each look-up that is missing the reference is told.
spins sizes 200 2>/dev/null
row() { awk -v size="^AN: $1: " '$0 ~ size { print $4 + $5 }' spins.said; }
of_all() { [ "$1" -lt "$2" ] && [ "$2" -le "$(($1 + $(waiting)))" ]; }
ok "sizes: killed before $(waiting) references were looked at, and no other miss is missing" of_all "$(row '4096 bytes')" "$(missed)"
done_testing
