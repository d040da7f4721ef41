/* rep.S - repeated string instructions: movs, stos, cmps, scas in all sizes, with counts 0 to 67, forward and backward
 * (DF), ending early or late (repe, repne), aligned and straddling lines. */
#include "guest.h"

#define MAX_COUNT 67

        .bss
        .balign 64
source: .skip   1024
target: .skip   1024

        .text
GUEST_START
        cld
/* A pattern in source: byte n is n. */
        lea     source(%rip), %rdi
        xor     %eax, %eax
1:      stosb
        inc     %eax
        cmp     $1024, %eax
        jne     1b

/* rep movs with each size and each count, at an offset that walks over the lines. */
        xor     %ebx, %ebx              /* the count */
2:      lea     source(%rip), %rsi
        lea     target(%rip), %rdi
        add     %rbx, %rdi
        mov     %ebx, %ecx
        rep movsb
        mov     %ebx, %ecx
        rep movsw
        mov     %ebx, %ecx
        rep movsl
        mov     %ebx, %ecx
        rep movsq
        mov     %rdi, %rax
        lea     target(%rip), %rdx
        sub     %rdx, %rax
        shl     $4, %rbx                /* count * (1 + 1 + 2 + 4 + 8) bytes are behind us */
        EXPECT(%rbx, %rax)
        shr     $4, %rbx
        EXPECT($0, %rcx)
        inc     %ebx
        cmp     $60, %ebx
        jne     2b

/* rep stos, each size. */
        xor     %ebx, %ebx
        mov     $0x1122334455667788, %rax
3:      lea     target+3(%rip), %rdi
        mov     %ebx, %ecx
        rep stosb
        mov     %ebx, %ecx
        rep stosw
        mov     %ebx, %ecx
        rep stosl
        mov     %ebx, %ecx
        rep stosq
        inc     %ebx
        cmp     $MAX_COUNT, %ebx
        jne     3b
        mov     -8(%rdi), %rdx
        EXPECT(%rax, %rdx)

/* repe cmpsb: equal all along; then different at byte 20. */
        lea     source(%rip), %rsi
        lea     source+256(%rip), %rdi
        mov     $100, %ecx
        repe cmpsb
        EXPECT($0, %rcx)
        lea     source(%rip), %rsi
        lea     target(%rip), %rdi
        mov     $100, %ecx
        rep movsb
        movb    $0, target+20(%rip)
        lea     source(%rip), %rsi
        lea     target(%rip), %rdi
        mov     $100, %ecx
        repe cmpsb
        EXPECT($79, %rcx)
        lea     source(%rip), %rsi
        lea     target(%rip), %rdi
        mov     $25, %ecx
        repe cmpsl
        EXPECT($19, %rcx)

/* repne scas: found at byte 77; not found; repe scas over a run; count 0. */
        lea     source(%rip), %rdi
        mov     $77, %eax
        mov     $200, %ecx
        repne scasb
        EXPECT($(200 - 78), %rcx)
        lea     source(%rip), %rdi
        mov     $-1, %rax
        mov     $30, %ecx
        repne scasq
        EXPECT($0, %rcx)
        lea     target(%rip), %rdi
        mov     $50, %ecx
        mov     $7, %eax
        rep stosl
        movl    $8, target+4*33(%rip)
        lea     target(%rip), %rdi
        mov     $50, %ecx
        repe scasl
        EXPECT($(50 - 34), %rcx)
        xor     %ecx, %ecx
        repne scasw
        repe cmpsb
        rep stosq
        EXPECT($0, %rcx)

/* Backward. */
        std
        lea     source+511(%rip), %rsi
        lea     target+515(%rip), %rdi
        mov     $300, %ecx
        rep movsb
        lea     target+800(%rip), %rdi
        mov     $20, %ecx
        xor     %eax, %eax
        rep stosq
        lea     source+128(%rip), %rdi
        mov     $40, %eax
        mov     $128, %ecx
        repne scasb
        EXPECT($(128 - 89), %rcx)
        cld
        mov     target+515-255(%rip), %al
        movzbl  %al, %eax
        EXPECT($0, %eax)

/* One step at a time, without a prefix. */
        lea     source(%rip), %rsi
        lea     target(%rip), %rdi
        mov     $200, %ecx
4:      movsb
        lodsw
        stosw
        scasb
        dec     %ecx
        jnz     4b
        lea     target+4*200(%rip), %rax
        EXPECT(%rax, %rdi)
        GUEST_PASS
