/* vendor.S - encodings that Intel's and AMD's processors understand differently.
 *
 * 66h before a near branch: Intel's processors ignore it, AMD's take a displacement of 16 bits (and would jump to the low 64 KiB).
 * The branches here are not taken, so all that shows is their length: what is part of the displacement for one is an
 * instruction for the other.  With REX.W the branch is the same for both.
 *
 * oracle: none (Valgrind follows Intel, whatever it runs on); the program checks itself. */
#include "guest.h"

GUEST_START
        xor     %eax, %eax
        cpuid                           /* vendor in ebx, edx, ecx */
        xor     %r8d, %r8d
        cmp     $0x444d4163, %ecx       /* AuthenticAMD */
        je      amd
        cmp     $0x656e6975, %ecx       /* HygonGenuine */
        jne     vendor_known
amd:    mov     $1, %r8d
vendor_known:

        xor     %eax, %eax              /* ZF = 1 */
        .byte   0x66, 0x0f, 0x85, 0, 0  /* AMD: jne, not taken */
        .byte   0xff, 0xc0              /* AMD: inc %eax; Intel: the rest of the displacement */
        EXPECT(%r8d, %eax)

        xor     %eax, %eax
        inc     %eax                    /* ZF = 0 */
        .byte   0x66, 0x74, 0x10        /* je of one byte: as long for both */
        .byte   0x66, 0x48, 0xe9, 2, 0, 0, 0 /* jmp over the next instruction */
        xor     %eax, %eax
        EXPECT($1, %eax)

        GUEST_PASS
