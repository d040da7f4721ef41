#!/bin/sh
# sim-slots.sh - write the header that says which C file stands in each simulator slot.
#
#   sim-slots.sh SRCDIR OUTPUT I1=default D1=srrip LL=default BC=default BI=/home/me/lab5/mine.c
#
# A value is a file (it has a slash or ends in .c) or the name of a module that ships: NAME.c in a
# folder of lib/sim/.  "default" is cachesim_SLOT.c or branchsim_SLOT.c; of AN it is nothing.  OUTPUT gets, for each slot,
#
#   #define QN_SIM_D1_FILE "lib/sim/policy/srrip.c"     what lib/sim/engine.c includes
#   #define QN_SIM_D1_NAME "srrip:50b34235a5a88360"     what the profile says: name and hash
#   #define QN_SIM_D1_UNIT 1                            not the default: compiled as a unit of its own (lib/sim/unit_D1.c)
#
# and keeps its old time stamp if nothing changed, so that nothing is compiled in vain.
set -u
LC_ALL=C
export LC_ALL
srcdir=$1
output=$2
shift 2

fail() {
    echo "sim-slots.sh: $*" >&2
    exit 1
}

# file_of SLOT VALUE: print the file to include, relative to SRCDIR if it ships.
file_of() {
    case $2 in
    default)
        [ "$1" = AN ] && return
        for file in "lib/sim/cachesim_$1.c" "lib/sim/branchsim_$1.c"; do
            [ -f "$srcdir/$file" ] && echo "$file" && return
        done
        fail "slot $1: no default module under lib/sim"
        ;;
    */* | *.c)
        file=$2
        case $file in
        '~/'*) file=$HOME/${file#'~/'} ;;
        /*) ;;
        *) file=$PWD/$file ;;
        esac
        [ -f "$file" ] || fail "slot $1: no such file: $2"
        echo "$file"
        ;;
    *)
        for file in "$srcdir"/lib/sim/*/"$2".c; do
            [ -f "$file" ] && echo "${file#"$srcdir"/}" && return
        done
        fail "slot $1: no module named '$2' in lib/sim/*/"
        ;;
    esac
}

# hash_of FILE: FNV-1a of its bytes, 64 bits, as `quern sim build` has it (tools/sim_build.c).  awk's numbers are exact up to
# 2^53, so the hash is two halves, and the prime 2^40 + 435 is multiplied piece by piece.
hash_of() {
    od -An -v -tu1 "$1" | awk '
        function xor8(a, b,    i, r) {
            for (i = 1; i < 256; i *= 2) {
                if (a % 2 != b % 2)
                    r += i
                a = int(a / 2)
                b = int(b / 2)
            }
            return r + 0
        }
        BEGIN {
            word = 4294967296
            high = 3421674724 # cbf29ce4
            low = 2216829733  # 84222325
        }
        {
            for (i = 1; i <= NF; i++) {
                low += xor8(low % 256, $i) - low % 256
                product = low * 435
                high = (high * 435 + low * 256 + int(product / word)) % word
                low = product % word
            }
        }
        END { printf "%04x%04x%04x%04x\n", int(high / 65536), high % 65536, int(low / 65536), low % 65536 }'
}

new=$output.new
{
    echo '/* Written by build-aux/sim-slots.sh: the module in each simulator slot. */'
    for pair in "$@"; do
        slot=${pair%%=*}
        file=$(file_of "$slot" "${pair#*=}") || exit 1
        [ -n "$file" ] || continue
        name=${file##*/}
        echo "#define QN_SIM_${slot}_FILE \"$file\""
        case $file in
        lib/sim/cachesim_"$slot".c | lib/sim/branchsim_"$slot".c) continue ;;
        lib/*) hash=$(hash_of "$srcdir/$file") ;;
        *) hash=$(hash_of "$file") ;;
        esac
        echo "#define QN_SIM_${slot}_NAME \"${name%.c}:$hash\""
        echo "#define QN_SIM_${slot}_UNIT 1"
    done
} >"$new" || exit 1
if cmp -s "$new" "$output"; then
    rm -f "$new"
else
    echo "  SLOTS    $*"
    mv "$new" "$output"
fi
