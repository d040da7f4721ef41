#!/bin/sh
# maps.sh - can the opcode tables be read beside the manuals?  Opcodes go up, every form is a line, and nothing that the
# columns may name (operands, effects, features) is there without a form that names it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

decode=$top_srcdir/lib/decode

# opcodes_go_up FILE: hexadecimal numbers of equal length compare as text
opcodes_go_up() {
    awk -F'[(,]' '/^OP\(/ { if (seen && $2 "" <= last "") { print FILENAME ":" FNR ": " $2 " after " last; bad = 1 }
                            last = $2; seen++ }
                  END { exit bad || !seen }' "$1"
}

# one_line_each FILE: nothing but forms and comments
one_line_each() {
    awk '/^(OP|ALT)\(.*\)$/ { next }  /^\/\*/ { comment = 1 }
         !comment { print FILENAME ":" FNR ": " $0; bad = 1 }  /\*\/$/ { comment = 0 }
         END { exit bad }' "$1"
}

# all_named: NAME PATTERN lines on stdin, each pattern to be found in some map
all_named() {
    rm -f "$SCRATCH/unnamed"
    cat "$decode"/maps/map_*.inc >"$SCRATCH/maps"
    while read -r name pattern; do
        grep -q -e "$pattern" "$SCRATCH/maps" || { echo "no form names $name"; touch "$SCRATCH/unnamed"; }
    done
    [ ! -e "$SCRATCH/unnamed" ]
}

operands() {
    sed -n 's/^\(PLAIN\|MODRM\)_OPERAND(\([A-Za-z0-9_]*\),.*/\2 [(]\2)/p' "$decode/operands.inc" | all_named
}

effects() {
    {
        sed -n 's/^IMPLICIT(\([A-Z0-9_]*\),.*/\1 IMP(\1)/p' "$decode/effects.inc" | grep -v '^NONE '
        sed -n 's/^FLAGS(\([A-Z0-9]*\),.*/\1 , *\1,/p' "$decode/effects.inc"
    } | sed 's/IMP(DXAX)/IMP(DXAX)\\|XSTATE/' | all_named
}

# avx512vl comes with the vector length, the others of two words are in features.c
features() {
    sed -n 's/^FEATURE(\([A-Z0-9_]*\),.*/\1 , *\1,/p' "$decode/features.inc" | grep -v '^AVX512VL ' | all_named
}

for file in "$decode"/maps/map_*.inc; do
    ok "$(basename "$file"): opcodes go up" opcodes_go_up "$file"
    ok "$(basename "$file"): a line for each form" one_line_each "$file"
done
ok 'each operand is named' operands
ok 'each effect is named' effects
ok 'each feature is named' features
done_testing
