#!/bin/sh
# When an instruction faults, the misses of references that never happened are taken back, and no others.  Are all counts those of a program
# that is executed step by step (faults/stepped.c), whatever simulates the caches; and Cachegrind's, where Cachegrind counts exactly?
#
# Each shape is a piece of a program that shares the rest with the others (faults/shapes.S).  Most fault at a reference that hits, after
# executions of the same code that missed.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

. "$top_srcdir/tests/unit/run/faults/shapes.inc"

# alike WAYS: a line of options for each
alike() {
    wanted=$(stepped) || { echo "stepped: $wanted"; return 1; }
    wrong=0
    while read -r way; do
        # shellcheck disable=SC2086
        got=$(counts $way)
        [ "$got" = "$wanted" ] || { wrong=1; echo "$way: $got; wanted $wanted"; }
    done <<END
$1
END
    return $wrong
}

# shape NAME ASSEMBLY
shape() {
    build $siginfo "-DSHAPE=$2"
    ok "$1, and the handler wants to know the flags" alike '--filter=yes
--batch=always'
    build $plain "-DSHAPE=$2"
    ok "$1" alike '--filter=yes
--batch=always
--no-filter
--check=yes
--sim=D1=lru --batch=always
--analysis=3c,sets,culprits
--data=yes
--calls=yes --branch-sim=yes'
}

# by_cachegrind NAME ASSEMBLY: nothing else of the block of Cachegrind's in which it faults has been executed
by_cachegrind() {
    shape "$1" "$2"
    if [ -n "${valgrind:-}" ]; then
        # shellcheck disable=SC2086
        valgrind --tool=cachegrind --cache-sim=yes $options --cachegrind-out-file=theirs ./program >out 2>&1
        is "$(counts --counting=cachegrind)" "$(sed -n 's/^summary: //p' theirs | sed 's/ *$//')" "$1: as Cachegrind"
    else
        absent valgrind "$1: as Cachegrind"
    fi
}
valgrind=$(command -v valgrind)

