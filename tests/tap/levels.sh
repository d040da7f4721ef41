# levels.sh - the levels of the x86-64 psABI, for tests of what depends on the processor.  Source it behind tap.sh.
#
#   for level in $levels; do
#       why=$(level_lacks "$level")                     # nothing, or "this processor has no avx512f"
#       features=$(level_features "$level")             # cmov,cx8,...: with those of the levels below
#       QUERN=$(level_shown "$level")                   # a quern that shows programs this level (quern run --cpu)
#       QUERN_ENGINE_CPU=$level                         # what the engine itself makes use of
#   done

levels='x86-64 x86-64-v2 x86-64-v3 x86-64-v4'

# lahf_lm is of x86-64-v2; only the first of the 64-bit processors had it not, and the engine does not run there (doc/limits.md).
level_features() {
    features=cmov,cx8,fpu,fxsr,mmx,syscall,sse,sse2,tsc,clfsh,lahf_lm
    case $1 in *-v[234]) features=$features,cx16,popcnt,sse3,sse4_1,sse4_2,ssse3 ;; esac
    case $1 in *-v[34]) features=$features,avx,avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,xsave ;; esac
    case $1 in *-v4) features=$features,avx512f,avx512bw,avx512cd,avx512dq,avx512vl ;; esac
    echo "$features"
}

# level_state LEVEL: components of XCR0 that hold its registers
level_state() {
    case $1 in *-v4) echo 0xe7 ;; *-v3) echo 7 ;; *) echo 3 ;; esac
}

# level_bytes LEVEL: of its vector registers
level_bytes() {
    case $1 in *-v4) echo 16 32 64 ;; *-v3) echo 16 32 ;; *) echo 16 ;; esac
}

level_lacks() {
    "$QUERN" run -q --cpu="$1" --instr-at-start=no --out-file="$SCRATCH/level.profile" -- true 2>&1 | sed -n 's/.*\(this processor has no .*\)/\1/p'
}

# level_shown LEVEL: a command that is quern, with --cpu=LEVEL for each run
level_shown() {
    printf '#!/bin/sh\n[ "$1" != run ] || { shift && set -- run --cpu=%s "$@"; }\nexec "%s" "$@"\n' "$1" "$QUERN" >"$SCRATCH/quern-$1"
    chmod +x "$SCRATCH/quern-$1"
    echo "$SCRATCH/quern-$1"
}
