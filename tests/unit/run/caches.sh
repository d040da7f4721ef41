#!/bin/sh
# Do the commands of README, and every policy, work on a machine whose L1 has 8, 12 or 16 ways?  QUERN_CACHES states such a machine.
# (tests/long/ways.sh runs the manual, the labs and the examples so.)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

PATH=$top_builddir:$PATH
export PATH
cat >prog.c <<'END'
static int table[5000];
int main(void)
{
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 5000; i++)
            table[i * 37 % 5000] += i;
    return 0;
}
END
$CC -O1 -g -o prog prog.c || bail 'cannot compile the program'
sed -n '/^## A program of your own/,/^A cache is/s/^    build\/quern \([^#]*[^# ]\)  *#.*/\1/p' "$top_srcdir/README.md" >commands
[ "$(wc -l <commands)" -ge 6 ] || bail 'README has no such commands'

for ways in 8 12 16; do
    QUERN_CACHES="I1=32768,8,64 D1=$((ways * 4096)),$ways,64 LL=$((ways * 1048576)),$ways,64"
    export QUERN_CACHES
    "$QUERN" run --out-file=/dev/null /bin/true >said 2>&1
    is "$(sed -n 's/^==[0-9]*== \(D1 cache: .*\)/\1/p' said)" "D1 cache: $((ways * 4096)) B, 64 B, $ways-way associative, as QUERN_CACHES says" "$ways ways: the D1 is that"
    while IFS= read -r command; do
        rm -f cachegrind.out.*.old
        profile=$(ls cachegrind.out.* 2>/dev/null | head -n 1)
        sh -c "quern $(echo "$command" | sed "s/cachegrind.out.PID\|before.out\|after.out/$profile/g")" >said 2>&1 </dev/null
        is $? 0 "$ways ways: quern $command" || diag "$(tail -n 3 said)"
    done <commands
    is "$(sed -n 's/^desc: D1 cache: *//p' quern-report/profile)" "$((ways * 4096)) B, 64 B, $ways-way associative" '... the report is of that machine'
    rm -rf cachegrind.out.* quern-report
    for policy in $("$QUERN" sim list | awk '/^[^ ]/ { on = /^I1 D1 LL/; next } on { print $1 }'); do
        case $policy in opt | victim) continue ;; esac # replay only; a level
        "$QUERN" run -q --check --sim="D1=$policy,LL=$policy" --out-file=/dev/null /bin/true >said 2>&1
        is "$? $(cat said)" '0 ' "$ways ways: $policy"
    done
done

# What is stated wrongly is one line.
wrong() { # TEXT LINE
    QUERN_CACHES=$1 "$QUERN" run -q --out-file=/dev/null /bin/true >said 2>&1
    is "$? $(cat said)" "2 quern: run: QUERN_CACHES: $2" "QUERN_CACHES=$1"
}
wanted="wanted caches as 'I1=32768,8,64 D1=32768,8,64 LL=8388608,16,64'"
wrong 'D1=32768,8' "got 'D1=32768,8', $wanted"
wrong 'D1=32768,8,64,1' "got 'D1=32768,8,64,1', $wanted"
wrong 'I1=32768,8,64 L2=1,2,3' "got 'L2=1,2,3', $wanted"
wrong 'D1=49152,8,64' 'D1=49152,8,64: number of sets: got 96, wanted a power of two'
QUERN_CACHES='D1=32768,8,64' "$QUERN" run --D1=1024,2,64 --out-file=/dev/null /bin/true >said 2>&1
is "$(sed -n 's/^==[0-9]*== \(D1 cache: .*\)/\1/p' said)" 'D1 cache: 1024 B, 64 B, 2-way associative' 'an option comes first'
done_testing
