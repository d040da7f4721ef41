#!/bin/sh
# dis.sh - do the options of `quern dis` choose mode, syntax and vendor, is the vendor that of this processor where none is
# told, and what is said of bytes and files that are no good?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

# text OPTION... HEX: the instructions, one after the other, without addresses, bytes and padding
text() {
    "$QUERN" dis "$@" | cut -f 3 | sed 's/  */ /' | paste -s -d ';' | sed 's/;/; /g'
}

# differ HEX INTEL AMD WHAT: a row of doc/decoder.md's table, two points
differ() {
    is "$(text --cpu=intel --hex "$1")" "$2" "$4: Intel"
    is "$(text --cpu=amd --hex "$1")" "$3" "$4: AMD"
}

# fails STATUS MESSAGE ARGUMENT...: one line on stderr, nothing on stdout
fails() {
    status=$1 message=$2
    shift 2
    "$QUERN" dis "$@" >"$SCRATCH/out" 2>"$SCRATCH/err"
    is "$?: $(cat "$SCRATCH/err")$(cat "$SCRATCH/out")" "$status: $message" "dis $*"
}

differ '66 e9 10 00 00 00' 'data16 jmp 16' 'jmpw 14; add %al,(%rax)' '66h before a near branch'
differ 'f0 0f 20 c0' 'lock mov %cr0,%rax' 'mov %cr8,%rax' 'lock mov cr0'
differ '48 ff 28' 'ljmpq *(%rax)' 'rex.W ljmp *(%rax)' 'far pointer in memory'
differ '0f ff d8' 'ud0 %eax,%ebx' 'ud0; .byte 0xd8' 'ud0'
differ '0f 0d d8' 'nop %eax' '(bad); .byte 0xd8' '0F 0D with a register'
differ 'c4 e3 7d 00 c1 1b' '(bad); .byte 0xc1; .byte 0x1b' 'vpermq $0x1b,%ymm1,%ymm0' 'vpermq with VEX.W = 0'
differ '0f 34' 'sysenter' '(bad)' 'sysenter in 64-bit mode'
is "$(text --cpu=intel --mode=32 --hex '0f 05')" '(bad)' 'syscall outside 64-bit mode: Intel'
is "$(text --cpu=amd --mode=32 --hex '0f 05')" 'syscall' 'syscall outside 64-bit mode: AMD'

host=intel
! grep -Eq 'AuthenticAMD|HygonGenuine' /proc/cpuinfo || host=amd
for option in '' --cpu=host; do
    # shellcheck disable=SC2086 # nothing, or one word
    is "$(text $option --hex 0fffd8)" "$(text --cpu=$host --hex 0fffd8)" "the processor at hand is $host: $option"
done

is "$(text --mode=32 --hex 40 62 04 0a)" 'inc %eax; bound %eax,(%edx,%ecx,1)' '32-bit mode'
is "$(text --syntax=intel --mode=32 --hex 678b4208)" 'mov eax,DWORD PTR [bp+si+0x8]' '16-bit addresses, Intel syntax'
is "$(text --hex '48 8b')" 'rex.W; .byte 0x8b' 'truncated: bytes'
is "$(text --hex '66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90')" '(bad); nop' 'too long: the prefixes are bad'
is "$(text --hex '06 90')" '(bad); nop' 'invalid: the opcode is bad'

fails 2 'quern dis: 0g: not pairs of hexadecimal digits; `quern dis --help` describes it' --hex 0g
fails 2 "quern dis: --cpu: got 'via', wanted host, intel or amd" --cpu=via --hex 90
fails 2 'quern dis: --hex: no value given, wanted BYTES...' --hex
is "$(text --hex=66 90 --mode=64)" 'xchg %ax,%ax' 'options in any order'
echo text >"$SCRATCH/text"
fails 1 "quern: dis: $SCRATCH/text: not an ELF file" "$SCRATCH/text"
done_testing
