#!/bin/sh
# A timer's signals at any point of a program, also while a fault is handled (faults/timer.S): is everything counted once?  With k signals, the
# counts are those without a timer, and k times those of the handler: four instructions, two reads.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
for interval in 0 500; do
    $CC -nostdlib -static -no-pie -DINTERVAL=$interval -DTURNS=5000 -o every$interval "$top_srcdir/tests/unit/run/faults/timer.S" || bail 'timer.S'
done

# run INTERVAL OPTIONS...: signals Ir Dr Dw
run() {
    program=./every$1
    shift
    "$QUERN" run -q --out-file=profile "$@" "$program" >signals 2>err || { cat err; return 1; }
    echo "$(od -An -tu8 signals) $(sed -n 's/^summary: //p' profile | cut -d' ' -f1,4,7)"
}

# once OPTIONS...
once() {
    set -- $(run 0 "$@") $(run 500 "$@")
    [ $# = 8 ] || { echo "$*"; return 1; }
    echo "$5 signals: $6 $7 $8; without: $2 $3 $4"
    [ "$6 $7 $8" = "$(($2 + 4 * $5)) $(($3 + 2 * $5)) $4" ]
}

while read -r way; do
    # shellcheck disable=SC2086
    ok "$way" once $way
done <<END
--filter=yes
--batch=always
--no-filter
--check=yes
--calls=yes --branch-sim=yes
--data=use
--interval=1000
--analysis=3c,sets,latency
--versus=D1=fifo
END
done_testing
