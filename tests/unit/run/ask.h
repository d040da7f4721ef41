/* ask.h - client requests in assembler, as the compiler makes them of quern.h.
 *
 *         ask BEGIN, "setup"      2 instructions that load the request, then the marker
 */
        .set    START, 0x43470000
        .set    STOP, 0x43470001
        .set    BEGIN, 0x514e0000
        .set    END, 0x514e0001

        .macro  marker
        rol     $3, %rdi
        rol     $13, %rdi
        rol     $61, %rdi
        rol     $51, %rdi
        xchg    %rbx, %rbx
        .endm

        .macro  ask what, name=""
        .pushsection .rodata
        .balign 8
8:      .quad   \what, 9f, 0, 0, 0, 0
9:      .asciz  "\name"
        .popsection
        mov     $8b, %eax
        xor     %edx, %edx
        marker
        .endm

        .macro  quit
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .endm

        .macro  function name
        .type   \name, @function
\name:
        .endm

        .macro  end name
        .size   \name, . - \name
        .endm
