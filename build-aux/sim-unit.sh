#!/bin/sh
# sim-unit.sh - the compiler's words for one unit: lib/sim/unit.c with a module in a slot.
#
#   sim-unit.sh SRCDIR UNITS_H D1-policy-srrip          a module that ships, as slot D1
#   sim-unit.sh SRCDIR UNITS_H D1-policy-srrip-shadow     once more, as the shadow model's
#   sim-unit.sh SRCDIR UNITS_H D1-given[-shadow]          what sim_slots.h has in slot D1
#
# UNITS_H is what sim-slots.sh --units has written: the file's hash is taken from there.
set -u
words=$3
shadow=
case $words in *-shadow) shadow=-DQN_SIM_SHADOW=1 words=${words%-shadow} ;; esac
slot=${words%%-*}
path=${words#*-}
name=${path##*-}
path=$(echo "$path" | tr - /)
if [ "$name" = given ]; then
    module='-include sim_slots.h'
else
    unit=$(sed -n "s/^ *\"$slot=\($name:[0-9a-f]*\)\\\\n\".*/\1/p" "$2")
    [ -n "$unit" ] || { echo "sim-unit.sh: $slot=$name is not in $2" >&2; exit 1; }
    module="-DQN_SLOT_FILE='\"sim/$path.c\"' -DQN_SLOT_LABEL='\"$unit\"' -DQN_UNIT_SYMBOL=$name"
fi
echo "-DQN_SLOT=$slot $shadow $module -c $1/lib/sim/unit.c"
