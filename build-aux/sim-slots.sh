#!/bin/sh
# sim-slots.sh - write the header that says which C file stands in each simulator slot.
#
#   sim-slots.sh SRCDIR OUTPUT I1=default D1=srrip LL=default BC=default BI=/home/me/lab5/mine.c
#
# A value is a file (it has a slash or ends in .c) or the name of a module that ships: NAME.c in a
# folder of lib/sim/.  "default" is cachesim_SLOT.c or branchsim_SLOT.c; of AN it is nothing.  OUTPUT gets, for each slot that
# does not hold its default file, or whose default file is not the one that lib/sim/fast was proven for (fast/proven has its hash),
#
#   #define QN_SIM_D1_FILE "lib/sim/policy/srrip.c"     what lib/sim/unit.c includes
#   #define QN_SIM_D1_NAME "srrip:50b34235a5a88360"     what the profile says: name and hash
#   #define QN_SIM_D1_UNIT 1
#
# and keeps its old time stamp if nothing changed, so that nothing is compiled in vain.
#
#   sim-slots.sh --units SRCDIR OUTPUT D1/policy/srrip ...
#
# writes what lib/sim/units.c wants: the units of the modules that ship, with their hashes, and which default files are proven.
#
#   sim-slots.sh --prove SRCDIR
#
# writes fast/proven anew.  To be done when a default file and its fast one have been changed together, and
# tests/unit/sim/check.sh, which compares them, has passed.
set -u
LC_ALL=C
export LC_ALL

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

# hash_of FILE: FNV-1a of its bytes, 64 bits, as `quern sim build` has it (lib/engines/build.c).  awk's numbers are exact up to
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

# default_of SLOT: its default file, below SRCDIR.
default_of() {
    case $1 in B?) echo "lib/sim/branchsim_$1.c" ;; *) echo "lib/sim/cachesim_$1.c" ;; esac
}

# proven_hash SLOT: of the file that the fast one was proven for.
proven_hash() { sed -n "s/^$1 //p" "$srcdir/lib/sim/fast/proven" 2>/dev/null; }

is_proven() { [ "$(hash_of "$srcdir/$(default_of "$1")")" = "$(proven_hash "$1")" ]; }

# keep_or_replace OUTPUT WORDS: OUTPUT.new takes its place if it is another.
keep_or_replace() {
    if cmp -s "$1.new" "$1"; then
        rm -f "$1.new"
    else
        echo "  SLOTS    $2"
        mv "$1.new" "$1"
    fi
}

write_slots() {
    echo '/* Written by build-aux/sim-slots.sh: the modules in simulator slots that do not hold their default. */'
    for pair in "$@"; do
        slot=${pair%%=*}
        file=$(file_of "$slot" "${pair#*=}") || return 1
        [ -n "$file" ] || continue
        name=${file##*/}
        case $file in
        lib/sim/cachesim_"$slot".c | lib/sim/branchsim_"$slot".c) is_proven "$slot" && continue ;;
        esac
        case $file in
        lib/*) hash=$(hash_of "$srcdir/$file") ;;
        *) hash=$(hash_of "$file") ;;
        esac
        echo "#define QN_SIM_${slot}_FILE \"$file\""
        echo "#define QN_SIM_${slot}_NAME \"${name%.c}:$hash\""
        echo "#define QN_SIM_${slot}_UNIT 1"
    done
}

# units AN|others WORD...: X(D1, srrip) for each of them.
units() {
    kind=$1
    shift
    for word in "$@"; do
        case $kind:$word in
        AN:AN/* | others:[!A]*) printf ' X(%s, %s)' "${word%%/*}" "${word##*/}" ;;
        esac
    done
    echo
}

write_units() {
    echo '/* Written by build-aux/sim-slots.sh: the modules that ship, as units. */'
    echo "#define QN_UNITS(X)$(units others "$@")"
    echo "#define QN_UNITS_OF_ANALYSIS(X)$(units AN "$@")"
    printf '#define QN_UNITS_TEXT'
    for word in "$@"; do
        rest=${word#*/}
        echo "${word%%/*} ${word##*/} $rest"
    done | sort -k 3 | while read -r slot name rest; do
        [ "$rest" = "${before-}" ] || hash=$(hash_of "$srcdir/lib/sim/$rest.c")
        before=$rest
        printf ' \\\n    "%s=%s:%s\\n"' "$slot" "$name" "$hash"
    done
    printf '\n#define QN_PROVEN_TEXT "'
    bits=0 bit=1
    for slot in I1 D1 LL BC BI; do
        if is_proven $slot; then
            bits=$((bits + bit))
            printf '%s=%s ' $slot "$(proven_hash $slot)"
        fi
        bit=$((2 * bit))
    done
    printf '"\n#define QN_PROVEN_SLOTS %su\n' $bits
}

case $1 in
--prove)
    srcdir=$2
    for slot in I1 D1 LL BC BI; do
        echo "$slot $(hash_of "$srcdir/$(default_of $slot)")"
    done >"$srcdir/lib/sim/fast/proven"
    ;;
--units)
    srcdir=$2
    output=$3
    shift 3
    write_units "$@" >"$output.new" && keep_or_replace "$output" "$# units"
    ;;
*)
    srcdir=$1
    output=$2
    shift 2
    write_slots "$@" >"$output.new" || exit 1
    keep_or_replace "$output" "$*"
    ;;
esac
