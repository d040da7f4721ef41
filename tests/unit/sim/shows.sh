#!/bin/sh
# Is what a predictor shows of a branch (replay --watch-of) what a plain model of it holds, branch after branch?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
$CC -std=gnu11 -O1 -Wall -o model "$top_srcdir/tests/unit/sim/slow/predictors.c" || bail 'cannot compile the model'
true=$(command -v true)
case $true in /*) ;; *) true=/bin/true ;; esac
"$QUERN" trace -o t.trace "$true" || bail 'no trace'

# watch SLOT FILE OPTIONS...: all branches of the trace
watch() {
    slot=$1 file=$2
    shift 2
    "$QUERN" replay --watch-of="$slot" --watch=100000 --watch-file="$file" "$@" t.trace >summary 2>err
    is "$? $(cat err)" '0 ' "$* of $slot is watched"
}
# as_model NAME FILE [SIZE]
as_model() {
    ./model "$1" ${3-} <"$2" >wanted
    same_file "$2" wanted "$1: each branch as the model has it"
}
sum_wrong() { awk -F, 'NR > 1 { n++; wrong += $7 } END { print n, wrong }' "$1"; }

"$QUERN" run -q --branch-sim=yes --out-file=p "$true" || bail 'no run'
totals() { awk -v a="$1" -v b="$2" '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at[a], $at[b] }' p; }

# What stands in the slots by default.
watch BC bc.csv
as_model cachegrind bc.csv
is "$(sum_wrong bc.csv)" "$(totals Bc Bcm)" '... in sum what a run counts'
"$QUERN" replay t.trace >plain
same_file summary plain '... and the replay prints what it prints without'
watch BI bi.csv
as_model last bi.csv
is "$(sum_wrong bi.csv)" "$(totals Bi Bim)" '... in sum what a run counts'

for name in bimodal onebit global local tournament tage cachegrind; do
    watch BC "$name.csv" --sim="BC=$name"
    as_model "$name" "$name.csv"
done
watch BC gshare.csv --sim=BC=gshare,BI=btb --sim-opt=gshare-history=9
as_model gshare gshare.csv 9
watch BI btb.csv --sim=BC=gshare,BI=btb
as_model btb btb.csv
watch BC perceptron.csv --sim=BC=perceptron,BI=ras --sim-opt=perceptron-history=13
as_model perceptron perceptron.csv 13

# Returns: a stack of addresses, which the trace's calls are needed for; what it says is where they go.
watch BI ras.csv --sim=BC=perceptron,BI=ras
is "$(awk -F, 'NR > 1 && $3 == "return" { n++; right = $8 ~ ("target=" $5 "$"); bad += right == $7 } END { print (n > 500), bad }' ras.csv)" '1 0' \
    'ras: a return is wrong where the address on top is another one'
grep -v ',return,' ras.csv | awk -F, -v OFS=, 'NR > 1 { $1 = NR - 1 } { print }' >indirect.csv
cut -d, -f2-6 indirect.csv >got
cut -d, -f2-6 bi.csv >wanted
same_file got wanted '... the indirect branches are between them'

# A stretch of it.
watch BC few.csv --watch-from=20
sed -n '1p;21,$p' bc.csv >wanted
same_file few.csv wanted 'from the 20th on'
pc=$(awk -F, 'NR == 3000 { print $2 }' bc.csv)
watch BC few.csv --watch-at=0x1,"$pc"
awk -F, -v pc="$pc" 'NR == 1 || begun || $2 == pc { begun = NR > 1; print }' bc.csv >wanted
same_file few.csv wanted 'from the first of an instruction on'

# ---- what cannot be ----

refused() { # STATUS TEXT OPTIONS...
    wanted=$1 text=$2
    shift 2
    rm -f x.csv
    "$QUERN" replay "$@" t.trace >out 2>err
    got=$?
    is "$got:$(wc -l <err | tr -d ' '):$(ls x.csv 2>/dev/null)" "$wanted:1:" "refused in one line: $*"
    grep -q -e "$text" err || { diag "$(cat err)"; ok "... which says $text" false; }
}
refused 2 "got 'LL', wanted D1, BC or BI" --watch-of=LL --watch=3 --watch-file=x.csv
refused 2 'branch-sim' --watch-of=BC --watch=3 --branch-sim=no --watch-file=x.csv
refused 2 'needs --watch-of' --watch-at=0x12 --watch=3 --watch-file=x.csv
refused 2 'not with --watch-from' --watch-of=BC --watch-from=3 --watch-at=0x12 --watch=3 --watch-file=x.csv
refused 1 "got 'main'" --watch-of=BC --watch-at=main --watch=3 --watch-file=x.csv
refused 1 'no/such' --watch-of=BC --watch=3 --watch-file=no/such/x.csv

# Modules that show what cannot be shown are named.
bad() { # TEXT CODE
    printf '#include "sim/module.h"\n#define PREDICTOR "bad"\n#define PREDICTOR_SHOWS 1\nstatic uint8_t byte;\nstatic unsigned branchsim_BC_predict(uint64_t pc) { return pc & 1; }\n' >bad.c
    printf 'static void branchsim_BC_update(uint64_t pc, unsigned taken) { (void)pc, (void)taken; byte++; }\n' >>bad.c
    printf 'static void predictor_show(uint64_t pc, unsigned kind) { (void)pc, (void)kind; %s }\n' "$2" >>bad.c
    refused 70 "$1" --sim=BC=bad.c --watch-of=BC --watch=3 --watch-file=x.csv
}
bad 'slot BC, predictor_show, reference 1: a name has' 'sim_show_number("a b", 1);'
bad 'sixteen things' 'for (int i = 0; i < 17; i++) sim_show_number("a", i);'
bad '0 to 255' 'sim_show_counter("a", &byte, 0, 256);'
done_testing
