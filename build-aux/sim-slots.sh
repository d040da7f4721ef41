#!/bin/sh
# sim-slots.sh - write the header that says which C file stands in each simulator slot.
#
#   sim-slots.sh SRCDIR OUTPUT I1=default D1=srrip LL=default BC=default BI=/home/me/lab5/mine.c
#
# A value is a file (it has a slash or ends in .c) or the name of a module that ships: NAME.c in a
# folder of lib/sim/.  "default" is cachesim_SLOT.c or branchsim_SLOT.c.  OUTPUT gets, for each slot,
#
#   #define QN_SIM_D1_FILE "lib/sim/policy/srrip.c"     what lib/sim/engine.c includes
#   #define QN_SIM_D1_NAME "srrip"                      what the profile says
#   #define QN_SIM_D1_UNIT 1                            not the default: compiled as a unit of its own (lib/sim/unit_D1.c)
#
# and keeps its old time stamp if nothing changed, so that nothing is compiled in vain.
set -u
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

new=$output.new
{
    echo '/* Written by build-aux/sim-slots.sh: the module in each simulator slot. */'
    for pair in "$@"; do
        slot=${pair%%=*}
        file=$(file_of "$slot" "${pair#*=}") || exit 1
        name=${file##*/}
        echo "#define QN_SIM_${slot}_FILE \"$file\""
        echo "#define QN_SIM_${slot}_NAME \"${name%.c}\""
        case $file in
        lib/sim/cachesim_"$slot".c | lib/sim/branchsim_"$slot".c) ;;
        *) echo "#define QN_SIM_${slot}_UNIT 1" ;;
        esac
    done
} >"$new" || exit 1
if cmp -s "$new" "$output"; then
    rm -f "$new"
else
    echo "  SLOTS    $*"
    mv "$new" "$output"
fi