# ---- one reference ----
by_cachegrind 'a store to a page that can only be read' 'lea 0x1f80(%rbx),%rdi; mov $200,%ecx; 1: movb $0,(%rdi); inc %rdi; dec %ecx; jnz 1b'
by_cachegrind 'a load from one that cannot be accessed' 'lea 0x40c0(%rbx),%rdi; mov $255,%ecx; 1: movb (%rdi),%al; dec %rdi; dec %ecx; jnz 1b'
by_cachegrind 'read and write in place' 'lea 0x1f80(%rbx),%rdi; mov $200,%ecx; 1: incb (%rdi); inc %rdi; dec %ecx; jnz 1b'
shape 'locked' 'lea 0x1f80(%rbx),%rdi; xor %eax,%eax; 1: lock addl %eax,(%rdi); add $4,%rdi; jmp 1b'
shape 'over two lines and two pages' 'lea 0x1f82(%rbx),%rdi; 1: mov %eax,(%rdi); add $4,%rdi; jmp 1b'
shape '16 bytes' 'lea 0x1f80(%rbx),%rdi; 1: movups %xmm0,(%rdi); add $16,%rdi; jmp 1b'
shape 'beyond the end of a file' 'lea 0x5f80(%rbx),%rdi; 1: movb (%rdi),%al; inc %rdi; jmp 1b'
# ---- several ----
shape 'the one before misses each time' 'lea 0x1fe0(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%al; mov %al,(%rdi); add $64,%rsi; inc %rdi; jmp 1b'
shape 'the one behind hits and misses' 'lea 0x1fe0(%rbx),%rdi; mov %rbx,%rsi; 1: mov %al,(%rdi); mov (%rsi),%al; lea 16(%rsi),%rsi; inc %rdi; jmp 1b'
shape 'flags live over all' 'lea 0x1f80(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%rax; adc %rax,(%rdi); adc %rax,8(%rdi); adc %rax,16(%rdi); lea 8(%rdi),%rdi; lea 24(%rsi),%rsi; jmp 1b'
shape 'two in an instruction: push from memory' 'lea 0x40c0(%rbx),%rdi; 1: push (%rdi); sub $8,%rdi; jmp 1b'
shape '... movs' 'lea 0x1f80(%rbx),%rdi; mov %rbx,%rsi; 1: movsb; jmp 1b'
shape '... cmps' 'lea 0x5fa0(%rbx),%rdi; mov %rbx,%rsi; 1: cmpsb; jmp 1b'
shape 'repeated strings' 'lea 0x1f00(%rbx),%rdi; mov %rbx,%rsi; 1: mov $24,%ecx; rep movsb; jmp 1b'
shape '... which store' 'lea 0x1f00(%rbx),%rdi; 1: mov $200,%ecx; rep stosb; jmp 1b'
# ---- blocks ----
shape 'a chain of blocks' 'lea 0x1f80(%rbx),%rdi; mov %rbx,%rsi; 1: mov (%rsi),%al; jmp 2f; 2: movb $0,(%rdi); jmp 3f; 3: inc %rdi; jmp 1b'
shape 'a function that is called' 'lea 0x1f80(%rbx),%rdi; 1: call 2f; jmp 1b; 2: movb $0,(%rdi); inc %rdi; ret'
shape 'pushes down into page 3' 'lea 0x4100(%rbx),%rsp; 1: push %rax; jmp 1b'
shape 'calls do' 'lea 0x4100(%rbx),%rsp; 1: call 2f; 2: jmp 1b'
shape 'indirect calls do' 'lea 0x4100(%rbx),%rsp; lea 2f(%rip),%rax; 1: call *%rax; 2: jmp 1b'
shape 'returns off page 5' 'lea 0x5fc0(%rbx),%rsp; mov %rsp,%rdi; lea 2f(%rip),%rax; mov $8,%ecx; cld; rep stosq; 2: ret'
# ---- it goes on ----
shape 'three times, each in its own place' 'lea 0x1f80(%rbx),%rdi; lea 2f(%rip),%r15; 1: movb $0,(%rdi); inc %rdi; jmp 1b; 2: lea 0x1ec0(%rbx),%rdi; lea 3f(%rip),%r15; jmp 1b; 3: lea 0x1e00(%rbx),%rdi; lea done(%rip),%r15; jmp 1b'
shape 'a jump to where no code is' 'lea 0x1000(%rbx),%rdi; 1: mov (%rbx),%al; jmp *%rdi'

# ---- references that only the run tells: as a store that faults in their place ----
# variable NAME ASSEMBLY [FLAG [BEFORE]]: if the processor has FLAG; BEFORE: an instruction before both
variable() {
    if ! grep -qw "${3:-sse2}" /proc/cpuinfo; then
        skip "no $3" 1
        return
    fi
    both=
    for last in 'movb $0,(%rdi)' "$2"; do
        build $plain "-DSHAPE=lea 0x2000(%rbx),%rdi; mov %rbx,%rsi; mov \$7,%eax; xor %edx,%edx; pcmpeqb %xmm0,%xmm0; jmp 1f; 1: ${4:+$4; }$last"
        both="$both$(counts) $(counts --counting=cachegrind) $(counts --calls=yes --batch=always);"
    done
    is "${both#*;}" "${both%;*;};" "$1"
}
variable 'maskmovdqu' 'maskmovdqu %xmm0,%xmm0'
variable 'fxsave' 'fxsave (%rdi)'
variable 'xsave' 'xsave (%rdi)' xsave
variable 'vmaskmovps' 'vmaskmovps %xmm0,%xmm0,(%rdi)' avx
variable 'vpgatherdd' 'vpgatherdd %xmm0,0x1000(%rdi,%xmm1,4),%xmm2' avx2
variable 'vpscatterdd' 'vpscatterdd %zmm2,(%rdi,%zmm3,4){%k1}' avx512f 'kxnorw %k1,%k1,%k1'
done_testing
