#!/bin/sh
# quern run --data: what happens where there is no room for another pair of objects, another evicted line, or another line whose bytes are used?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'

# Objects that all lie in one set of a D1 of one way: any two of them evict each other, which makes two pairs.
make_guest() {
    awk -v n="$1" 'BEGIN {
        print ".globl _start\n_start: mov $objects, %rsi\nxor %ecx, %ecx"
        print "1: cmp $" n * 1024 ", %rcx\nje 3f\nxor %edx, %edx"
        print "2: cmp %rcx, %rdx\nje 4f\nmovb (%rsi,%rcx), %al\nmovb (%rsi,%rdx), %al\nmovb (%rsi,%rcx), %al\nmovb (%rsi,%rdx), %al"
        print "add $1024, %rdx\njmp 2b\n4: add $1024, %rcx\njmp 1b\n3: mov $231, %eax\nxor %edi, %edi\nsyscall\n.bss\n.balign 1024\nobjects:"
        for (i = 0; i < n; i++)
            print "o" i ": .zero 64\n.type o" i ", @object\n.size o" i ", 64\n.balign 1024"
    }' >guest.s
    "$CC" -nostdlib -static -no-pie -o guest guest.s 2>log || bail "cc: $(cat log)"
}
# pairs: their number in a run
pairs() {
    "$QUERN" run -q --D1=1024,1,64 --data=yes --analysis=3c --out-file=profile ./guest 2>err || bail "quern: $(cat err)"
    grep -c '^#pair: ' profile
}
room=$((4194304 / 24)) # bytes of the table, of a row

make_guest 40
make_guest 418
is "$(pairs) $(cat err)" "$((418 * 417)) " 'all pairs of 418 objects'
make_guest 419
is "$(pairs)" $room 'of 419 objects, as many as there is room for'
is "$(sed 's/^==*[0-9]*==* *//; s/^--[0-9]*-- //; s/^quern: run: //' err)" \
    "--data: no room for more than $room pairs of objects of which one evicts the other's lines; misses of further pairs are in none" 'a line says so'

# Reads one line more than there is room for and than the D1 has, all of pages that were never written, which take no memory; then the first 20
# lines and the one that found no room.
room=8388608
cat >guest.s <<END_OF_S
.globl _start
_start: mov \$lines, %rsi
    mov \$($room + 17), %ecx
1:  movb (%rsi), %al
    add \$64, %rsi
    dec %ecx
    jnz 1b
    mov \$lines, %rsi
    mov \$20, %ecx
2:  movb (%rsi), %al
    add \$64, %rsi
    dec %ecx
    jnz 2b
    movb lines + $room * 64, %al
    mov \$231, %eax
    xor %edi, %edi
    syscall
.bss
.balign 64
lines: .zero ($room + 17) * 64
.type lines, @object
.size lines, ($room + 17) * 64
END_OF_S
"$CC" -nostdlib -static -no-pie -o guest guest.s 2>log || bail "cc: $(cat log)"
is "$(pairs) $(awk '/^#pair: / { print $4 }' profile)" '1 20' 'more evicted lines than there is room for: the misses on those that are known are in a pair'
is "$(sed 's/^--[0-9]*-- //' err)" \
    "--data: no room for more than $room evicted lines; misses on further lines are in no pair of objects (17 evictions)" '... and a line says so'

# Reads a byte of each of 2400 objects, each in a line of its own.  A line of 4096 bytes takes 8 bytes for each of them, and 32.
# Then it reads the last 20 of them in a function.
awk 'BEGIN {
    print ".globl _start\n_start: mov $objects, %rsi\nmov $2400, %ecx\n1: movb (%rsi), %al\nadd $4096, %rsi\ndec %ecx\njnz 1b\ncall again"
    print "mov $231, %eax\nxor %edi, %edi\nsyscall"
    print ".type again, @function\nagain: mov $objects + 2380 * 4096, %rsi\nmov $20, %ecx\n1: movb (%rsi), %al\nadd $4096, %rsi\ndec %ecx\njnz 1b\nret\n.size again, .-again"
    print ".bss\n.balign 4096\nobjects:"
    for (i = 0; i < 2400; i++)
        print "o" i ": .zero 64\n.type o" i ", @object\n.size o" i ", 64\n.balign 4096"
}' >guest.s
"$CC" -nostdlib -static -no-pie -o guest guest.s 2>log || bail "cc: $(cat log)"
"$QUERN" run -q --D1=8192,1,4096 --data=use --out-file=profile ./guest 2>err || bail "quern: $(cat err)"
room=$((75497472 / (8 * 4096 + 32)))
is "$(sed 's/^--[0-9]*-- //' err)" \
    "--data=use: no room for more than $room different lines of objects; of further ones it is not known which bytes were used ($((2400 - room + 20)) times)" \
    'more lines than there is room for, whose used bytes are counted: a line says so'
"$QUERN" run --D1=8192,1,4096 --data=use --dump-before=again --out-file=profile ./guest 2>err || bail "quern: $(cat err)"
is "$(sed -n 's/^.*bytes were used (\([0-9]* times\))$/\1/p' err)" '20 times' '... a part of the run has its own'
done_testing
