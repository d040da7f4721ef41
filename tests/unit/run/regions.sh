#!/bin/sh
# Regions by name, START and STOP: is every count where it belongs, by hand?  And what shows them.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"

# lines REGION: "LINE Ir" by source line
lines() { "$QUERN" merge --region="$1" profile | awk '/^[0-9]/ { sum[$1] += $2 } END { for (l in sum) print l, sum[l] }' | sort -n; }

# ---- by hand ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: .rept 3; nop; .endr
        ask     BEGIN, "a"                      # line 4: 2, before a
        .rept 5; nop; .endr                     # a
        mov     far, %ecx                       # a: a miss
        ask     BEGIN, "b"                      # line 7: 2 in a
        .rept 7; nop; .endr                     # a/b
        mov     far + 4096, %ecx                # a/b: a miss
        mov     %ecx, far + 4096
        mov     %ecx, far + 4096
        ask     END, "b"                        # line 12: 2 in a/b
        mov     far + 4096, %ecx                # a: a hit
        .rept 11; nop; .endr
        ask     END, "a"                        # line 15: 2 in a
        .rept 13; nop; .endr
        quit
        .bss
        .balign 4096
far:    .skip   8192
GUEST
assemble
for options in '' --no-filter --block-max=1 --check=yes '--tcache-size=1M --block-max=2' '--counting=cachegrind'; do
    # shellcheck disable=SC2086
    run $options
    is "$(parts)" "$(case $options in
        *cachegrind) printf 'a 24\na/b 13' ;;     # markers are instructions: BEGIN b and END a; END b
        *) printf 'a 22\na/b 12' ;;
        esac)" "the parts ${options:+($options)}"
    is "$(sum a) $(sum b) $(sum a/b)" "$(case $options in *cachegrind) echo 37 13 13 ;; *) echo 34 12 12 ;; esac)" 'chosen by name'
    is "$(sum a Dr)/$(sum a D1mr) $(sum b Dr)/$(sum b D1mr) $(sum a Dw)/$(sum a D1mw) $(sum b Dw)/$(sum b D1mw)" \
        '3/2 1/1 2/0 2/0' 'references and misses'
done
run
is "$(total)" $((3 + 2 + 22 + 12 + 13 + 3)) 'the whole run has all of it'
is "$(lines a | tr '\n' ,)" '5 5,6 1,7 2,8 7,9 1,10 1,11 1,12 2,13 1,14 11,15 2,' 'line by line'
is "$(lines a/b | tr '\n' ,)" '8 7,9 1,10 1,11 1,12 2,' 'line by line in the inner one'
is "$(sed -n 's/^desc: Regions: *//p' profile)" 'a, a/b' 'the profile says which there are'
cp profile first
run
same_file profile first 'the same again'
run --no-cache-sim
is "$(sum a) $(sum b)" '34 12' 'without caches'
run --branch-sim=yes
is "$(sum a) $(sum b)" '34 12' 'with branches'

# ---- one piece of code, inside and outside; loops ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: mov     $100, %r12d
1:      call    work
        ask     BEGIN, "odd"
        call    work
        ask     END, "odd"
        ask     BEGIN, "even"
        call    work
        call    work
        ask     END, "even"
        dec     %r12d
        jnz     1b
        quit
work:   mov     $10, %r13d
2:      mov     far(, %r13, 8), %rcx
        add     %rcx, far(, %r13, 8)
        dec     %r13d
        jnz     2b
        ret
        .bss
        .balign 4096
far:    .skip   8192
GUEST
assemble
for options in '' --no-filter --block-max=1 --block-max=7 --tcache-size=1M; do
    # shellcheck disable=SC2086
    run $options
    is "$(parts)" "even $((100 * (2 * (1 + 1 + 40 + 1) + 2)))
odd $((100 * (1 + 1 + 40 + 1 + 2)))" "code that is shared ${options:+($options)}"
    is "$(total)" $((1 + 100 * (4 * 43 + 8 + 2) + 3)) 'and all of it'
    is "$(lines odd | sed -n 's/^16 //p') $(lines even | sed -n 's/^16 //p')" '1000 2000' 'by line'
    is "$(sum odd D1mr) $(sum even D1mr) $(total D1mr)" '0 0 3' 'what another region has brought into the cache hits'
done

# ---- nesting: the same name again, ends that do not match, too deep ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: ask     BEGIN, "a"
        nop
        ask     BEGIN, "b"                      # 2 in a
        nop
        ask     BEGIN, "a"                      # open already: 2 in a/b
        nop
        ask     END, "a"                        # still open: 2 in a/b
        nop
        ask     END, "b"                        # 2 in a/b
        ask     END, "a"                        # 2 in a
        nop
        ask     BEGIN, "b"
        .rept 5; nop; .endr                     # b
        ask     END, "b"
        quit
