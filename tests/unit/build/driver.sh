#!/bin/sh
# Does the test driver count every way in which a test can go wrong?  Each case is a small test of its own; wanted is
# what totals.sh says of it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

tap=$top_srcdir/tests/tap

# totals NAME: run $SCRATCH/NAME.sh under the driver and print the totals of it.
totals() {
    (
        cd "$SCRATCH" && TEST_LOOK=1 TEST_STALL=2 TEST_LINGER=10 TEST_CPU=${cpu:-1000} top_builddir=$SCRATCH sh "$tap/driver.sh" --test-name "$1" \
            --log-file "$1.log" --trs-file "$1.trs" -- sh "$1.sh" >"$1.out"
        sh "$tap/totals.sh" "$1.trs"
    )
}

# counted NAME TOTALS: the body of the test comes on stdin.
counted() {
    cat >"$SCRATCH/$1.sh"
    is "$(totals "$1")" "$2" "$1: $2"
}

counted all-pass '2 passed, 0 failed' <<'END'
echo 1..2; echo ok 1 - a; echo ok 2 - b
END
counted plan-last '2 passed, 0 failed' <<'END'
echo ok; echo ok; echo 1..2
END
counted one-fails '1 passed, 1 failed' <<'END'
echo 1..2; echo ok 1; echo not ok 2; exit 1
END
counted no-plan '1 passed, 1 failed' <<'END'
echo ok 1
END
counted too-few '1 passed, 1 failed' <<'END'
echo 1..2; echo ok 1
END
counted too-many '2 passed, 1 failed' <<'END'
echo 1..1; echo ok 1; echo ok 2
END
counted wrong-number '2 passed, 1 failed' <<'END'
echo 1..2; echo ok 1; echo ok 3
END
counted bad-exit '1 passed, 1 failed' <<'END'
echo 1..1; echo ok 1; exit 3
END
counted crash '1 passed, 1 failed' <<'END'
echo 1..1; echo ok 1; kill -SEGV $$
END
counted crash-early '0 passed, 2 failed' <<'END'
kill -SEGV $$
END
counted bail-out '1 passed, 1 failed' <<'END'
echo 1..3; echo ok 1; echo 'Bail out! no compiler'; exit 99
END
counted hang '1 passed, 2 failed' <<'END'
echo ok 1; sleep 100000
END
ok '... and the reason is told' grep -q 'hang - stopped after 2 seconds without a line and without using the processor' "$SCRATCH/hang.out"
counted hang-on '0 passed, 2 failed' <<'END'
trap '' TERM; setsid sh -c 'sleep 100000' & while :; do sleep 100000; done
END
cpu=2
counted spin '0 passed, 2 failed' <<'END'
while :; do :; done
END
ok '... and the reason is told' grep -q 'spin - stopped after [0-9]* seconds of processor time without a line' "$SCRATCH/spin.out"
counted spin-below '0 passed, 2 failed' <<'END'
sh -c 'while :; do :; done'
END
# Three times as long as a test may sleep, and as much processor time as two that may: what counts is progress.
counted busy '3 passed, 0 failed' <<'END'
echo 1..3
for point in 1 2 3; do
    awk 'BEGIN { do { getline line <"/proc/self/stat"; close("/proc/self/stat"); split(line, f, " ") } while (f[14] + f[15] < 130) }'
    echo ok $point
done
END
cpu=
counted busy-without-a-word '1 passed, 0 failed' <<'END'
awk 'BEGIN { do { getline line <"/proc/self/stat"; close("/proc/self/stat"); split(line, f, " ") } while (f[14] + f[15] < 400) }'
echo 1..1; echo ok 1
END
counted leaves-behind '1 passed, 1 failed' <<'END'
echo 1..1; echo ok 1; setsid sleep 1000 >/dev/null 2>&1 &
END
ok '... and that process is ended, which is named' grep -q 'leaves processes behind: sleep 1000 ' "$SCRATCH/leaves-behind.out"
counted ends-soon '1 passed, 0 failed' <<'END'
echo 1..1; echo ok 1; sleep 1 >/dev/null 2>&1 &
END
counted skipped-point '1 passed, 0 failed, 1 skipped' <<'END'
echo 1..2; echo ok 1; echo 'ok 2 # SKIP no AVX here'
END
counted skip-all '0 passed, 0 failed, 1 skipped' <<'END'
echo '1..0 # SKIP no valgrind here'
END
for oracles in optional required; do
    printf '. "%s/tap.sh"\nQUERN_ORACLES=%s\npass a\nabsent "no valgrind here" 3\ndone_testing\n' "$tap" $oracles >"$SCRATCH/absent-$oracles.sh"
    printf '. "%s/tap.sh"\nQUERN_ORACLES=%s\nabsent_all "no valgrind here" 7\npass a\n' "$tap" $oracles >"$SCRATCH/absent-all-$oracles.sh"
done
is "$(totals absent-optional)" '1 passed, 0 failed, 3 skipped' 'what is absent is skipped, each point'
is "$(totals absent-required)" '1 passed, 3 failed' '... and fails where oracles are required'
is "$(totals absent-all-optional)" '0 passed, 0 failed, 7 skipped' 'so do all points of a test'
is "$(totals absent-all-required)" '0 passed, 7 failed' '... which fail where oracles are required'
printf '. "%s/tap.sh"\nskip_all "no AVX here" 5\npass a\n' "$tap" >"$SCRATCH/skip-all-of-five.sh"
is "$(QUERN_ORACLES=required; export QUERN_ORACLES; totals skip-all-of-five)" '0 passed, 0 failed, 5 skipped' 'what cannot be here is skipped, each point'
counted nothing '0 passed, 1 failed' <<'END'
:
END
counted todo '1 passed, 1 failed' <<'END'
echo 1..2; echo 'not ok 1 # TODO later'; echo 'ok 2 # TODO passes already'
END

is "$(sh "$tap/totals.sh" "$SCRATCH/all-pass.trs" "$SCRATCH/absent.trs" | tail -n 1)" '2 passed, 1 failed' \
    'a test that never ran is a failure'
# The command before has one of another length.
is "$(bash -c '. "$0/tap.sh"; /bin/true; cpu_limited 9 env | grep "^_="' "$tap")" '' 'a command with limited time has no $_'
ok 'the terminal shows the point that failed' grep -q '^FAIL: one-fails - 2' "$SCRATCH/one-fails.out"
ok 'the log tells how to run it again' grep -q "run again: make .* check TESTS='one-fails'" "$SCRATCH/one-fails.log"
ok 'scratch of a failed test stays' test -d "$SCRATCH/tests/scratch/one-fails"
ok 'scratch of a passed test goes' test ! -d "$SCRATCH/tests/scratch/all-pass"

done_testing
