#!/bin/sh
# Does a trace have what the program did, and are its definitions of blocks what lib/trace/format.h says?  A program of a few instructions, worked out
# by hand.
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
"$QUERN" trace --compress=none -o trace -- ./small || bail 'cannot record'

# Behind the magic and a head of 48 bytes, whose bytes 8 to 11 say how many there are, blocks: the distance from the last one's address, twice (- 1 if
# negative), in groups of 7 bits, low ones first; the number of items; these, kind + 16 * bytes.  0 read, 1 write, 2 modify, 3 fetch, 4 conditional branch,
# 5 indirect branch, 6 call, 7 return.  401000 twice is 802000, in groups 00 40 00 04.
wanted='80 c0 80 04 09 53 23 40 33 41 23 42 23 04
1c 03 53 23 05
0e 04 53 53 81 06
26 03 13 80 07
11 03 53 23 23'
bytes=$(od -An -tu4 -j 16 -N 4 trace | tr -d ' ')
is "$(od -An -v -tx1 -j 56 -N "$bytes" trace | tr -d '\n' | sed 's/^ //')" "$(echo "$wanted" | tr '\n' ' ' | sed 's/ $//')" 'definitions of the blocks, in the order in which they run'
cat >wanted <<'END'
i 0x401000 0x401000 5
i 0x401005 0x401005 2
r 0x401005 0x403000 4
i 0x401007 0x401007 3
w 0x401007 0x403008 4
i 0x40100a 0x40100a 2
m 0x40100a 0x403000 4
i 0x40100c 0x40100c 2
b 0x40100c forward taken
i 0x40100e 0x40100e 5
i 0x401013 0x401013 2
j 0x401013 0x401015 taken
i 0x401015 0x401015 5
i 0x40101a 0x40101a 5
w 0x40101a 0x403008 8
c 0x40101a 0x40101f taken
i 0x401028 0x401028 1
r 0x401028 0x403008 8
t 0x401028 0x40101f taken
i 0x40101f 0x40101f 5
i 0x401024 0x401024 2
i 0x401026 0x401026 2
END
"$QUERN" replay --outcomes=text --format=text trace >out
grep -v '^#' text | cut -d' ' -f1-4 >got
same_file got wanted 'fetches, references and branches, in order'

"$QUERN" run -q --analysis=record --out-file=profile -- ./small 2>err
is $? 70 'without a ring to write to it is an error'
ok '... that says what to do' grep -q 'module record in slot AN.*quern trace' err
done_testing
