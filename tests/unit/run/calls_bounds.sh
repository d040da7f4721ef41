#!/bin/sh
# quern run --calls: what happens where there is no room: calls that have not returned, edges, contexts, coroutines?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"
. "$top_srcdir/tests/unit/run/calls.inc"

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
function _start
        mov     $9, %edi
        call    down
        call    f
        call    f
        call    g
        quit
        end     _start
function down                                   # down(n): 3 and a return, or 5 and a call, and one nop less than its depth
        test    %edi, %edi
        je      1f
        dec     %edi
        call    down
1:      ret
        end     down
function f
        call    g
        ret
        end     f
function g
        nop
        ret
        end     g
GUEST
assemble
start='(below main)'
lost() { sed -n "s/^#calls-lost: $1 //p" profile; }

run --calls=paths --calls-depth=5
is "$(lost depth)" 6 'of eleven nested calls six are deeper than five'
is "$(edge down down | cut -d' ' -f1) $(root "$start")" '9 equal' 'they are counted, and the root costs what all does'
is "$(nodes)" "$(summary)" 'contexts add up'
is "$(edge "$start" f)" '2 8' 'what comes behind has its place'
is "$(sed -n 's/^--[0-9]*-- //p' log)" '--calls: 6 calls were deeper than the room for calls that have not returned: their costs are with the last that had room (--calls-depth=5)' 'a line says so'
run --calls=paths --calls-room=3
is "$(lost edges) $(lost nodes)" '5 ' 'three edges: the root, down from it, down from itself'
is "$(edge down down | cut -d' ' -f1) $(edge "$start" f) $(root "$start") $(nodes)" "9 0 0 equal $(summary)" 'the others are in none, and what calls them has their costs'
ok 'a line says so' grep -q -- '-- --calls: no room for another caller, line and callee in 5 calls, whose costs are in no edge (--calls-room=3)$' log
for option in --calls-room=0 --calls-depth=0; do
    run --calls=yes "$option"
    is "$? $(cat log)" "2 quern: run: ${option%=0}: got 0, wanted at least 1" "$option"
done
run --calls=maybe
is $? 2 'an unknown kind of calls'

# ---- a stack keeps the frames that it has used, until another one needs them ----

cat >guest.c <<'GUEST'
#include <stdlib.h>
#include <ucontext.h>
static ucontext_t here, there;
__attribute__((noinline, noclone)) void down(int n) { if (n) down(n - 1); __asm__ volatile(""); }
static void coroutine(void) { for (;;) { down(49); swapcontext(&there, &here); } }
int main(void) {
    getcontext(&there); there.uc_stack.ss_sp = malloc(65536); there.uc_stack.ss_size = 65536; there.uc_link = &here;
    makecontext(&there, coroutine, 0);
    for (int k = 0; k < 3; k++) { swapcontext(&here, &there); down(49); }
    return 0;
}
GUEST
$CC -g -O0 -o guest guest.c || bail 'cannot compile'
run --calls=yes --calls-depth=75
is "$(inclusive down | cut -d' ' -f1) $(lost depth)" '300 ' 'two stacks, 50 deep in turn, have room in 75 frames'
run --calls=yes --calls-depth=30
is "$(inclusive down | cut -d' ' -f1)" 300 'with less, all calls are counted'
ok 'and a line says how many were too deep' test "$(lost depth)" -ge 120

# ---- more coroutines than there is room for stacks ----

cat >guest.c <<'GUEST'
#include <stdlib.h>
#include <ucontext.h>
#define STACK 16384
#define MANY 4200
static ucontext_t here, there[MANY];
__attribute__((noinline, noclone)) void work(void) { __asm__ volatile(""); }
static void coroutine(void) { for (;;) { work(); swapcontext(&there[0], &here); } }
static void first(int k) { work(); swapcontext(&there[k], &here); work(); swapcontext(&there[k], &here); }
int main(void) {
    char *stacks = malloc((size_t)MANY * STACK);
    (void)coroutine;
    for (int k = 0; k < MANY; k++) {
        getcontext(&there[k]); there[k].uc_stack.ss_sp = stacks + (size_t)k * STACK; there[k].uc_stack.ss_size = STACK; there[k].uc_link = &here;
        makecontext(&there[k], (void (*)(void))first, 1, k);
        swapcontext(&here, &there[k]);
    }
    for (int k = MANY - 1; k >= 0; k--) swapcontext(&here, &there[k]);
    return 0;
}
GUEST
sed -i '/coroutine/d' guest.c
$CC -g -O1 -fno-inline -o guest guest.c || bail 'cannot compile'
run --calls=paths
is "$(inclusive work | cut -d' ' -f1)" 8400 'each coroutine works twice'
ok 'some were closed' test "$(lost stacks)" -ge 105
ok 'a line says so' grep -q -- '-- --calls: [0-9]* coroutines were closed, because more than 4095 stacks were in use$' log
is "$(nodes)" "$(summary)" 'contexts add up'
done_testing
