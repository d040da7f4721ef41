/* belady.S - the reference string of L. A. Belady, R. A. Nelson, G. S. Shedler (CACM 12(6), 1969):
 *
 *   1 2 3 4 1 2 5 1 2 3 4 5        FIFO, 3 places: 9 misses; 4 places: 10.  LRU: 10 and 8.
 *
 * Each number is a line of 64 bytes; there is no other data reference in the whole program.
 */
        .text
        .globl _start
_start:
        lea     lines(%rip), %rbx
        .irp    page, 1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5
        mov     64 * \page(%rbx), %eax
        .endr
        xor     %edi, %edi
        mov     $60, %eax               /* exit(0) */
        syscall
        .bss
        .balign 64
lines:  .skip   64 * 6
        .section .note.GNU-stack, "", @progbits
