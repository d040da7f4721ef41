#!/bin/sh
# Is what `record` writes what lib/sim/record.h says?  A program of a few instructions; its records, worked out by hand.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'

# Code at 401000, data at 403000.
cat >small.S <<'END'
        .data
cell:   .long   1, 2, 3, 4
        .text
        .globl  _start
_start: mov     $cell, %ebx             # 401000, 5 bytes
        mov     (%rbx), %eax            # 401005, 2: reads 403000
        mov     %eax, 8(%rbx)           # 401007, 3: writes 403008
        incl    (%rbx)                  # 40100a, 2: modifies 403000
        jne     1f                      # 40100c, 2: taken, forward
1:      mov     $2f, %ecx               # 40100e, 5
        jmp     *%rcx                   # 401013, 2: to 401015
2:      mov     $cell+16, %esp          # 401015, 5
        call    3f                      # 40101a, 5: writes 403008
        mov     $60, %eax               # 40101f, 5
        xor     %edi, %edi              # 401024, 2
        syscall                         # 401026, 2
3:      ret                             # 401028, 1: reads 403008
END
$CC -nostdlib -static -no-pie -Wl,-Ttext=0x401000 -Wl,-Tdata=0x403000 -Wl,--build-id=none -o small small.S || bail 'cannot assemble'
"$QUERN" sim build --AN=record -o engine || bail 'cannot build the recorder'
: >raw
ok 'the program is recorded' "$QUERN" run -q --sim=./engine --sim-opt=record-fd=9 --branch-sim=yes --out-file=/dev/null \
    -- ./small 9<>raw

# A record: kind + 8 * bytes, then the distance from the last address of that kind, twice (+1 if negative), in groups of 7 bits,
# low ones first.  1 fetch, 2 read, 3 write, 4 modify, 5 conditional branch, 6 indirect branch, 7 call or (15) return.
# 401000 twice is 802000, in groups 00 40 00 04; 403000: 806000, 00 40 01 04; 403008: 806010, 10 40 01 04;
# 40100c: 802018, 18 40 00 04; 401013: 802026, 26 40 00 04; 40101a: 802034, 34 40 00 04.
wanted='51 4e 54 52 41 43 45 32
29 80 c0 80 04
11 0a 22 80 c0 81 04
19 04 23 90 c0 81 04
11 06 24 80 c0 81 04
11 04 0d 98 c0 80 04
29 04
11 0a 06 a6 c0 80 04 04
29 04
29 0a 43 00 07 b4 c0 80 04 0a
09 1c 42 10 0f 1c 11
29 11
11 0a
11 04 00 00'
is "$(head -c 78 raw | od -An -v -tx1 | tr -d '\n' | sed 's/^ //')" "$(echo "$wanted" | tr '\n' ' ' | sed 's/ $//')" \
    'magic, then fetches, references and branches, in order; then the end'

"$QUERN" sim build --AN=record -o engine || bail 'cannot build the recorder'
"$QUERN" run -q --sim=./engine --out-file=profile -- ./small 2>err
is $? 70 'without a descriptor to write to it is an error'
ok '... that says what to do' grep -q 'module record in slot AN.*quern trace' err
done_testing
