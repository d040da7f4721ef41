#!/bin/sh
# Many processes, and processes with many mappings: are they one profile (--merge-children), each instruction once, and does the work grow
# with their number and no faster?  What is counted is page faults and calls of read, never time.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"

cat >children.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) void before(void) { for (int i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void inside(void) { for (int i = 0; i < 100; i++) sum -= i; }

/* children N [PROGRAM [ARGUMENTS]]: N children, one after the other, that run `inside` or execute the program */
int main(int argc, char **argv)
{
    int status = 0;

    before();
    for (int i = atoi(argv[1]); i > 0; i--) {
        if (fork() == 0) {
            if (argc > 2)
                execv(argv[2], argv + 2);
            inside();
            _exit(3);
        }
        wait(&status);
    }
    return WEXITSTATUS(status);
}
END
cat >faults.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* faults PROGRAM [ARGUMENTS]: page faults of the program and of the processes that it waited for; the most KiB that one of them had at a time */
int main(int argc, char **argv)
{
    struct rusage used;
    int status;

    if (fork() == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    wait(&status);
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%ld %ld\n", used.ru_minflt, used.ru_maxrss);
    return argc < 2;
}
END
cat >mappings.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls_of_read(void)
{
    char text[512] = "", *at;
    FILE *f = fopen("/proc/self/io", "r");

    if (!f || !fread(text, 1, sizeof text - 1, f) || !(at = strstr(text, "syscr: ")))
        exit(77);
    fclose(f);
    return atol(at + strlen("syscr: "));
}

/* mappings N BYTES PROTECTION: N mappings, then a fork; prints how many calls of read that took */
int main(int argc, char **argv)
{
    long before = calls_of_read(), n = atol(argv[1]), bytes = atol(argv[2]);
    int bad = argc < 4, status;

    for (long i = 0; i < n; i++) /* no two are one for the kernel */
        bad += mmap(NULL, bytes, i % 2 ? PROT_READ : PROT_READ | atoi(argv[3]), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
    if (fork() == 0)
        _exit(0);
    wait(&status);
    printf("%d bad, %ld\n", bad, calls_of_read() - before);
    return 0;
}
END
for p in children mappings faults; do
    $CC -O1 -g -static -o $p $p.c || bail "$p cannot be compiled"
done
printf 'int main(void) { return 3; }\n' >three.c
$CC -O1 -static -o three three.c || bail 'three cannot be compiled'

# run FOLDER OPTIONS... -- PROGRAM...: the profiles are FOLDER/*
run() {
    rm -rf "$1"
    mkdir "$1"
    folder=$1
    shift
    "$QUERN" run -q --out-file="$folder/%p" "$@" 2>err
}
summary() { sed -n 's/^summary: //p' "$@"; }

# cost FUNCTION FILE: instructions of a function
cost() { awk -v name="fn=$1" '/^fn=/ { in_it = $0 == name } /^[0-9]/ && in_it { sum += $2 } END { print sum + 0 }' "$2"; }

# ---- programs that are executed ----

run merged --trace-children=yes --merge-children=yes -- ./children 3 ./three
is "$? $(ls merged | wc -l) $(cat err)" '3 1 ' 'three children are executed: one profile, and the status of the first process'
run apart --trace-children=yes -- ./children 3 ./three
"$QUERN" merge apart/* >sum || bail 'merge'
is "$(summary merged/*)" "$(summary sum)" 'it is what quern merge makes of the four'
is "$(sed -n 's/^desc: Processes: //p' merged/*)" '4, 1 of ./children, 3 of ./three' 'it says of which programs'
is "$(sed -n 's/^cmd: //p' merged/*)" './children 3 ./three' 'its command is that of the first process'
is "$(grep -E '^(fl|fn|[0-9])' merged/* | sort)" "$(grep -E '^(fl|fn|[0-9])' sum | sort)" 'its lines are those of the sum, too'
"$QUERN" run --trace-children=yes --merge-children=yes --out-file=profile -- ./children 3 ./three 2>said
is "$(sed -n 's/^==[0-9]*== \(Processes.*\)/\1/p; s/^==[0-9]*== I *refs: *//p' said | tr -d ,)" \
    "Processes: 4 all in one profile
$(summary sum | cut -d' ' -f1)" 'the summary is that of all processes'

# ---- forks ----

for options in '' --data=yes --calls=paths --branch-sim=yes '--data=use --calls=yes --branch-sim=yes' '--dump-instr=yes' --sim=D1=fifo; do
    run merged --merge-children=yes $options -- ./children 5
    is "$? $(ls merged | wc -l) $(cat err)" '3 1 ' "five forks, $options: one profile"
    run one $options -- ./children 0
    run two --merge-children=yes $options -- ./children 1
    is "$(cost before merged/*) $(cost inside merged/*)" "$(cost before one/*) $((5 * $(cost inside two/*)))" 'what was before a fork counts once, what was behind it in each'
done
run merged --merge-children=yes --calls=yes --profile-format=callgrind -- ./children 5
is "$(sed -n '/^cfn=.*inside/{n;s/calls=\([0-9]*\).*/\1/p;}; /^cfn=.*before/{n;s/calls=\([0-9]*\).*/\1/p;}' merged/* | xargs)" '1 5' "Callgrind's format: calls are added, too"
run merged --trace-children=yes --merge-children=yes --data=yes --calls=yes --branch-sim=yes -- ./children 3 ./children 1
run apart --trace-children=yes --data=yes --calls=yes --branch-sim=yes -- ./children 3 ./three
ok 'annotate reads calls' "$QUERN" annotate --by=calls merged/*
ok '... and data' "$QUERN" annotate --by=data merged/*
"$QUERN" run --merge-children=yes --interval=1000 true 2>err
is "$?" 2 'a run whose other files cannot be added is refused'
ok '... and the message names the option' grep -q 'merge-children' err

# ---- how the work grows ----

# faults_of N: of N children in one profile
faults_of() { ./faults "$QUERN" run -q --merge-children=yes --out-file=profile -- ./children "$1" | cut -d' ' -f1; }

# linear SMALL MIDDLE LARGE: of numbers that double, the second step is at most 2.3 times the first (n log n; 4 if it were quadratic)
linear() {
    [ $((10 * ($3 - $2))) -le $((23 * ($2 - $1))) ] || { echo "$*"; return 1; }
}
ok '500, 1,000, 2,000 processes: page faults' linear "$(faults_of 500)" "$(faults_of 1000)" "$(faults_of 2000)"
is "$(sed -n 's/^desc: Processes: //p' profile) $(cost before profile) $(cost inside profile)" \
    "2001, 2001 of ./children $(cost before one/*) $((2000 * $(cost inside two/*)))" 'all of them are in the profile'

# A short program takes little of a large cache: of 1 GiB for the sets of 2 GiB in lines of 16 bytes, less than an eighth.
memory_with() { ./faults "$QUERN" run -q --trace-children=yes --out-file=profile --sim="$1" --LL="$2" -- ./children 2 ./three | cut -d' ' -f2; }
for sim in LL=default LL=fifo; do
    small=$(memory_with $sim 1048576,16,64) large=$(memory_with $sim 2147483648,16,16)
    ok "$sim: memory with an LL of 1 MiB and of 2 GiB: $small and $large KiB" [ $((large - small)) -lt $((128 * 1024)) ]
done

# few_reads BYTES PROTECTION OPTIONS...: 10,000 mappings take a few calls of read, natively 2
few_reads() {
    bytes=$1 protection=$2
    shift 2
    "$QUERN" run -q --out-file=profile "$@" -- ./mappings 10000 "$bytes" "$protection" >out
    awk '$1 != 0 || $3 > 100 { print; bad = 1 } END { exit bad }' out
}
ok '10,000 mappings of a page' few_reads 4096 2
ok '10,000 mappings of code' few_reads 4096 4 --data=yes
ok '10,000 mappings of a GiB, more than lies above quern' few_reads 1073741824 2
ok '... with --data' few_reads 1073741824 2 --data=yes
done_testing
