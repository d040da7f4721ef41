#!/bin/sh
# tests/unit/decode/dis_objdump.sh - quern dis against objdump -d -w on ELF files of the system.
#
#   QUERN=build/quern dis_objdump.sh [FILE...]
#
# Question for each file: is every line the same (address with the blanks before it, bytes, text), once objdump's "<symbol+off>" parts
# are taken away?  Two ways of printing are put on one footing first (as in libopcodes.h): objdump joins fwait
# with the x87 instruction after it, and pads lines with blanks.  TAP.
# Data among the code does differ (doc/decoder.md); such files do not belong here.

quern=${QUERN:-quern}
if [ $# -eq 0 ]; then
    set -- /usr/bin/bash /usr/bin/python3.11 /lib/x86_64-linux-gnu/libc.so.6 /lib/x86_64-linux-gnu/libm.so.6 \
        /lib64/ld-linux-x86-64.so.2
fi
if ! command -v objdump >/dev/null 2>&1; then
    echo "Bail out! objdump is not installed (binutils)"
    exit 99
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT INT TERM

# Code that ends within an instruction, with and without prefixes.
if printf '.section .s%s, "ax"\n.byte %s\n' 1 0xe8,0x11,0x22 2 0x66,0x48,0xe8 3 0xf3,0x0f 4 0x67,0x65,0xf0,0x2e \
    5 0xc4,0xe2 6 0x48 >"$dir/cut.s" && ${CC:-cc} -c -o "$dir/cut.o" "$dir/cut.s" 2>"$dir/messages"; then
    set -- "$@" "$dir/cut.o"
fi

# Addresses whose column is wider or narrower: sections that end on either side of where objdump adds or drops four digits.
# shellcheck disable=SC2043,SC2086 # words
for at in ffe fff 1000 ffffffe fffffff 10000000 10001000 fffffffe 100000000 ffffffffffe fffffffffff 7ffff0000000; do
    echo '.globl _start; _start: nop; ret' | ${CC:-cc} -c -x assembler - -o "$dir/at.o" 2>"$dir/messages" &&
        ld -z max-page-size=16 -Ttext=0x$at -o "$dir/at-$at" "$dir/at.o" 2>"$dir/messages" && set -- "$@" "$dir/at-$at"
done

# Instruction lines only, without symbols and blanks at the end; fwait joined with what follows.
normalize() {
    awk -F '\t' '
        $0 !~ /^ *[0-9a-f]+:\t/ { next }
        { sub(/ <[^>]*>/, "", $3); sub(/ +$/, "", $3); sub(/ +$/, "", $2) }
        held != "" && $3 ~ /^fn/ { sub(/^fn/, "f", $3); match($3, /^[a-z0-9]+ */)
            word = substr($3, 1, RLENGTH); sub(/ +$/, "", word)
            rest = substr($3, RLENGTH + 1)
            print address "\t" held " " $2 "\t" (rest == "" ? word : sprintf("%-6s %s", word, rest)); held = ""; next }
        held != "" { print address "\t" held "\tfwait"; held = "" }
        $3 == "fwait" { held = $2; address = $1; next }
        { print $1 "\t" $2 "\t" $3 }
        END { if (held != "") print address "\t" held "\tfwait" }'
}

echo "1..$#"
number=0
failed=0
for file; do
    number=$((number + 1))
    if [ ! -r "$file" ]; then
        echo "ok $number - same text: $file # SKIP not installed"
        continue
    fi
    "$quern" dis "$file" | normalize >"$dir/ours"
    objdump -d -w -z "$file" | normalize >"$dir/theirs"
    lines=$(wc -l <"$dir/theirs")
    if [ "$lines" -gt 0 ] && cmp -s "$dir/ours" "$dir/theirs"; then
        echo "ok $number - same text: $file ($lines lines)"
    else
        failed=1
        echo "not ok $number - same text: $file ($lines lines)"
        diff "$dir/ours" "$dir/theirs" | head -20 | sed 's/^/# /'
        echo "# again: QUERN=$quern $0 $file"
    fi
done
exit $failed
