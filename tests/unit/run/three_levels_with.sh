#!/bin/sh
# Do other options and commands have the right counts, or say in one line that they cannot, if a run has an L2?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >program.c <<'END'
#include <stdlib.h>
static double list[4000];
int main(void)
{
    double sum = 0, *heap = malloc(8000 * sizeof *heap);
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < 4000; i += 2) {
            sum += list[i];
            heap[2 * i] = sum;
        }
    return heap[4] > 0;
}
END
$CC -g -O0 -o program program.c || bail 'no program'
two='--I1=1024,2,64 --D1=2048,4,64 --LL=65536,4,64' three="--I1=1024,2,64 --D1=2048,4,64 --L2=8192,4,64 --LL=65536,4,64"
run() { # PROFILE OPTIONS...
    profile=$1
    shift
    "$QUERN" run -q "$@" --out-file="$profile" ./program >log 2>&1 || bail "run $*: $(cat log)"
}
counts() { sed -n '/^events:/,/^summary:/p' "$1"; }
# events PROFILE NAME...: the sums of these events
events() { sed -n 's/^events: //p; s/^summary: //p' "$1" | awk -v names="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 2 { n = split(names, name, " "); for (k = 1; k <= n; k++) printf "%s%s", $at[name[k]], k < n ? " " : "\n" }'; }

# shellcheck disable=SC2086
run plain $three
# shellcheck disable=SC2086
run without $two
is "$(events plain 'D1mr D1mw') $(events plain 'D2mr DLmr' | awk '{ print ($1 > $2) }')" "$(events without 'D1mr D1mw') 1" 'level 1 is as without an L2, which misses more than the LL'

# ---- options of run ----

for data in yes use; do
    # shellcheck disable=SC2086
    run data $three --data=$data
    is "$("$QUERN" csv --by=data --metadata=no --crlf=no --show=D1mr,D1mw,DLmr,DLmw data | sed 's/"[^"]*"/name/g' |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { a += $at["D1mr"]; b += $at["D1mw"]; c += $at["DLmr"]; d += $at["DLmw"] }
        END { print a, b, c, d }')" "$(events data 'D1mr D1mw DLmr DLmw')" "--data=$data: misses of all objects are those of the run"
done
for line in 8 9; do
    # shellcheck disable=SC2086
    run explained $three --explain=program.c:$line --explain-file=text
    is "$(sed -n 's/^\([0-9,]*\) references: .* \([0-9,]*\) misses (\([0-9,]*\) of them.*/\1 \2 \3/p' text | tr -d ,)" \
        "$("$QUERN" csv --by=line --metadata=no --crlf=no --show='Dr+Dw,D1mr+D1mw,DLmr+DLmw' explained | awk -F, -v l=$line '/program\.c/ && $(NF - 3) == l {
        print $(NF - 2), $(NF - 1), $NF }')" "--explain: references and misses of line $line"
    cmp -s explained plain || diag "$(diff explained plain | head -n 3)"
    is "$(counts explained | cksum)" "$(counts plain | cksum)" '   the profile is that of a run without'
done
# shellcheck disable=SC2086
run watched $three --watch=160000 --watch-file=steps
is "$(awk -F, 'NR > 1 { line = $0; gsub(/"[^"]*"/, "x", line); split(line, f, ","); if (f[1] == before) next; before = f[1]; n++; miss += f[9] % 2; last += f[9] == 3 } END { print n, miss, last }' steps)" \
    "$(events watched 'Dr Dw D1mr D1mw DLmr DLmw' | awk '{ print $1 + $2, $3 + $4, $5 + $6 }')" '--watch: outcomes of all references'
# shellcheck disable=SC2086
run called $three --calls=yes --profile-format=callgrind
"$QUERN" convert called >back 2>err
is "$(cat err)$(sed -n 's/^summary: //p' back)" "$(sed -n 's/^summary: //p' plain)" "Callgrind's form and back: the same totals"
is "$(sed -n 's/^events: //p' back)" "$(sed -n 's/^events: //p' plain)" '   the same events'

# ---- commands ----

"$QUERN" diff plain plain >none
is "$(sed -n 's/^summary: //p' none)" '0 0 0 0 0 0 0 0 0 0 0 0' 'diff with itself'
"$QUERN" merge plain plain >both
is "$(events both 'I2mr D2mr D2mw')" "$(events plain 'I2mr D2mr D2mw' | awk '{ print 2 * $1, 2 * $2, 2 * $3 }')" 'merge with itself'
is "$("$QUERN" diff without plain 2>&1; echo $?)" "quern diff: events in data files don't match
1" 'diff with a run without an L2 is refused'
is "$("$QUERN" merge without plain 2>&1 | grep -c "^quern merge: plain: events don't match, got .*I2mr.*, wanted ")" 1 '   merge, too'
"$QUERN" report --diff -q -o compared without plain >log 2>&1
is "$? $(cat log)" '0 ' '   report --diff compares what both have'
"$QUERN" page -q -o page.html plain >log 2>&1 || "$QUERN" page -o page.html plain >log 2>&1
ok 'page' grep -q '"events":\["Ir","I1mr","I2mr","ILmr"' page.html
# shellcheck disable=SC2086
"$QUERN" report -q -o report $three -- ./program >log 2>&1
is "$? $(cat log) $(grep -c 'L2 misses of \(instructions\|data\)' report/index.html)" '0  2' 'report'
"$QUERN" json --totals plain >json
ok 'json' grep -q "\"D2mr\": *$(events plain D2mr)" json
# Valgrind has two levels, and takes the last of --L2 and --LL for the second.
"$QUERN" valgrind --tool=cachegrind -q --cache-sim=yes --I1=1024,2,64 --D1=2048,4,64 --L2=8192,4,64 --cachegrind-out-file=as-L2 ./program 2>err
"$QUERN" valgrind --tool=cachegrind -q --cache-sim=yes --I1=1024,2,64 --D1=2048,4,64 --LL=8192,4,64 --cachegrind-out-file=as-LL ./program 2>>err
is "$(counts as-L2 | cksum) $(cat err)" "$(counts as-LL | cksum) " 'valgrind --L2 is its --LL'
done_testing
