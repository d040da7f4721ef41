#!/bin/sh
# Twenty of a command at once in one folder, all with the names that they have by themselves: each leaves a whole file, none that of
# another, and nothing else.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

LC_ALL=C TMPDIR=$SCRATCH/tmp
export LC_ALL TMPDIR
mkdir "$SCRATCH/work" "$TMPDIR" || bail 'no scratch'
cd "$SCRATCH/work" || bail 'no scratch'
printf '%s\n' '.globl _start' '_start: mov $9000, %ecx' '1: push %rcx' 'pop %rax' 'dec %ecx' 'jne 1b' 'xor %edi, %edi' 'mov $60, %eax' \
    'syscall' >../prog.S
$CC -nostdlib -static -o ../prog ../prog.S || bail 'cannot assemble'
prog=../prog

# together N COMMAND...: their exit statuses, each once
together() {
    n=$1 pids=
    shift
    while [ "$n" -gt 0 ]; do
        "$@" >>../out 2>>../err &
        pids="$pids $!"
        n=$((n - 1))
    done
    for pid in $pids; do
        wait "$pid"
        echo $?
    done >../statuses
    sort -u ../statuses | tr '\n' ' '
}
# Nothing but what is named is in the folder; it is emptied.
only() {
    is "$(ls -A . "$TMPDIR" | grep -v ':$' | tr -s '\n' ' ' | sed 's/^ //')" "$1 " "$2"
    rm -rf ./* ./.[!.]*
}
sum='^summary: 36004 '

is "$(together 20 "$QUERN" run -q $prog)" '0 ' 'quern run'
is "$(cat cachegrind.out.* | grep -c "$sum")" 20 'twenty whole profiles'
rm cachegrind.out.*
is "$(together 20 "$QUERN" run -q --interval=1000 --out-file=p --interval-file=i $prog)" '0 ' 'quern run, with the same name given'
ok 'a whole profile' grep -q "$sum" p
is "$(wc -l <i)" 38 'all intervals'
only 'i p' 'and nothing else'

is "$(together 20 "$QUERN" trace $prog)" '0 ' 'quern trace'
ok 'a whole trace' sh -c '"$0" replay quern.trace | grep -q "I *refs: *36,004"' "$QUERN"
only quern.trace 'and nothing else'

# Those that come while one is at work say so; those that come later find all rows.
ok 'quern sweep: done, or another is at work' sh -c 'case $1 in "0 1 " | "0 ") ;; *) exit 1 ;; esac' sh \
    "$(together 20 "$QUERN" sweep -q -o sweep.csv -L D1.size=1K,2K,4K -- $prog)"
is "$(sort -u ../err | grep -v ': another sweep is writing it$')" '' 'which is said, and nothing else'
is "$(grep -c ',ok' sweep.csv) $(wc -l <sweep.csv)" '3 4' 'all rows'
only sweep.csv 'and nothing else'
is "$(together 20 "$QUERN" sim build -o sim --D1=fifo)" '0 ' 'quern sim build'
ok 'a whole simulator' "$QUERN" run -q --sim=./sim --out-file=/dev/null $prog
only sim 'and nothing else'
is "$(together 3 "$QUERN" report -q $prog)" '0 ' 'quern report'
ok 'a whole page' grep -q '</html>' quern-report/index.html
only quern-report 'and nothing else'
done_testing
