#!/bin/sh
# decoder.sh - the decoder's long comparisons; what was run last, and with what result, stands in doc/decoder.md.
#
#   sh tests/long/decoder.sh BUILD hardware [STRINGS]   lengths against the processor, 64-bit mode: all systematic strings
#                                                       (input.h) and STRINGS random ones (default 30 million)
#   sh tests/long/decoder.sh BUILD hardware32 [STRINGS] the same in a 32-bit code segment
#   sh tests/long/decoder.sh BUILD zydis [STRINGS]      facts against Zydis, both modes and vendors (default 20 million
#                                                       random strings for each, besides the systematic ones)
#   sh tests/long/decoder.sh BUILD objdump [STRINGS]    text against libopcodes: both modes, syntaxes and vendors
#   sh tests/long/decoder.sh BUILD elf FILE...          text and facts of the code of ELF files (without a FILE: all in
#                                                       /usr/bin and /usr/lib)
#   sh tests/long/decoder.sh BUILD vectors [COUNT]      execution vectors (default a million)
#   sh tests/long/decoder.sh BUILD fuzz [SECONDS]       the fuzzer (default an hour)
#
# Each says how long it took.  Hours on one core; `make check-decoder-long` runs them all.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=$(cd "$1" && pwd) || exit 2
what=$2
shift 2
tests=$build/tests/unit/decode

programs() {
    make -s -C "$build" "$@" || exit 2
}

elf_files() {
    if [ $# -gt 0 ]; then
        printf '%s\n' "$@"
    else
        find /usr/bin /usr/lib /usr/libexec -type f 2>/dev/null
    fi
}

# one_by_one PROGRAM OPTIONS: over the files on stdin; adds up the "the same" lines and shows what failed.
one_by_one() {
    program=$1
    shift
    tr '\n' '\0' | { xargs -0 -n 200 "$program" "$@" -n 1 -t 1 || echo "not ok - xargs: status $?"; } | awk -v what="$*" '
        /^not ok/ { print; failed = 1 }
        /^# +[0-9a-f][0-9a-f] / || /^#   (ours|theirs|quern|zydis)/ || /DIFF/ { print }
        / the same, / { sub(/^# ([^:]*: )?/, ""); same += $1; explained += $4; different += $6 }
        END { printf "# %s: %d the same, %d explained, %d different\n", what, same, explained, different; exit failed }'
}

started=$(date +%s)
status=0
case $what in
hardware | hardware32)
    programs tests/unit/decode/decode_hardware
    mode=64
    [ "$what" = hardware ] || mode=32
    "$tests/decode_hardware" -m $mode -t 0 -n "${1:-30000000}" || status=1
    ;;
zydis)
    programs tests/unit/decode/decode_zydis
    "$tests/decode_zydis" -t 0 -n "${1:-20000000}" || status=1
    ;;
objdump)
    programs tests/unit/decode/decode_opcodes
    "$tests/decode_opcodes" -t 0 -n "${1:-3000000}" || status=1
    ;;
elf)
    programs tests/unit/decode/decode_opcodes tests/unit/decode/decode_zydis
    for syntax in att intel; do
        elf_files "$@" | one_by_one "$tests/decode_opcodes" -m 64 -c amd -x $syntax || status=1
        elf_files "$@" | one_by_one "$tests/decode_opcodes" -m 32 -c amd -x $syntax || status=1
    done
    elf_files "$@" | one_by_one "$tests/decode_zydis" -m 64 -c amd || status=1
    elf_files "$@" | one_by_one "$tests/decode_zydis" -m 32 -c amd || status=1
    ;;
vectors)
    left=${1:-1000000}
    for seed in 1 2 3 4 5 6 7 8 9 10; do
        top_srcdir=$top top_builddir=$build QUERN=$build/quern VECTORS=$((left / 10)) SEED=$seed \
            sh "$top/tests/unit/decode/vectors.sh" || status=1
    done
    ;;
fuzz)
    sh "$top/tests/fuzz/fuzz.sh" "$build" || exit 2
    cd "$build/fuzz" && ./decode -max_len=19 -max_total_time="${1:-3600}" -print_final_stats=1 decode.corpus || status=1
    ;;
*)
    sed -n '2,/^set/p' "$0" | grep '^#' >&2
    exit 2
    ;;
esac
echo "# $what: $(($(date +%s) - started)) seconds, exit status $status"
exit $status
