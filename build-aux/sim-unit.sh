#!/bin/sh
# sim-unit.sh - the compiler's words for one unit of a module that ships.
#
#   sim-unit.sh SRCDIR UNITS_H D1-policy-srrip          as slot D1
#   sim-unit.sh SRCDIR UNITS_H D1-policy-srrip-twin     once more, as the twin's
#
# UNITS_H is what sim-slots.sh --units has written: the file's hash is taken from there.
set -u
words=$3
twin=unit
case $words in *-twin) twin=twin words=${words%-twin} ;; esac
slot=${words%%-*}
path=${words#*-}
name=${path##*-}
path=$(echo "$path" | tr - /)
unit=$(sed -n "s/^ *\"$slot=\($name:[0-9a-f]*\)\\\\n\".*/\1/p" "$2")
[ -n "$unit" ] || { echo "sim-unit.sh: $slot=$name is not in $2" >&2; exit 1; }
echo "-DQN_SIM_SLOTS_GIVEN=1 -DQN_SIM_${slot}_UNIT=1 -DQN_SIM_${slot}_FILE='\"sim/$path.c\"'" \
    "-DQN_SIM_${slot}_NAME='\"$unit\"' -DQN_UNIT_SYMBOL=$name -c $1/lib/sim/${twin}_$slot.c"
