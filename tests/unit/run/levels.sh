#!/bin/sh
# QUERN_ENGINE_CPU: does the engine keep to the processor that it is told of, and is all that is counted the same there?
#
# A sample for each level of the x86-64 psABI that this processor has; tests/long/cpus.sh has all.
#
#   LEVELS='x86-64-v3' sh levels.sh         these only
#   LEVELS_PROGRAMS='sort sieve' ...        with these guest programs
#   LEVELS_STEPPED='x86-64 x86-64-v3' ...   each instruction that the engine executes is looked at for these (default: the first)
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/tap/levels.sh"

[ -x "$QUERN" ] || skip_all "there is no $QUERN"
guests=$top_builddir/tests/guest
[ -x "$guests/sieve" ] || bail "no $guests/sieve: run make -C $top_builddir guests"
unset QUERN_ENGINE_CPU
here=$top_srcdir/tests/unit/run/levels
$CC -std=gnu11 -O2 -I"$top_srcdir/lib" -o executed "$here/executed.c" "$top_builddir/libquern.a" || bail 'executed.c cannot be compiled'
$CC -std=gnu11 -O1 -ffreestanding -fno-stack-protector -fcf-protection=none -fno-pic -no-pie -static -nostdlib -o little "$here/little.c" ||
    bail 'little.c cannot be compiled'
$CC -O1 -g -no-pie -o exact "$top_srcdir/tests/fidelity/exact.c" || bail 'exact.c cannot be compiled'
$CC -O1 -g -static -o masks "$here/masks.c" || bail 'masks.c cannot be compiled'
small='--I1=1024,1,64 --D1=4096,8,64 --LL=4096,1,64'

# engine CPU OPTIONS... -- COMMAND...: quern run with an engine of this CPU; the profile is ./profile.  The environment takes as much
# room on the stack whatever the name.
engine() {
    cpu=$1
    shift
    QUERN_ENGINE_CPU=$cpu ROOM=$(printf '%*s' $((40 - ${#cpu})) '') "$QUERN" run -q --out-file=profile "$@" 2>&1
}

# ---- the variable ----

# says CPU WANTED WHAT OPTIONS...
says() {
    says_cpu=$1 says_wanted=$2 says_what=$3
    shift 3
    rm -f profile
    is "$(engine "$says_cpu" "$@" -- true) $([ -f profile ] && echo written)" "$says_wanted" "$says_what"
}
says x86-64-v9 'quern: run: QUERN_ENGINE_CPU: x86-64-v9: no such processor; there are native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, +FEATURE and -FEATURE ' \
    'a name that is unknown is refused in one line'
says -frobnicate 'quern: run: QUERN_ENGINE_CPU: -frobnicate: no such feature; names are those of /proc/cpuinfo ' 'so is a feature'
grep -qw avx512er /proc/cpuinfo || says +avx512er 'quern: run: QUERN_ENGINE_CPU: +avx512er: this processor has no avx512er ' 'nothing is added'
says '' ' written' 'an empty one is none'
says native ' written' 'native is what there is'
if grep -qw avx2 /proc/cpuinfo; then
    says x86-64-v2 'quern: run: --vectors=avx2: QUERN_ENGINE_CPU=x86-64-v2 leaves no avx2 ' 'vectors that it takes away are refused' --vectors=avx2
fi

# ---- what is chosen ----

# chosen CPU OPTIONS...: as --stats says
chosen() { engine "$@" --stats=yes -- "$guests/sieve" | sed -n 's/.*processor: //p'; }
is "$(chosen x86-64 --cpu=x86-64)" 'no rorx, vectors none, 512 bytes of registers in a signal frame' 'x86-64 alone: no rorx, no vectors, no xsave'

# executed LEVEL: nothing but what this level has, by the engine's own code, what it emits and the program
executed() {
    # shellcheck disable=SC2086 # options
    QUERN_ENGINE_CPU=$1 ./executed "$(level_features "$1")" "$QUERN" run -q --cpu="$1" --batch=always $small --out-file=profile -- ./little
}

# emitted LEVEL: instructions of higher levels in what is emitted for a program of the lowest
emitted() {
    case $1 in *-v3) above='zmm|%k[0-7]' ;; *) above='rorx|shlx|shrx|sarx|[yz]mm|%k[0-7]' ;; esac
    # shellcheck disable=SC2086
    engine "$1" --cpu="$1" --trace=emit --trace-file=trace $small --branch-sim=yes -- "$guests/sort" >/dev/null
    grep -c '^    [0-9a-f]*: ' trace >emitted.count
    [ "$(cat emitted.count)" -gt 1000 ] && ! grep -E "^    [0-9a-f]*: +[^#]*($above)" trace
}

# another LEVEL: whose name is as long, since the C library reads the beginning of each variable of the environment: where these lie decides
# what misses.  For x86-64 it is this processor's best; else its best level, or the one below.
best=x86-64-v2
for level in $levels; do
    [ -n "$(level_lacks "$level")" ] || best=$level
done
another() {
    case $1 in
    x86-64) echo native ;;
    "$best") [ "$best" = x86-64-v4 ] && echo x86-64-v3 || echo x86-64-v2 ;;
    *) echo "$best" ;;
    esac
}

