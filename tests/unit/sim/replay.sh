#!/bin/sh
# Do the engine and the replay of its recording agree for every module, and are all formats of traces read?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/models/models.inc"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
geometry='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'

# The figures that must be equal: references and misses.  Ir differs by the iterations of string instructions.
figures() { sed 's/^==[0-9]*== //' "$1" | grep -E '^(I1  misses|LLi misses|D  |D1  misses|LLd misses|Mispredicts|[A-Z0-9]*\.[a-z]|D1: |AN: )'; }

# outcomes FILE: the same figures, as far as outcomes tell them
outcomes() {
    awk '{ n[$1]++ } END { print "I1", n["I1"] + n["I3"], n["I3"] + 0, "D1", n["D1"] + n["D3"], n["D3"] + 0, "wrong", n["B1"] + 0, n["J1"] + 0 }' "$1"
}
# printed FILE: what a summary says of that
printed() {
    sed 's/^==[0-9]*== //; s/,//g' "$1" | awk '
        /^I1  misses/ { i1 = $3 } /^LLi misses/ { lli = $3 } /^D1  misses/ { d1 = $3 } /^LLd misses/ { lld = $3 }
        /^Mispredicts/ { bc = $0; sub(/.*\( */, "", bc); bi = bc; sub(/.*\+ */, "", bi) }
        END { print "I1", i1, lli, "D1", d1, lld, "wrong", bc + 0, bi + 0 }'
}

# The geometry as the model wants it.
model_geometry=$(echo "$geometry" | sed 's/--//g')

program=/bin/true
# record: the program's references: $SCRATCH/raw, $SCRATCH/text
record() {
    "$QUERN" trace -o "$SCRATCH/raw" -- "$program" >"$SCRATCH/run" 2>&1 &&
        "$QUERN" replay --outcomes="$SCRATCH/text" --format=text "$SCRATCH/raw" >"$SCRATCH/run" || bail 'cannot record'
}

# simulate OPTIONS MODULE...: $SCRATCH/run
simulate() {
    sim_opt=$1 slots=
    shift
    for module in "$@"; do slots="$slots --$module"; done
    # shellcheck disable=SC2086 # slots are words
    "$QUERN" sim build $slots -o "$SCRATCH/engine" || bail "cannot build $*"
    # shellcheck disable=SC2086 # geometry and options are words
    "$QUERN" run --sim="$SCRATCH/engine" $sim_opt --branch-sim=yes --out-file=/dev/null $geometry -- "$program" >"$SCRATCH/run" 2>&1
}

# agree MODEL OPTIONS MODULE...: engine, replay and slow model; MODEL is the model's words, OPTIONS those of modules.
agree() {
    model=$1 options=$2
    shift 2
    simulate "${options:+--sim-opt=$options}" "$@"
    build_replay "$SCRATCH/replay" "$@"
    # shellcheck disable=SC2086
    "$SCRATCH/replay" $geometry $sim_opt --outcomes="$SCRATCH/got" "$SCRATCH/raw" >"$SCRATCH/replayed"
    is "$(figures "$SCRATCH/replayed")" "$(figures "$SCRATCH/run")" "$*: engine and replay agree"
    # shellcheck disable=SC2086
    "$SCRATCH/model" "$SCRATCH/text" "$SCRATCH/wanted" kind=recorded $model $model_geometry opt="$options" >"$SCRATCH/events" ||
        bail "model $model"
    same_file "$SCRATCH/got" "$SCRATCH/wanted" "$*: replay and model agree on each reference"
    is "$(printed "$SCRATCH/run")" "$(outcomes "$SCRATCH/wanted")" "$*: engine and model agree"
    for event in $(sed -n 's/^\([A-Z0-9]*\.[a-z0-9-]*\) .*/\1/p' "$SCRATCH/events"); do
        is "$(count "$event" "$SCRATCH/replayed")" "$(sed -n "s/^$event //p" "$SCRATCH/events")" "$*: $event as in the model"
    done
}

build_model
record
agree 'policy=lru' ''
agree 'policy=lru bc=taken bi=btb' '' I1=lru D1=lru LL=lru BC=taken BI=btb
agree 'policy=fifo bc=btfn bi=ras' '' I1=fifo D1=fifo LL=fifo BC=btfn BI=ras
agree 'policy=random bc=onebit' '' I1=random D1=random LL=random BC=onebit
agree 'policy=plru bc=bimodal' '' I1=plru D1=plru LL=plru BC=bimodal
agree 'policy=nru bc=local' '' I1=nru D1=nru LL=nru BC=local
agree 'policy=lfu bc=global' '' I1=lfu D1=lfu LL=lfu BC=global
agree 'policy=srrip bc=gshare' '' I1=srrip D1=srrip LL=srrip BC=gshare
agree 'policy=brrip bc=tournament' '' I1=brrip D1=brrip LL=brrip BC=tournament
agree 'policy=drrip bc=perceptron' '' I1=drrip D1=drrip LL=drrip BC=perceptron
for policy in dip eaf hawkeye; do agree "policy=$policy" '' I1=$policy D1=$policy LL=$policy; done
for bc in yags 2bcgskew hashed loop; do agree "policy=lru bc=$bc" '' BC=$bc; done
agree 'd1=nowa ll=l2 bc=tage' 'l2-size=16384' D1=nowa LL=l2 BC=tage
agree 'd1=writeback ll=exclusive bc=cachegrind' '' I1=lru D1=writeback LL=exclusive BC=cachegrind
agree 'd1=victim ll=inclusive' '' D1=victim LL=inclusive
agree 'd1=nextline' 'degree=2' D1=nextline
agree 'd1=stride' '' D1=stride
agree 'd1=ghb' '' D1=ghb
agree 'd1=tlb' 'tlb-entries=8' D1=tlb

# analysis OPTIONS MODULE: the engine's words, the replay's and those of the model; the recording is the last one made.
analysis() {
    build_replay "$SCRATCH/replay" AN="$2"
    simulate "--sim-opt=$1" AN="$2"
    # shellcheck disable=SC2086
    "$SCRATCH/replay" $geometry --sim-opt="$1" "$SCRATCH/raw" >"$SCRATCH/replayed"
    is "$(figures "$SCRATCH/replayed")" "$(figures "$SCRATCH/run")" "AN=$2: engine and replay agree"
    # shellcheck disable=SC2086
    "$SCRATCH/model" "$SCRATCH/text" "$SCRATCH/wanted" kind=recorded an="$2" $model_geometry opt="$1" >"$SCRATCH/events" ||
        bail "model $2"
    sed -n 's/^\(AN\.[a-z]*\) *\([0-9]*\) .*/\1 \2/p; s/^\(AN: [0-9]* lines touched\).*/\1/p
        /^AN: [0-9]* \(lines\|ways\|bytes\): /p; /^AN: [0-9]* [0-9]* /p' "$SCRATCH/replayed" >"$SCRATCH/said"
    is "$(cat "$SCRATCH/said")" "$(grep -v 'conflict misses' "$SCRATCH/events")" "AN=$2: replay and model agree"
}
analysis '' 3c
analysis 'sizes=100' mattson
analysis 'smaller=2' sizes
# A text does not have the repetitions of string instructions, so here is a program without any.
cat >"$SCRATCH/plain.c" <<'END_OF_C'
static volatile int list[3000];
static int walk(int step)
{
    int sum = 0;
    for (int i = 0; i < 3000; i++)
        sum += list[i * step % 3000] += i & step;
    return sum;
}
void _start(void)
{
    int sum = 0;
    for (int step = 1; step < 20; step++)
        sum += walk(step);
    __asm__ volatile("syscall" : : "a"(231), "D"(sum & 0) : "rcx", "r11");
}
END_OF_C
${CC:-cc} -O1 -nostdlib -static -o "$SCRATCH/plain" "$SCRATCH/plain.c" || bail 'the program does not compile'
program=$SCRATCH/plain
record
analysis 'interval=1000' interval

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
