#!/bin/sh
# quern run --toggle=FUNCTION: is exactly what runs inside it counted, by hand, and beside Callgrind?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"

# writes FUNCTION: how often it has written memory.  (What reads and writes in one instruction counts as a read, so programs whose
# writes are counted here only write: some compilers would make one instruction of sum++, others three.)
writes() {
    awk -v fn="fn=$1" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i } /^fn=/ { mine = $0 == fn }
        /^[0-9]/ && mine { n += $at } END { print n + 0 }' profile
}

# ---- by hand ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
function _start
        nop
        call    f
        call    g
        mov     $f, %eax
        call    *%rax
        nop
        mov     $5, %edi
        call    sum
        call    tail
        nop
        mov     %rsp, %rbp
        mov     $1f, %ecx
        call    jumps
        .rept 50; nop; .endr                    # never executed
1:      .rept 6; nop; .endr
        call    popper
        quit
        end     _start
#include "functions.h"
GUEST
assemble
for options in '' --no-filter --block-max=1 --block-max=3 --check=yes --tcache-size=1M --branch-sim=yes --no-cache-sim; do
    # shellcheck disable=SC2086
    try() {
        wanted=$1
        shift
        run $options "$@"
        is "$(total)" "$wanted" "$* ${options:+($options)}"
    }
    try 20 --toggle=f
    try $((4 * 5)) --toggle=g
    try $((20 + 5 + 5)) --toggle=f --toggle=g
    try $((5 * 7 + 4)) --toggle=sum
    try $((2 + 5)) --toggle=tail
    try 4 --toggle=jumps
    try 5 --toggle=popper
    try $((1 + 1 + 10 + 1 + 5 + 2 + 10 + 1 + 2 + 39 + 1 + 7 + 1 + 2 + 1 + 4 + 6 + 1 + 5 + 3)) --toggle=_start
done
run --toggle=popper
is "$(total Dr) $(total Dw) $(total D1mr)" '4 2 2' 'its references'
run --toggle=nosuch
is "$(total)" 0 'a function that does not exist'
ok 'is told' grep -q -- '--toggle=nosuch: nothing that was executed has a function of that name' log
run --toggle=f --instr-at-start=no
is "$(total)" 0 '--instr-at-start=no counts for inside, too'
run
cp profile all
ok 'less than everything' test "$(total)" -gt 100

# ---- with requests: START and STOP, regions ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
_start: ask     BEGIN, "out"
        call    f
        ask     END, "out"
        ask     STOP
        call    f
        quit
function f
        nop
        ask     STOP
        .rept 5; nop; .endr
        ask     START
        .rept 7; nop; .endr
        ask     BEGIN, "in"
        .rept 9; nop; .endr
        ask     END, "in"
        ret
        end     f
GUEST
assemble
run --toggle=f
is "$(total)" $((1 + 2 + 7 + 2 + 9 + 2 + 1 + 7 + 2 + 9 + 2 + 1)) 'start and stop inside'
is "$(awk '/^#region: / { path = $2 } /^#summary:/ { print path, $2 }' profile)" "in 11
out $((1 + 2 + 7 + 2 + 1))
out/in 11" 'and regions'

# ---- real programs: longjmp, exceptions, threads, signals, libraries ----

cat >guest.c <<'GUEST'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
static volatile long sum;
static jmp_buf back;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sum = i; }
__attribute__((noinline)) void deep(int n) { char room[100]; memset(room, n, sizeof room); if (n) deep(n - 1); else longjmp(back, room[3] + 1); }
__attribute__((noinline)) void jumper(void) { work(10); deep(5); }
static void *thread(void *inside);
__attribute__((noinline)) void threads(void) { pthread_t t; pthread_create(&t, NULL, thread, NULL); work(100); pthread_join(t, NULL); work(200); }
__attribute__((noinline)) void both(void) { work(1000); }
static void *thread(void *inside) { (void)inside; work(7); both(); work(7); return NULL; }
static void handler(int sig) { (void)sig; work(10000); }
__attribute__((noinline)) void signals(void) { work(1); raise(SIGUSR1); work(2); }
__attribute__((noinline)) int compare(const void *a, const void *b) { work(1); return *(const int *)a - *(const int *)b; }
int main(void)
{
    stack_t alternate = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
    struct sigaction action = { .sa_handler = handler };
    int list[100];

    for (int i = 0; i < 5; i++)
        if (!setjmp(back))
            jumper();
    work(5);
    threads();
    work(5);
    sigaction(SIGUSR1, &action, NULL);
    signals();
    sigaltstack(&alternate, NULL);
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, NULL);
    signals();
    work(5);
    for (int i = 0; i < 100; i++)
        list[i] = i * 37 % 100;
    qsort(list, 100, sizeof list[0], compare);
    work(5);
    both();
    work(5);
    return 0;
}
GUEST
$CC -O1 -g -fno-stack-protector -fno-optimize-sibling-calls -o guest guest.c -lpthread || bail 'cannot compile'
run --toggle=jumper
is "$(writes work)" 50 'longjmp leaves'
run --toggle=deep
is "$(writes work) $(($(writes deep) > 0))" '0 1' 'from the outermost'
run --toggle=threads
is "$(writes work)" 300 'a thread is not inside because another one is'
run --toggle=both
is "$(writes work)" 2000 'a thread is inside by itself'
run --toggle=signals
is "$(writes work)" $((2 * 10003)) 'a signal handler that interrupts is inside, on either stack, and does not leave'
run --toggle=handler
is "$(writes work)" 20000 'a signal handler itself'
run --toggle=qsort
ok 'a function of a library, and what it calls back' test "$(writes work)" -ge 300 -a "$(writes work)" -le 1000
inside=$(writes work)
run --toggle=compare
is "$(writes work)" "$inside" 'which is what the function called back says'

