#!/bin/sh
# Do the engine and the replay of its recording agree for every module, and are all formats of traces read?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
geometry='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'

# The figures that must be equal: references and misses.  Ir differs by the iterations of string instructions.
figures() { sed 's/^==[0-9]*== //' "$1" | grep -E '^(I1  misses|LLi misses|D  |D1  misses|LLd misses|Mispredicts|D1\.|LL\.)'; }

# agree WHAT MODULE...: one run records and simulates; its recording is replayed.
agree() {
    what=$1
    shift
    options= spec=
    for module in "$@"; do options="$options --$module" spec="$spec,$module"; done
    # shellcheck disable=SC2086
    "$QUERN" sim build $options --AN=record -o "$SCRATCH/engine" || bail "cannot build $*"
    : >"$SCRATCH/raw"
    # shellcheck disable=SC2086
    "$QUERN" run --sim="$SCRATCH/engine" --sim-opt=record-fd=9 --branch-sim=yes --out-file=/dev/null $geometry -- /bin/true \
        9<>"$SCRATCH/raw" >"$SCRATCH/run" 2>&1
    build_replay "$SCRATCH/replay" "$@"
    # shellcheck disable=SC2086
    "$SCRATCH/replay" $geometry "$SCRATCH/raw" >"$SCRATCH/replayed"
    is "$(figures "$SCRATCH/replayed")" "$(figures "$SCRATCH/run")" "$what: engine and replay agree"
}

for policy in default lru fifo random plru nru lfu srrip brrip drrip; do
    agree "$policy" I1=$policy D1=$policy LL=$policy
done
for level in nowa writeback victim nextline stride tlb; do agree $level D1=$level; done
agree inclusive LL=inclusive
agree l2 LL=l2
agree exclusive I1=lru D1=lru LL=exclusive
for bc in tage perceptron btfn; do agree $bc BC=$bc BI=btb; done

ok 'quern trace records a program' "$QUERN" trace -o "$SCRATCH/true.trace" -- /bin/true
# shellcheck disable=SC2086
ok 'and quern replay reads it' "$QUERN" replay $geometry "$SCRATCH/true.trace"

# ---- formats ----

build_replay "$SCRATCH/default"
# refs: what is read, as "instructions reads writes misses"
refs() {
    "$SCRATCH/default" --I1=64,1,16 --D1=64,1,16 --LL=256,1,16 "$1" >"$SCRATCH/out" 2>"$SCRATCH/err" || cat "$SCRATCH/err"
    sed -n 's/^I   refs: *//p; s/^D   refs: *[0-9]* *(\([0-9]*\) *rd *+ *\([0-9]*\) wr)/\1 \2/p' "$SCRATCH/out" | tr '\n' ' '
}
printf 'I  401000,3\n L 1ffe,8\n S 2000,4\n M 3000,8\n' >"$SCRATCH/lackey"
printf '2 401000\n0 1ffe\n1 2000\n0 3000\n' >"$SCRATCH/din"
printf 'i 401000 3\nr 1ffe 8\nw 2000 4\nr 3000 8\n' >"$SCRATCH/xdin"
for format in lackey din xdin; do is "$(refs "$SCRATCH/$format")" '1 2 1 ' "$format"; done
printf ' L 10,4\n L zz,4\n' >"$SCRATCH/bad"
is "$(refs "$SCRATCH/bad" | head -n 1)" "quern: replay: $SCRATCH/bad:2: reference: got ' L zz,4', wanted \"I  addr,size\", \" L addr,size\", \" S ...\" or \" M ...\"" \
    'a line that is no reference is named'
head -c 20 "$SCRATCH/true.trace" >"$SCRATCH/cut"
"$SCRATCH/default" "$SCRATCH/cut" >/dev/null 2>"$SCRATCH/err"
ok 'a cut trace does not crash' test $? -le 1
"$SCRATCH/default" --D1=100,3,7 "$SCRATCH/din" 2>"$SCRATCH/err"
is $? 2 'an impossible cache is a usage error'

done_testing
