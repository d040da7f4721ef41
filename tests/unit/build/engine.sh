#!/bin/sh
# Is the engine what a translator inside its guest's address space must be: static, in its place, free of vector, x87
# and thread state?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

engine=$top_builddir/quern-engine
[ -x "$engine" ] || bail "no $engine"

is "$(readelf -hW "$engine" | awk '/Type:/ { print $2 }')" EXEC 'not position independent'
is "$(readelf -lW "$engine" | grep -cE 'INTERP|DYNAMIC|TLS')" 0 'no interpreter, no dynamic section, no thread-local storage'
is "$(readelf -lW "$engine" | awk '$1 == "LOAD" { print $3; exit }')" 0x0000000070000000 'loaded at 0x70000000'
is "$(readelf -lW "$engine" | awk '$1 == "GNU_STACK" { print $7 }')" RW 'its stack is not executable'
is "$(readelf -lW "$engine" | awk '$1 == "LOAD" && /RWE/' | wc -l)" 0 'nothing is writable and executable at once'
is "$(readelf -lW "$engine" | awk '
    function hex(text,    value, i) {
        for (i = 3; i <= length(text); i++)
            value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
        return value
    }
    $1 == "LOAD" && hex($3) + hex($6) > 2013265920' | wc -l)" 0 'all of it below the tables, at 0x78000000'
is "$(readelf -sW "$engine" | awk '$7 == "UND" && $8 != ""' | wc -l)" 0 'no undefined symbols'

# The guest's registers are the guest's.  (Saving and restoring them all is what xsave and xrstor are for, and fldenv puts an environment
# back that could not be stored.)  Those that move rows lib/sim/fast/rows.h saves and restores by itself.
objdump -d --no-show-raw-insn "$engine" | awk -F '\t' '
    /^[0-9a-f]+ </ { name = $0 }
    name ~ /<qn_emulate>/ { sub(/^fldenv/, "", $2) }
    name ~ /<log_(L2_)?by_512_[0-9]*>/ { gsub(/%[yz]mm1[6-9]|%k[12]([^0-9]|$)/, "", $2) }
    name ~ /<(log_(L2_)?by_256_[0-9]*|rows_are_clean)>/ && $2 !~ /,%[xyz]mm([89]|[1-3][0-9])$/ { gsub(/%[xyz]mm/, "", $2) } # no other is written
    $2 ~ /%[xyz]?mm[0-9]|%st[,(]|^f(ld|st|add|mul)|%k[0-7]/ { print name " " $2 }' >"$SCRATCH/touched"
is "$(head -n 5 "$SCRATCH/touched")" '' 'no instruction touches vector, mask or x87 registers, but those of rows in log_by_...'
is "$(objdump -d --no-show-raw-insn "$engine" | grep -c '%[fg]s:')" 0 'none goes through fs or gs'

done_testing