# same_counts LEVEL PROGRAM OPTIONS...: with an engine of this level, and of another; the program sees the same
same_counts() {
    same_level=$1
    shift
    # shellcheck disable=SC2086
    engine "$(another "$same_level")" $small "$@" >best.out || { cat best.out; return 1; }
    mv profile best.profile
    # shellcheck disable=SC2086
    engine "$same_level" $small "$@" >same.out || { cat same.out; return 1; }
    cmp profile best.profile && cmp best.out same.out
}

same_faults() {
    wanted=$(./exact "$2" 1000)
    is "$(engine "$1" --batch=always --D1=4096,8,64 -- ./exact "$2" 1000)" "$wanted" "$1: registers at 1000 faults"
    is "$(engine "$1" --cpu="$1" --branch-sim=yes -- ./exact "$2" 1000)" "$wanted" "$1: and where the program sees no more, either"
}

stepped=${LEVELS_STEPPED-x86-64}
for level in ${LEVELS:-$levels}; do
    why=$(level_lacks "$level")
    if [ -n "$why" ]; then
        skip "$level: $why"
        continue
    fi
    case " $stepped " in *" $level "*) ok "$level: no instruction of a higher one is executed" executed "$level" ;; esac
    [ "$level" = x86-64-v4 ] || ok "$level: none is emitted" emitted "$level"
    for program in ${LEVELS_PROGRAMS:-masked avx sort strings}; do
        ok "$level: $program, the counts are the same" same_counts "$level" --branch-sim=yes -- "$guests/$program"
        ok "$level: $program, written down" same_counts "$level" --batch=always -- "$guests/$program"
        [ -n "${LEVELS_PROGRAMS:-}" ] || [ "$program" = masked ] || continue
        ok "$level: $program, --check" same_counts "$level" --check=yes --branch-sim=yes -- "$guests/$program"
        ok "$level: $program, without the filter" same_counts "$level" --filter=no -- "$guests/$program"
    done
    same_faults "$level" 1
    ok "$level: gathers and masks" same_counts "$level" -- ./masks
done

# A check that sees nothing would be none: with this processor's best, rorx is emitted.
if grep -qw bmi2 /proc/cpuinfo; then
    engine native --trace=emit --trace-file=trace -- "$guests/sort" >/dev/null
    ok 'rorx is seen where it is emitted' grep -q ' rorx ' trace
fi
made_ready() {
    rm -f trace
    engine "$@" --trace=emit --trace-file=trace -- ./masks all || return
    echo "$(grep -c 'vpgatherdd.*zmm20' trace) $(grep -c 'vmovdqu64 %zmm20,0x' trace) $(grep -c 'vpgatherdd.*ymm9' trace) $(grep -c 'vmovdqu %ymm9,0x' trace)"
}
if grep -qw avx512bw /proc/cpuinfo; then
    is "$(made_ready -avx512f)" '1 2 1 1' 'a gather of the program that needs AVX-512 is made ready by AVX-512, whatever the engine is told'
    is "$(made_ready -avx512f --cpu=-avx512f)" '1 0 1 1' 'and where neither has it, by nothing: it would fault'
    is "$(made_ready x86-64-v2 --cpu=x86-64-v2)" '1 0 1 0' 'the same of AVX'
else
    skip 'this processor has no avx512bw' 3
fi
done_testing
