/* tests/unit/run/functions.h - functions whose instructions are counted by hand, in assembly; behind ask.h, at the end of a guest.S. */
function f                                      # 3 + 1 + 5 + 1 = 10
        .rept 3; nop; .endr
        call    g
        ret
        end     f
function g                                      # 5
        .rept 4; nop; .endr
        ret
        end     g
function sum                                    # sum(n) = n + sum(n - 1): 3 and return, or 6 and a call
        xor     %eax, %eax
        test    %edi, %edi
        je      2f
        dec     %edi
        call    sum
        inc     %eax
2:      ret
        end     sum
function tail                                   # 2, and all of g
        nop
        jmp     g
        end     tail
function jumps                                  # 4: leaves without a return
        nop
        push    %rax
        mov     %rbp, %rsp
        jmp     *%rcx
        end     jumps
function popper                                 # 4 and a return that pops more: the caller pushed nothing
        push    (%rsp)
        mov     far, %ecx
        mov     (%rsp), %ecx
        mov     %ecx, far
        ret     $8
        end     popper
        .bss
        .balign 4096
far:    .skip   4096
