#!/bin/sh
# Does the return stack see every call and return of a program, and are its events those of the instructions that return?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
cat >calls.S <<'END'
        .globl  _start
_start: mov     $10, %ebx
1:      call    plain                   /* 10 calls */
        lea     plain(%rip), %rax
        call    *%rax                   /* 10 more, indirect */
        call    trick
        dec     %ebx
        jnz     1b
        mov     $20, %edi
        call    deep
        mov     $60, %eax
        xor     %edi, %edi
        syscall
plain:  ret                             /* line 14: 20 returns */
trick:  lea     elsewhere(%rip), %rax
        push    %rax
        ret                             /* line 17: 10 returns that nobody called for */
elsewhere:
        ret     $0                      /* line 19: 10 */
deep:   dec     %edi
        jz      2f
        call    deep
2:      ret                             /* line 23: 20, the outermost last */
END
$CC -g -nostdlib -static -o calls calls.S || bail 'cannot assemble'
"$QUERN" sim build --BI=ras -o ras || bail 'cannot build ras'

# returns OPTIONS...: "LINE returns mispredicts" of each line that has any
returns() {
    "$QUERN" run -q --sim=./ras --branch-sim=yes --out-file=profile "$@" -- ./calls || echo "status $?"
    awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i }
        /^[0-9]/ && $at["BI.returns"] { print $1, $at["BI.returns"], $at["BI.return-mispredicts"] }' profile
}

# The trick: a return to elsewhere where the stack says "behind the call of trick"; then one return more than calls, which
# finds the stack empty.  Of twenty calls within each other sixteen are known.
wanted='14 20 0
17 10 10
19 10 10
23 20 4'
for options in '' --cache-sim=no --no-filter --counting=cachegrind; do
    # shellcheck disable=SC2086
    is "$(returns $options)" "$wanted" "each return at its line ${options:-, with caches}"
done
is "$(returns --sim-opt=ras-depth=4 | tail -n 1)" '23 20 16' 'a stack of four entries forgets the outermost sixteen'
is "$(awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^summary:/ { print $at["Bi"], $at["Bim"] }' profile)" '10 1' \
    'returns are no indirect branches'
is "$(returns --sim-opt=ras-depth=32 | tail -n 1)" '23 20 0' 'one of 32 forgets none'
done_testing
