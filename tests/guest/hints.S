/* hints.S - instructions that name memory and do not count as references, or that touch no memory at all: lea, nop,
 * prefetch, clflush, fences, cpuid, rdtsc, pause, string flags; and BMI arithmetic. */
#include "guest.h"

#define CPUID_7_EBX_BMI 0x108 /* BMI1, BMI2 */

        .bss
        .balign 64
cells:  .skip   256

        .text
GUEST_START
        NEED_CPUID(7, ebx, CPUID_7_EBX_BMI)
        mov     $100, %r12d
1:      lea     cells+61(%rip), %rsi
        nop
        nopl    (%rsi)
        nopw    %cs:0(%rsi,%rsi,1)
        pause
        prefetcht0 (%rsi)
        prefetcht1 64(%rsi)
        prefetcht2 128(%rsi)
        prefetchnta (%rsi)
        prefetchw (%rsi)
        clflush (%rsi)
        lfence
        mfence
        sfence
        xor     %eax, %eax
        cpuid
        rdtsc
        cld
        std
        cld
        clc
        stc
        cmc
        cltq
        cqto
        lahf
        sahf
        lea     cells+61(%rip), %rsi
        mov     $0xff00ff, %ecx
        mov     $4, %edx
        andn    (%rsi), %rcx, %rax
        blsr    (%rsi), %rax
        blsi    %ecx, %eax
        bextr   %rdx, (%rsi), %rax
        bzhi    %rdx, (%rsi), %rax
        shlx    %rdx, (%rsi), %rax
        sarx    %edx, (%rsi), %eax
        rorx    $7, (%rsi), %rax
        mulx    (%rsi), %rax, %rbx
        pext    (%rsi), %rcx, %rax
        pdep    (%rsi), %rcx, %rax
        tzcnt   (%rsi), %rax
        lzcnt   (%rsi), %eax
        dec     %r12d
        jnz     1b
        EXPECT($32, %eax)
        GUEST_PASS