GUEST
assemble
run
is "$(parts)" 'a 5
a/b 9
b 7' 'a name that is open already changes nothing'
is "$(sum a) $(sum b) $(sum a/b)" '14 16 9' 'a name is counted wherever it is'
is "$(grep ^-- log)" '' 'and that is no reason to warn'

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: ask     END, "x"                        # not begun
        ask     BEGIN, "a"
        nop
        ask     BEGIN, "b"                      # 2 in a
        nop
        ask     END, "a"                        # ends b, too: 2 in a/b
        .rept 20; nop; .endr
        ask     END, "b"                        # ended already
        ask     BEGIN, "c"
        nop                                     # never ended
        quit
GUEST
assemble
run
is "$(parts)" 'a 3
a/b 3
c 4' 'an end ends what was begun inside; what is not ended goes on'
is "$(grep -c 'was not begun, is passed over' log) $(grep -c "end of region 'a' ends others" log)" '1 1' 'told once each'

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: mov     $1000, %r12d
1:      ask     BEGIN, "deep"
        dec     %r12d
        jnz     1b
        nop
        mov     $1000, %r12d
2:      ask     END, "deep"
        dec     %r12d
        jnz     2b
        .rept 9; nop; .endr
        quit
GUEST
assemble
run
is "$(parts)" "deep $((2 + 999 * 4 + 2 + 999 * 4 + 2))" 'a thousand begins, a thousand ends'

# ---- names ----

long=$(printf '%063d' 0)
cat >guest.S <<GUEST
#include "ask.h"
        .globl  _start
_start: ask     BEGIN, "${long}and more"
        nop
        ask     END, "${long}but another end"
        ask     BEGIN, ""                       # no name: nothing
        nop
        ask     BEGIN, "in/out"
        nop
        ask     END, "in/out"
        ask     BEGIN, "two words"
        nop
        ask     END, "two words"
        mov     \$wrong, %eax                    # a name that cannot be read
        marker
        mov     \$1, %eax                        # a request that cannot be read
        marker
        mov     \$-8, %rax
        marker
        quit
        .data
wrong:  .quad   BEGIN, 1, 0, 0, 0, 0
GUEST
assemble
run
is $? 0 'what cannot be read is no fault'
is "$(awk '/^#region: / { path = substr($0, 10) } /^#summary:/ { print path, $2 }' profile)" "$long 3
in_out 3
two words 3" 'names are cut, and a slash separates names only'
is "$(sum 'two words')" 3 'blanks may be in them'
is "$(sum "$long")" 3 'long ones, too'

# ---- many ----

{
    printf '#include "ask.h"\n.globl _start\n_start:\n'
    awk 'BEGIN { for (i = 0; i < 300; i++) printf "ask BEGIN, \"r%03d\"\n.rept %d; nop; .endr\nask END, \"r%03d\"\n", i, i % 40 + 1, i }'
    echo quit
} >guest.S
assemble
run
is "$(parts)" "$(awk 'BEGIN { for (i = 0; i < 249; i++) printf "r%03d %d\n", i, i % 40 + 3 }')" 'as many regions as there is room for'
ok 'that it is too many is told' grep -q "region 'r249': there are too many different ones" log
is "$(total)" "$(awk 'BEGIN { for (i = 0; i < 300; i++) n += i % 40 + 5; print n + 3 }')" 'and nothing is lost'

# ---- start and stop ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: .rept 3; nop; .endr
        ask     STOP                            # 2
        .rept 5; nop; .endr
        mov     far, %ecx                       # not seen by the cache
        ask     STOP
        ask     START
        .rept 7; nop; .endr                     # 7
        mov     far, %ecx                       # 1, a miss
        ask     START                           # 2
        ask     BEGIN, "a"                      # 2
        nop                                     # 1 in a
        ask     STOP                            # 2 in a
        nop
        ask     END, "a"
        ask     BEGIN, "b"
        nop
        ask     START
        nop                                     # 1 in b
        ask     END, "b"                        # 2 in b
        nop                                     # 1
        quit                                    # 3
        .bss
        .balign 4096
far:    .skip   4096
GUEST
assemble
for options in '' --no-filter --block-max=1 --check=yes; do
    # shellcheck disable=SC2086
    run $options
    is "$(total) $(total Dr)/$(total D1mr)" '27 1/1' "stop and start ${options:+($options)}"
    is "$(parts)" 'a 3
b 3' 'while counting is off regions go on'
done
is "$(sed -n 's/^desc: Instrumented: *//p' profile first)" 'parts of the run
all of the run' 'the profile says whether all of the run is in it'
run --instr-at-start=no
is "$(total)" 22 'off from the start, until START'
run --counting=cachegrind
is "$(total)" $((27 + 5)) 'with the rules of cachegrind markers count where counting is on'

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: mov     $30000, %r12d
1:      ask     STOP
        call    work
        ask     START
        call    work
        dec     %r12d
        jnz     1b
        quit
work:   mov     far, %ecx
        ret
        .bss
far:    .skip   8
GUEST
assemble
run
is "$(total) $(total Dr)" "$((1 + 30000 * (2 + 1 + 2 + 2) + 3)) $((30000 * 2))" 'thirty thousand times'
done_testing
