#!/bin/sh
# quern run --processors=N: does a program see N processors in all that tells of them, whichever it is bound to, and read back what it sets?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
"$CC" -O1 -g -pthread -o processors "$top_srcdir/tests/fidelity/processors.c" || bail 'processors.c cannot be compiled'
run() { n=$1; shift; "$QUERN" run -q --trace-children=yes --processors="$n" --out-file=/dev/null -- "$@" 2>&1; }
online=$(cat /sys/devices/system/cpu/online)

# As natively: the machine's own number, where this test is bound to none of them.
n=$(nproc)
if [ "$online" = "0-$((n - 1))" ] && [ "$n" -le 64 ]; then
    is "$(run "$n" ./processors)" "$(./processors)" "$n processors, as natively"
    is "$("$QUERN" run -q --trace-children=yes --out-file=/dev/null ./processors 2>&1)" "$(./processors)" 'without the option, too'
else
    absent 'this test is bound to some processors' 2
fi

# seen N: the number in each place
seen()
{
    run "$1" ./processors seen
    run "$1" cat /sys/devices/system/cpu/online /sys/devices/system/cpu/possible /sys/devices/system/cpu/present
    run "$1" sh -c 'grep Cpus_allowed /proc/self/status; cd /proc; grep -c ^processor cpuinfo; grep -c "^cpu[0-9]" stat; grep -c "^cpu cores.*: '"$1"'$" cpuinfo'
}
for one in '1 1 0 1' '3 7 0-2 7' '40 ffffffffff 0-39 ff,ffffffff' '64 ffffffffffffffff 0-63 ffffffff,ffffffff'; do
    set -- $one
    is "$(seen "$1")" "begins: may run on $2, runs on one of them: 1
online $1, configured $1
$3
$3
$3
Cpus_allowed:	$4
Cpus_allowed_list:	$3
$1
$1
$1" "$1 in all that tells of processors"
done
is "$(taskset -c 0 "$QUERN" run -q --processors=3 --out-file=/dev/null ./processors seen)" "$(run 3 ./processors seen)" 'bound to one: the same'
is "$(run 6 taskset -c 1-2,5 grep Cpus_allowed /proc/self/status)" 'Cpus_allowed:	26
Cpus_allowed_list:	1-2,5' 'what a program sets it reads back, after execve, too'
is "$(run 65 true)" 'quern: run: --processors: got 65, wanted at most 64' '65'
done_testing