cat >guest.cc <<'GUEST'
static volatile long sum;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sum = i; }
__attribute__((noinline)) void thrower(int n) { work(10); if (n) throw n; work(1000); }
__attribute__((noinline)) void between(int n) { thrower(n); work(20000); }
__attribute__((noinline)) void catcher(void) { try { between(1); } catch (int) { work(7); } }
int main() { for (int i = 0; i < 3; i++) catcher(); work(300000); }
GUEST
if $CC -x c++ -O1 -g -o guest guest.cc -lstdc++ 2>compile.log; then
    # names FUNCTION: as the profile has it
    named() { awk -v fn="$1" '/^events:/ { for (i = 2; i <= NF; i++) if ($i == "Dw") at = i } /^fn=/ { mine = index($0, "fn=" fn "(") }
        /^[0-9]/ && mine { n += $at } END { print n + 0 }' profile; }
    for function in thrower between catcher; do
        run --toggle=$function
        is "$(named work)" "$([ $function = catcher ] && echo 51 || echo 30)" "an exception leaves $function"
    done
else
    skip 'no C++ compiler' 3
fi

# ---- functions that are chosen at run time (IFUNC) ----

cat >chosen.c <<'GUEST'
static volatile int sum;
static __attribute__((noinline)) int work_fast(int n) { for (int i = 0; i < n; i++) sum = i; return sum; }
static int work_slow(int n) { return n; }
static int (*choose_work(void))(int) { return sum < 0 ? work_slow : work_fast; }
int work(int n) __attribute__((ifunc("choose_work")));
int early(void) { return work_fast(7); }
GUEST
cat >guest.c <<'GUEST'
#include <string.h>
int work(int n), early(void);
int main(int argc, char **argv)
{
    size_t (*volatile length)(const char *) = strlen;
    size_t s = (size_t)early();         /* where binding is lazy, before it has been chosen */

    for (int i = 0; i < 10; i++)
        s += (size_t)work(100) + length(argv[0]);
    return argc > 100 && s == 0;
}
GUEST
# ir FUNCTION: instructions of those whose names match
ir() { awk -v fn="^fn=$1\$" '/^fn=/ { mine = $0 ~ fn } /^[0-9]/ && mine { n += $2 } END { print n + 0 }' profile; }
# chosen HOW WRITES: linked so; so many writes of what was chosen happen after that
chosen() {
    run
    lengths=$(ir '__strlen_.*')
    run --toggle=work_fast
    is "$(writes work_fast)" 1007 "an ordinary function, for comparison ($1)"
    run --toggle=work
    is "$(writes work_fast)" "$2" '  ... --toggle of what is chosen at run time: what was chosen is counted, from then on'
    ok '  ... besides, only the code that chooses' test $(($(total) - $(ir work_fast))) -le 20
    run --toggle=work_slow
    is "$(total)" 0 '  ... what was not chosen is not'
    if [ "$lengths" -gt 0 ]; then
        run --toggle=strlen
        is "$(ir '__strlen_.*')" "$lengths" '  ... --toggle=strlen: as many in the C library as without'
    else
        skip 'the C library has no symbols of its own functions'
    fi
}
if $CC -O1 -g -shared -fPIC -o libchosen.so chosen.c 2>compile.log; then
    for binding in lazy now; do
        $CC -O1 -g -fplt -Wl,-z,$binding -Wl,-rpath,"$PWD" -o guest guest.c ./libchosen.so || bail 'cannot link'
        chosen $binding $([ $binding = lazy ] && echo 1000 || echo 1007)
    done
    if $CC -O1 -g -static -o guest guest.c chosen.c 2>compile.log; then
        chosen static 1007
    else
        skip 'cannot link statically' 5
    fi
else
    skip 'the compiler knows no IFUNC' 15
fi

# ---- beside Callgrind ----

if command -v valgrind >/dev/null 2>&1; then
    while read -r program functions; do
        for function in $functions; do
            cp "$top_builddir/tests/guest/$program" guest || bail "no guest program $program"
            valgrind -q --tool=callgrind --toggle-collect="$function" --callgrind-out-file=callgrind ./guest >/dev/null 2>&1
            wanted=$(sed -n 's/^totals: //p' callgrind)
            run --toggle="$function" --counting=cachegrind
            is "$(total)" "$wanted" "$program: as many instructions in $function as Callgrind counts"
            ok 'not none' test "$wanted" -gt 100
        done
    done <<'LIST'
recursion fibonacci ackermann hanoi_moves is_even
calls rotate run_at_random multiply rectangle_area
sort quick_sort sift_down insertion_sort
matmul multiply_blocked multiply_jki
hash find insert make_key
conflict ping_pong guest_main
LIST
else
    absent 'valgrind is not installed' 2
fi
# ---- inlined everywhere, with a copy that nobody calls; in one place, and called in another; never called; not there ----

cat >inlined.c <<'END'
volatile int sum;
static inline __attribute__((always_inline)) int both(int n) { return sum += n; }
int (*volatile pointer)(int) = both;
__attribute__((always_inline)) inline int everywhere(int n) { return sum -= n; }
extern int everywhere(int n);
__attribute__((noinline)) int never(void) { return sum; }
__attribute__((noinline)) int called(void) { return sum++; }
int main(int argc, char **argv)
{
    if (argc > 99)
        return never();
    return (everywhere(1) + everywhere(2) + both(3) + pointer(4) + called()) & 0;
}
END
# told FUNCTION: what is said of it, though all else is quiet
told() { "$QUERN" run -q --toggle="$1" --out-file=profile ./inlined 2>&1 | sed 's/^--[0-9]*-- --toggle=//'; }
if $CC -O1 -g -o inlined inlined.c 2>err; then
    is "$(told everywhere)" 'everywhere: it was never called, so nothing was counted; it was inlined in 2 places, which count as no calls' \
        'a function that was inlined everywhere: an empty profile has a word'
    ok 'and is empty' grep -q '^desc: Instrumented:.*nothing of the run' profile
    is "$(told both)" 'both: only calls were counted; it was inlined in 1 place, which count as no calls' 'inlined in one place, and called in another'
    is "$(told never)" 'never: it was never called, so nothing was counted' 'never called'
    is "$(told nosuch)" 'nosuch: nothing that was executed has a function of that name' 'not there'
    strip -g inlined
    is "$(told everywhere)" 'everywhere: it was never called, so nothing was counted' 'without debug information it is not known where it was inlined'
    is "$(told nosuch)" 'nosuch: nothing that was executed has a function of that name; whether it was inlined is known only with debug information (-g)' '... as is said'
    is "$(told called)" '' 'called, and nowhere inlined: nothing to say'
else
    bail "cannot compile: $(cat err)"
fi

cat >stepped.c <<'END'
#include <signal.h>
static void handler(int sig) { (void)sig; }
__attribute__((noinline)) int work(int k)
{
    int sum = 0;
    for (int i = 0; i < k; i++)
        __asm__ volatile("add %1, %0" : "+r"(sum) : "r"(i));
    return sum;
}
int main(int argc, char **argv)
{
    int sum;
    signal(SIGTRAP, handler);
    if (argc > 1)
        __asm__ volatile("lea -128(%%rsp), %%rsp\n pushf\n orl $0x100, (%%rsp)\n popf" ::: "memory");
    sum = work(1000);
    if (argc > 1)
        __asm__ volatile("pushf\n andl $~0x100, (%%rsp)\n popf\n sub $-128, %%rsp" ::: "memory");
    return sum == 0;
}
END
$CC -O1 -g -o stepped stepped.c || bail 'stepped.c cannot be compiled'
# of_work ARGUMENT...: the instructions of work
of_work() { "$QUERN" run -q --toggle=work --out-file=profile -- ./stepped "$@" && awk '/^fn=/ { on = /^fn=work$/ } on && /^[0-9]/ { n += $2 } END { print n }' profile; }
is "$(of_work flag)" "$(of_work)" 'a function of a program that sets the trap flag'

is "$("$QUERN" run -q --instr-at-start=no --out-file=profile ./inlined 2>&1 | sed 's/^--[0-9]*-- //')" \
    "nothing was counted: counting was off all the time (--instr-at-start=no, or the program's own requests)" 'counting that is never turned on'
done_testing
