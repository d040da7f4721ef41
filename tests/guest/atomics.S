/* atomics.S - lock, xchg, xadd, cmpxchg in all sizes: succeeding, failing, aligned.  (A locked operation that straddles lines
 * may be forbidden by the kernel, so there is none.) */
#include "guest.h"

#define CPUID_1_ECX_CX16 0x2000

        .bss
        .balign 64
cells:  .skip   256

        .text
GUEST_START
        NEED_CPUID(1, ecx, CPUID_1_ECX_CX16)
        mov     $300, %r12d
1:      lock incb cells(%rip)
        lock incw cells+2(%rip)
        lock incl cells+4(%rip)
        lock incq cells+8(%rip)
        lock decq cells+16(%rip)
        lock addl $3, cells+24(%rip)
        lock addq %r12, cells+32(%rip)
        lock subq $1, cells+40(%rip)
        lock orb $1, cells+48(%rip)
        lock andl $0xff, cells+52(%rip)
        lock xorq %r12, cells+56(%rip)
        lock notl cells+64(%rip)
        lock negq cells+72(%rip)
        mov     $1, %eax
        lock xadd %eax, cells+80(%rip)
        mov     $2, %edx
        lock xadd %rdx, cells+88(%rip)
        xadd    %rdx, cells+96(%rip)    /* without lock */
        mov     %r12, %rax
        xchg    %rax, cells+104(%rip)
        xchg    %al, cells+112(%rip)
        xchg    %r12w, cells+114(%rip)
        xchg    %r12w, cells+114(%rip)
/* cmpxchg: succeeds, then fails. */
        mov     cells+120(%rip), %rax
        lea     1(%rax), %rdx
        lock cmpxchg %rdx, cells+120(%rip)
        jnz     bad
        lock cmpxchg %rdx, cells+120(%rip)
        jz      bad
        cmpxchg %edx, cells+128(%rip)
        mov     cells+132(%rip), %al
        cmpxchg %dl, cells+132(%rip)
/* cmpxchg8b and cmpxchg16b. */
        mov     cells+136(%rip), %eax
        mov     cells+140(%rip), %edx
        mov     %r12d, %ebx
        mov     $7, %ecx
        lock cmpxchg8b cells+136(%rip)
        jnz     bad
        mov     cells+144(%rip), %rax
        mov     cells+152(%rip), %rdx
        lock cmpxchg16b cells+144(%rip)
        jnz     bad
        lock cmpxchg16b cells+160(%rip)
        mfence
        lfence
        sfence
        dec     %r12d
        jnz     1b
        movzbl  cells(%rip), %eax
        EXPECT($(300 % 256), %eax)
        mov     cells+32(%rip), %rax
        EXPECT($(300 * 301 / 2), %rax)
        mov     cells+120(%rip), %rax
        EXPECT($300, %rax)
        GUEST_PASS
bad:    mov     $__LINE__, %edi
        jmp     guest_exit
