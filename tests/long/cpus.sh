#!/bin/sh
# cpus.sh - what depends on the processor, on each level of the x86-64 psABI that this one has, without another machine.
#
#   sh tests/long/cpus.sh BUILD [LEVEL|-FEATURE...]   prints TAP; `make cpus` runs this, CPUS=-bmi2 for some
#   CPU_SEEDS=20 VECTORS=2000 FAULTS=2000          seeds of each random test; of each seed so many
#
# Each level twice: the engine is told of it (QUERN_ENGINE_CPU) while programs see all there is; and programs see no more, either
# (quern run --cpu), by which what the engine keeps of their registers becomes that of such a processor.  Then the engine without one
# feature each.  A test of the suite is a point here; its own points are counted behind it, and what was skipped is named, with the reason.
build=$(cd "${1:?usage: cpus.sh BUILD [LEVEL|-FEATURE...]}" && pwd) || exit 2
shift
top_srcdir=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
top_builddir=$build
SCRATCH=$build/cpus/${1:-all}
rm -rf "$SCRATCH"
mkdir -p "$SCRATCH" || exit 2
. "$top_srcdir/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/levels.sh"
unset QUERN_ENGINE_CPU

seeds=$(seq -s ' ' "${CPU_SEEDS:-20}")
VECTORS=${VECTORS:-2000} QN_FAULTS=${FAULTS:-2000} QN_SEEDS=${CPU_SEEDS:-20} ORACLE_GEOMETRIES=3
export VECTORS QN_FAULTS QN_SEEDS ORACLE_GEOMETRIES
engine=$QUERN

# suite WHAT TEST VARIABLE=VALUE...: a test of the suite
suite() {
    what=$1 test=$top_srcdir/tests/$2
    shift 2
    rm -rf "$SCRATCH/in" && mkdir "$SCRATCH/in"
    (cd "$build" && env SCRATCH="$SCRATCH/in" TMPDIR="$SCRATCH/in" QUERN="$QUERN" "$@" timeout -k 10 3600 sh "$test") >"$SCRATCH/tap" 2>"$SCRATCH/err" </dev/null
    status=$?
    failures=$(grep -c '^not ok\|^Bail out' "$SCRATCH/tap")
    skipped=$(grep -c '^ok .*# SKIP' "$SCRATCH/tap")
    tap_point $((status != 0 || failures > 0)) "$what: $(($(grep -c '^ok' "$SCRATCH/tap") - skipped)) passed, $failures failed, $skipped skipped" ||
        diag "$(grep -A 30 '^not ok\|^Bail out' "$SCRATCH/tap" | head -n 40)" "$(tail -n 3 "$SCRATCH/err")"
    sed -n 's/^1\.\.0 # SKIP /all: /p; s/^ok [0-9]* # SKIP //p' "$SCRATCH/tap" | sort -u >"$SCRATCH/skipped"
    while IFS= read -r name; do skip "$what: $name"; done <"$SCRATCH/skipped"
}

# signals WHAT: registers under signals, and in their frames
signals() {
    [ -x "$SCRATCH/stress" ] || "$CC" -O1 -g -o "$SCRATCH/stress" "$top_srcdir"/tests/stress/*.c -pthread || bail 'tests/stress cannot be compiled'
    failures=0
    for seed in $seeds; do
        for name in carry status_flags floating_point vectors string_instructions edited_context coroutines set_by_handler; do
            said=$("$QUERN" run -q --out-file="$SCRATCH/stress.profile" -- "$SCRATCH/stress" -s "$seed" -i 100 "$name" 2>&1)
            case $said in *'not ok'*) ;; *ok\ *) continue ;; esac
            failures=$((failures + 1))
            diag "$name, seed $seed: $said"
        done
    done
    tap_point $((failures > 0)) "$1: registers under signals, 8 tests with each of the seeds $seeds"
}

# close_looks WHAT: programs that print what they find of their registers and of signal frames, natively and under quern
close_looks() {
    for name in long_double fp_flags rounding avx512 carry fpu_ip strings signal64; do
        [ -x "$SCRATCH/$name" ] || "$CC" -O1 -g -o "$SCRATCH/$name" "$top_srcdir/tests/fidelity/$name.c" -lm -pthread || bail "$name.c cannot be compiled"
        wanted=$("$SCRATCH/$name" 2>&1 && echo "status $?")
        got=$("$QUERN" run -q --log-file="$SCRATCH/log" --out-file="$SCRATCH/look.profile" -- "$SCRATCH/$name" 2>&1 && echo "status $?")
        case "$QUERN $name" in
        *-v4\ avx512 | "$engine avx512") is "$got" "$wanted" "$1: $name" ;;
        *\ avx512) skip "$1: avx512: programs see no AVX-512" ;;
        *) is "$got" "$wanted" "$1: $name" ;;
        esac
    done
}

# common WHAT BYTES: what holds for an engine told of a processor, whatever programs see
common() {
    suite "$1: guest programs as Cachegrind counts them" guest/oracle.sh
    suite "$1: registers at faults" unit/run/exact.sh
    suite "$1: references logged" unit/run/batch.sh QN_BYTES="$2"
    signals "$1"
    close_looks "$1"
}

engine_alone() {
    QUERN=$engine QUERN_ENGINE_CPU=$1
    export QUERN_ENGINE_CPU
    suite "engine $1: vectors of all instructions" unit/decode/vectors.sh SEED="$seeds"
    common "engine $1" ""
    suite "engine $1: what programs see" unit/run/cpu.sh
    unset QUERN_ENGINE_CPU
}

both() {
    QUERN=$engine
    QUERN=$(level_shown "$1") QUERN_ENGINE_CPU=$1
    export QUERN_ENGINE_CPU
    suite "processor $1: vectors of its instructions" unit/decode/vectors.sh SEED="$seeds" \
        VECTORS_FEATURES="$(level_features "$1" | sed 's/,xsave//')" VECTORS_STATE="$(level_state "$1")"
    common "processor $1" "$(level_bytes "$1")"
    QUERN=$engine
    unset QUERN_ENGINE_CPU
}

programs=$(cd "$build/tests/guest" && for f in *; do [ ! -x "$f" ] || [ -d "$f" ] || echo "$f"; done | grep -v '\.' | tr '\n' ' ')

try() {
    QUERN=$engine
    why=$(level_lacks "$1")
    if [ -n "$why" ]; then
        skip "$1: $why"
        return
    fi
    suite "$1: no instruction of a higher level, the same counts, --check and without the filter" unit/run/levels.sh \
        LEVELS="$1" LEVELS_STEPPED="$1" LEVELS_PROGRAMS="$programs"
    engine_alone "$1"
    both "$1"
}

# without FEATURE: the engine; where there is no such feature, it is without it all the time
without() {
    QUERN=$engine
    if ! grep -qw "$1" /proc/cpuinfo; then
        skip "without $1: this processor has none"
        return
    fi
    QUERN_ENGINE_CPU=-$1
    export QUERN_ENGINE_CPU
    suite "without $1: vectors of all instructions" unit/decode/vectors.sh SEED="$seeds"
    suite "without $1: guest programs as Cachegrind counts them" guest/oracle.sh ORACLE_GEOMETRIES=1
    suite "without $1: references logged" unit/run/batch.sh
    unset QUERN_ENGINE_CPU
}

if [ $# -gt 0 ]; then
    for level in "$@"; do case $level in -*) without "${level#-}" ;; *) try "$level" ;; esac; done
else
    for level in $levels; do try "$level"; done
    for feature in bmi1 bmi2 avx2 avx512f avx512bw avx512vl; do without $feature; done
fi
done_testing
