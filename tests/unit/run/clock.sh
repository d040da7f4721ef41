#!/bin/sh
# Does a reference that hits under the filter right after one of a helper (a string instruction, a vector longer than a line) get a later
# stamp?  With equal stamps the wrong line could be evicted.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

# Lines of 32 bytes, two ways, 16 sets: all of these lines are of one set.  A string instruction uses A, then B is used, so C evicts
# A, and B is still there.
cat >guest.S <<'END'
        .macro  round first, second, third
        mov     lines + 512 * \first, %eax      /* both in the cache, and at home */
        mov     lines + 512 * \second, %eax
        mov     lines + 512 * \first, %eax
        mov     lines + 512 * \second, %eax
        lea     lines + 512 * \first, %rdi
        mov     $8, %ecx
        rep stosb
        mov     lines + 512 * \second, %eax
        mov     lines + 512 * \third, %eax
        mov     lines + 512 * \second, %eax     # AGAIN
        .endm
        .globl  _start
_start:
        .irp    i, 0, 1, 2, 3, 4, 5, 6, 7
        .irp    j, 8, 9, 10, 11, 12, 13, 14, 15
        round   \i, \j, (\i + \j + 9)
        round   \j, \i, (\i + \j + 9)
        .endr
        .endr
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .bss
        .balign 512
lines:  .skip   512 * 64
END
$CC -nostdlib -static -no-pie -Wl,--build-id=none -o guest guest.S || bail 'cannot assemble'

# run OPTIONS...: D1mr D1mw of all
run() {
    "$QUERN" run -q --I1=4096,2,32 --D1=1024,2,32 --LL=65536,4,32 --out-file=profile "$@" -- ./guest 2>/dev/null || bail 'run'
    awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary/ { print $at["D1mr"], $at["D1mw"] }' profile
}
unfiltered=$(run --filter=no)
is "$(run)" "$unfiltered" 'filtered as unfiltered'
is "$(run --check=yes)" "$unfiltered" 'and the shadow model of --check agrees'
"$QUERN" sim build --D1=lru -o lru || bail 'cannot build lru'
is "$(run --sim=./lru)" "$unfiltered" 'and the policy lru, which has no times'
done_testing
