#!/bin/sh
# quern run --calls: is every call counted, with all that it costs until it returns, by hand?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"
. "$top_srcdir/tests/unit/run/calls.inc"

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
function _start                                 # what profiles call (below main)
        nop
        call    f
        call    g
        mov     $f, %eax
        call    *%rax
        nop
        mov     $5, %edi
        call    sum
        call    tail
        mov     $1, %edi
        call    either
        xor     %edi, %edi
        call    either
        nop
        mov     %rsp, %rbp
        mov     $1f, %ecx
        call    jumps
        .rept 50; nop; .endr                    # never executed
1:      .rept 6; nop; .endr
        call    popper
        call    2f                              # no call
2:      pop     %rax
        xor     %edx, %edx
        call    loops
        quit
        end     _start
function either                                 # 2, and all of g, which it jumps to by a condition, or falls into pad
        test    %edi, %edi
        je      g
        end     either
function pad                                    # 2
        nop
        ret
        end     pad
function loops                                  # 3 * 3 + 1: the loop begins where the function does
        inc     %edx
        cmp     $3, %edx
        jne     loops
        ret
        end     loops
#include "functions.h"
GUEST
start='(below main)'
assemble
run
cp profile plain
for options in --calls=yes --calls=paths '--calls=yes --no-filter' '--calls=paths --block-max=1' '--calls=yes --block-max=3' '--calls=yes --tcache-size=1M' \
    '--calls=paths --branch-sim=yes' '--calls=yes --no-cache-sim' '--calls=yes --counting=cachegrind' '--calls=yes --interval=7' \
    '--calls=yes --check' '--calls=paths --versus=fifo'; do
    # shellcheck disable=SC2086
    run $options
    is "$(root "$start")" equal "the root costs what all does ($options)"
    is "$(edge "$start" f)" '2 20' "calls, one of them indirect ($options)"
    is "$(edge f g)" '2 10' "a call below ($options)"
    is "$(edge "$start" g)" '1 5' "the same function from another one ($options)"
    is "$(inclusive g)" '5 25' "what g has cost in all ($options)"
    is "$(edge tail g) $(edge either g) $(edge either pad)" '1 5 1 5 1 2' "tail calls: a jump, on a condition, into what follows ($options)"
    is "$(edge "$start" tail) $(edge "$start" either)" "1 7 2 $((2 + 5 + 2 + 2))" "are part of what made them ($options)"
    is "$(edge "$start" sum) $(inclusive sum)" '1 39 6 39' "recursion is not counted twice in the function ($options)"
    is "$(edge sum sum)" "5 $((32 + 25 + 18 + 11 + 4))" "but in its calls, each with those below ($options)"
    is "$(edge "$start" jumps)" '1 4' "a longjmp ($options)"
    is "$(edge "$start" popper) $(edge "$start" loops)" '1 5 1 10' "a return that pops more, a loop that begins its function ($options)"
    is "$(edge "$start" "$start")" '0 0' "a call of what follows is none ($options)"
done
run --calls=yes
cp profile yes
run --calls=paths
body plain >plain.body
for profile in yes profile; do
    body $profile >calls.body
    is "$(cmp plain.body calls.body 2>&1)" '' 'counts by line are what they are without it'
done
is "$(nodes)" "$(summary)" 'costs of all call paths add up'
is "$(path "$start/f/g") $(path "$start/tail/g") $(path "$start")" "2 10 1 5 1 $(self "$start")" 'paths'
is "$(path "$start/sum")" '6 39' 'recursion is one context'
is "$(path "$start/sum/sum")" '' 'and no other'
is "$(inclusive popper 5) $(edge "$start" popper | cut -d' ' -f1)" '1 1 1' 'a miss belongs to the call that made it'
run --calls=paths --toggle=tail
is "$(root tail) $(inclusive tail) $(edge tail g) $(nodes)" "equal 1 7 1 5 $(summary)" 'with --toggle its function is the root'
run --calls=yes --analysis=values --sample=1/1000
is "$? $(cat log)" '2 quern: run: --calls: not with --sample; `quern run --help=all` describes it' 'calls cannot be known from samples'
done_testing
