#!/bin/sh
# Does a program that dies by its own fault end as it does natively, with every instruction up to the fault counted?
#
#   sh tests/robust/fault.sh
#
# The program executes 13 instructions, among them a branch (five times) and a load; then the fault.  The
# instruction that faults is not executed: it counts for nothing, not even a miss.  (int3 is executed, the trap
# comes after it; so is a jump to nowhere, it is the fetch behind it that faults.)
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
ulimit -c 0

# assemble FAULT: ./fault
assemble() {
    cat >fault.S <<END
        .globl  _start
        .type   _start, @function
_start: mov     \$5, %ecx
1:      dec     %ecx
        jnz     1b
        nop
        cmpq    \$1, (%rsp)
        $1
        mov     %rax, (%rsp)
        jmp     _start
        .size   _start, . - _start
END
    $CC -nostdlib -static -g -o fault fault.S || bail "cannot assemble: $1"
}

# dies IR OPTIONS...: same status, no word, exact counts
dies() {
    Ir=$1
    shift
    sh -c 'exec ./fault' >native 2>&1
    native=$?
    rm -f profile
    "$QUERN" run -q --branch-sim=yes --out-file=profile "$@" -- ./fault >output 2>&1
    status=$?
    [ $status = $native ] || { echo "status $status, natively $native"; cat output; return 1; }
    awk -f "$top_srcdir/tests/corpus/totals.awk" profile || return 1
    # Ir, Dr, Dw, Bc
    counted=$(awk '/^events:/ { for (i = 2; i <= NF; i++) column[$i] = i }
        /^summary:/ { print $column["Ir"], $column["Dr"], $column["Dw"], $column["Bc"] }' profile)
    [ "$counted" = "$Ir 1 0 5" ] || { echo "Ir Dr Dw Bc are $counted, wanted $Ir 1 0 5"; return 1; }
}

# fault IR FAULT: in four modes
fault() {
    assemble "$2"
    ok "$2: dies as natively, exact counts" dies "$1"
    ok "$2: the same in mode cachegrind" dies "$1" --counting=cachegrind
    ok "$2: the same with blocks of one instruction" dies "$1" --block-max=1
    ok "$2: the same without the filter" dies "$1" --filter=no
}

fault 13 'movl $1, 0'
fault 13 'mov 8, %rax'
fault 13 'movups %xmm0, 0'
fault 13 'addl $1, 0x1000'
fault 13 'push 0x1000'
fault 13 'ud2'
fault 13 'hlt'
fault 14 'int3'
fault 14 'xor %eax, %eax; div %eax'
fault 15 'xor %eax, %eax; jmp *%rax'
fault 14 'mov $0x1234, %eax; call *0(%rax)'
done_testing
