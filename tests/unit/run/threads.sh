#!/bin/sh
# --separate-threads: are counts by thread those that the program's loops give, and do they add up to the whole: by event, by line, with regions,
# cores and analyses, in forked processes, behind execve, after SIGKILL?  And what shows them.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"

cat >guest.c <<'END_OF_C'
#include <pthread.h>
#include <quern.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct { volatile long n; } counters[4] __attribute__((aligned(64)));

__attribute__((noinline)) static void work(volatile long *n, long rounds)
{
    for (long i = 0; i < rounds; i++)
        (*n)++;         /* LINE */
}

static void *run(void *p)
{
    long i = (long)p;

    work(&counters[i].n, 1000 * (i + 1));
    QUERN_REGION_BEGIN("part");
    work(&counters[i].n, 10);
    QUERN_REGION_END("part");
    return NULL;
}

static void start(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

static void *forks(void *p)
{
    if (fork() == 0) {
        work(&counters[0].n, 70000);
        _exit(0);
    }
    wait(NULL);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;

    run((void *)0);
    start();
    if (argc > 1 && !strcmp(argv[1], "fork")) {
        pthread_create(&t, NULL, forks, NULL);
        pthread_join(t, NULL);
    }
    if (argc > 1 && !strcmp(argv[1], "kill"))
        kill(getpid(), SIGKILL);
    if (argc > 1 && !strcmp(argv[1], "exec"))
        execl("/proc/self/exe", "guest", NULL);
    if (argc > 1 && !strcmp(argv[1], "many"))
        for (long i = 0; i < 300; i++) {
            pthread_create(&t, NULL, run, (void *)0);
            pthread_join(t, NULL);
        }
    return 0;
}
END_OF_C
$CC -g -O1 -pthread -I"$top_srcdir/include" -o guest guest.c || bail 'cannot compile'
line=$(sed -n '/LINE/=' guest.c)

# quern_run ARGUMENT OPTIONS...: the profile
quern_run() {
    argument=$1
    shift
    rm -f profile*
    # shellcheck disable=SC2086
    "$QUERN" run -q $caches --separate-threads=yes --out-file=profile "$@" -- ./guest ${argument:+"$argument"} 2>log
}

# by_thread PROFILE: "N COUNT..." of each thread, and of none
by_thread() { "$QUERN" csv --by=thread --metadata=no --crlf=no "$1" | sed '1d; s/^[^,]*,//; s/,/ /g'; }

# adds_up PROFILE NAME: the regions' lines of all threads, added, are the lines of the whole, event by event; no thread is left out
adds_up() {
    awk '/^fl=/ { if (!of) fl = $0 } /^fn=/ { if (!of) fn = $0 } /^#fl=/ { fl = substr($0, 2) } /^#fn=/ { fn = substr($0, 2) }
        /^#region: / { of = $2 == "thread" ? 1 : 2; alien += of == 2 }
        /^[0-9]/ { for (i = 2; i <= NF; i++) whole[fl " " fn " " $1 " " i] += $i }
        /^#[0-9]/ && of == 1 { line = substr($1, 2); for (i = 2; i <= NF; i++) part[fl " " fn " " line " " i] += $i }
        END { for (k in whole) { n++; bad += whole[k] != part[k] } for (k in part) bad += whole[k] != part[k]
              print (n > 100 ? "" : "few ") bad + alien " differ" }' "$1" >sums
    is "$(cat sums)" '0 differ' "$2: the lines of all threads are those of the whole"
    is "$(by_thread "$1" | sed -n '/^ /p')" '' "$2: nothing belongs to no thread"
}

quern_run ''
adds_up profile 'four threads'
is "$(by_thread profile | cut -d' ' -f1 | tr '\n' ' ')" '0 1 2 3 ' 'threads by number'
# A round of work writes once.
writes() { "$QUERN" merge "$@" profile | awk -v line="$line" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i - 1 }
    $1 == line && NF > 3 { n += $(at + 1) } END { print n + 0 }'; }
reads() { "$QUERN" merge "$@" profile | awk -v line="$line" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dr") at = i - 1 }
    $1 == line && NF > 3 { n += $(at + 1) } END { print n + 0 }'; }
is "$(for t in 0 1 2 3; do echo $(($(reads --thread=$t) + $(writes --thread=$t))); done | tr '\n' ' ')" \
    "$(for t in 0 1 2 3; do [ "$(writes --thread=$t)" = 0 ] && echo $((1000 * (t + 1) + 10)) || echo $((2 * (1000 * (t + 1) + 10))); done | tr '\n' ' ')" \
    'each has the rounds of its loop'
is "$(reads --thread=2 --region=part)" "$(reads --region='thread 2/part')" 'a region inside a thread'
is "$(reads --region=part)" "$(($(reads --thread=0 --region=part) + $(reads --thread=1 --region=part) + $(reads --thread=2 --region=part) + $(reads --thread=3 --region=part)))" \
    'a region of all threads'
quern_run '' --cores=4
body() { sed '/^#/d; /^desc: Regions/d' "$1"; }
body profile >with
"$QUERN" run -q $caches --cores=4 --out-file=profile.plain -- ./guest
body profile.plain >plain
same_file with plain 'the rest of the profile is as without the option'
"$QUERN" run $caches --separate-threads=yes --out-file=profile -- ./guest 2>log
ok 'the summary of the run has a line for each' grep -q ' thread 3/part$' log

for options in --cores=4 '--cores=4 --dump-instr=yes --branch-sim=yes' --check=yes '--data=yes --calls=yes' --analysis=3c '--cores=2 --analysis=sharing' \
    '--tcache-size=1M --block-max=2' --batch=always --no-filter; do
    # shellcheck disable=SC2086
    quern_run '' $options
    case $options in *dump-instr*) is "$("$QUERN" annotate --thread=2 --asm profile >out 2>&1; echo $?)" 0 'by instruction' ;; esac
    adds_up profile "$options"
done
quern_run '' --cores=4 --quantum=refs:10
is "$("$QUERN" csv --by=thread --metadata=no --show=D1.taken profile | sed 's/\r//' | awk -F, 'NR > 1 { n += $3 } END { print n }')" \
    "$("$QUERN" csv --by=program --metadata=no --show=D1.taken profile | sed 's/\r//' | awk -F, 'NR > 1 { print $2 }')" 'lines taken, by thread and in sum'
ok 'of which there are some' test "$("$QUERN" csv --by=program --metadata=no --show=D1.taken profile | sed 's/\r//' | awk -F, 'NR > 1 { print $2 }')" -gt 100

# ---- processes ----

quern_run fork --out-file=profile.%p
for p in profile.*; do
    adds_up "$p" "a program that forks, $(by_thread "$p" | awk '$1 == 4 { print $2 > 70000 ? "child" : "parent" }')"
done
is "$(cat profile.* | sed -n 's/^#region: //p' | sort | uniq -c | awk '/thread 4$/ { print $1 }')" 2 'the child goes on as the thread that forked'
quern_run kill
adds_up profile 'SIGKILL'
is "$(by_thread profile | wc -l)" 4 'all threads are there'
quern_run exec --trace-children=yes
adds_up profile 'execve'
for options in '' --calls=yes; do
    # shellcheck disable=SC2086
    quern_run many $options
    is "$(by_thread profile | awk '/^ / { print ($1 > 249 ? "rest" : "none") }')" rest \
        "more threads than there is room for: the rest is in a row without a number ($options)"
    is "$(by_thread profile | awk '{ n += /^ / ? $1 : $2 } END { print n }')" "$(sed -n 's/^summary: \([0-9]*\).*/\1/p' profile)" '  ... and the rows are all'
done

# ---- what shows them ----

quern_run ''
"$QUERN" annotate --by=thread profile >out
is "$(sed -n '/^-- Thread summary/,$p' out | grep -c ' thread [0-3]$')" 4 'annotate --by=thread: a row for each'
"$QUERN" annotate --style=classic --by=thread --show=Ir profile >classic
is "$(awk '$NF ~ /^[0-3]$/ && $(NF - 1) == "thread" { gsub(",", "", $1); print $NF, $1 }' classic)" "$(by_thread profile | cut -d' ' -f1,2)" 'in the classic style'
ok 'with the rest of that report' grep -q 'file:function' classic
"$QUERN" annotate --style=classic --thread=1 --show=Ir profile >classic
is "$(awk '/PROGRAM TOTALS/ { gsub(",", "", $1); print $1 }' classic)" "$(by_thread profile | awk '$1 == 1 { print $2 }')" 'one thread in the classic style'
ok 'which the head names' grep -q '^Region: *thread 1$' classic
is "$("$QUERN" annotate --json --by=thread profile | tr -d ' \n' | grep -o '"thread":[0-9]*,"Ir":[0-9]*' | tr -dc '0-9,\n' | tr , ' ' | sed 's/^ //')" \
    "$(by_thread profile | cut -d' ' -f1,2)" 'as JSON'
is "$("$QUERN" json --totals --thread=2 profile | grep -o '"Ir": *[0-9]*' | tr -dc 0-9)" "$(by_thread profile | awk '$1 == 2 { print $2 }')" 'JSON of one'
"$QUERN" annotate --by=thread profile profile | awk '/Thread summary/ { on = 1 } on && $NF == 1 { gsub(",", "", $1); print $1 / 2 }' >got
is "$(cat got)" "$(by_thread profile | awk '$1 == 1 { print $2 }')" 'two profiles are added'
is "$("$QUERN" annotate --by=thread --diff --show=Ir profile profile | awk '/Thread summary/ { on = 1 } on && $NF ~ /^[0-3]$/ { print $1 }' | sort -u)" 0 'and subtracted'

# ---- mistakes ----

for command in 'annotate --by=thread' 'csv --by=thread' 'annotate --style=classic --by=thread'; do
    # shellcheck disable=SC2086
    "$QUERN" $command plain >out 2>err
    is "$? $(sed 's/^quern [a-z]*: \(error: \)*//' err)" '1 plain: counts by thread are not known; `quern run --separate-threads=yes` writes them into the profile' "$command without them"
done
is "$("$QUERN" annotate --thread=9 profile 2>&1 | cut -c1-60 | sed 's/ *$//')" 'quern annotate: error: profile: no region `thread 9`, it has' 'no such thread'
for value in x -1 ''; do
    "$QUERN" csv --thread=$value profile >out 2>&1
    is "$? $(head -n 1 out)" "2 quern csv: --thread: got '$value', wanted a number of a thread" "--thread=$value"
done
done_testing
