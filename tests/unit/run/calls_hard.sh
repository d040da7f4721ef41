#!/bin/sh
# quern run --calls: calls that do not return, or not to where they were made: longjmp, handlers of signals, threads, coroutines, exceptions, forks.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/unit/run/by_hand.inc"
. "$top_srcdir/tests/unit/run/calls.inc"

cat >guest.c <<'GUEST'
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <sys/wait.h>
#define NI __attribute__((noinline, noclone))
volatile int sink;
NI void work(int n) { for (int i = 0; i < n; i++) sink = i; }
/* longjmp through three frames */
static jmp_buf env;
NI void deepest(void) { work(10); longjmp(env, 1); }
NI void deeper(void) { deepest(); sink = 1; }
NI void jumper(void) { if (!setjmp(env)) deeper(); work(5); }
/* a signal, on an alternate stack and not */
NI void handled(int s) { (void)s; work(20); }
NI void raiser(int flags) {
    struct sigaction a = { .sa_handler = handled, .sa_flags = flags };
    sigaction(SIGUSR1, &a, NULL); raise(SIGUSR1); work(7);
}
static sigjmp_buf senv;
NI void leaves(int s) { (void)s; work(20); siglongjmp(senv, 1); }
NI void left(void) {
    struct sigaction a = { .sa_handler = leaves, .sa_flags = SA_ONSTACK };
    sigaction(SIGUSR1, &a, NULL); if (!sigsetjmp(senv, 1)) raise(SIGUSR1); work(9);
}
NI void on_segv(int s) { (void)s; work(4); siglongjmp(senv, 1); }
NI void faults(void) {
    struct sigaction a = { .sa_handler = on_segv, .sa_flags = SA_ONSTACK };
    sigaction(SIGSEGV, &a, NULL); if (!sigsetjmp(senv, 1)) *(volatile int *)8 = 1; work(6);
}
/* threads */
NI void *body(void *p) { work(*(int *)p); return NULL; }
NI void threads(void) {
    pthread_t t[3]; int n[3] = { 100, 200, 300 };
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, body, &n[i]);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
}
/* coroutines */
static ucontext_t main_context, co[2]; static char stacks[2][65536];
NI void step(int n) { work(n); }
NI void coroutine(int k) { for (int i = 0; i < 5; i++) { step(10 * (k + 1)); swapcontext(&co[k], &main_context); } }
NI void resume(int k) { swapcontext(&main_context, &co[k]); }
NI void coroutines(void) {
    for (int k = 0; k < 2; k++) {
        getcontext(&co[k]); co[k].uc_stack.ss_sp = stacks[k]; co[k].uc_stack.ss_size = sizeof stacks[k]; co[k].uc_link = &main_context;
        makecontext(&co[k], (void (*)(void))coroutine, 1, k);
    }
    for (int i = 0; i < 5; i++) { resume(0); work(3); resume(1); }
}
NI int even(unsigned n); 
NI int odd(unsigned n) { sink = n; return n ? even(n - 1) + 1 : 0; }
NI int even(unsigned n) { sink = n; return n ? odd(n - 1) + 1 : 1; }
NI void one(void) { work(1); }
NI void two(void) { work(2); }
NI void in_child(void) { work(50); }
NI void forks(void) { int s; pid_t p = fork(); if (!p) { in_child(); _exit(0); } waitpid(p, &s, 0); work(8); }
NI int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
NI void sorts(void) { int a[8] = { 3, 1, 2, 8, 5, 7, 6, 4 }; qsort(a, 8, sizeof *a, compare); sink = a[0]; }
int main(int argc, char **argv) {
    stack_t ss = { .ss_sp = malloc(65536), .ss_size = 65536 }; sigaltstack(&ss, NULL);
    if (argc > 1 && !strcmp(argv[1], "again")) { work(11); return 0; }
    one(); two(); jumper(); raiser(0); raiser(SA_ONSTACK); left(); faults(); threads(); coroutines(); odd(10); sorts(); 
    if (argc > 1 && !strcmp(argv[1], "fork")) forks();
    if (argc > 1 && !strcmp(argv[1], "exec")) { char *v[] = { argv[0], "again", NULL }; execv(argv[0], v); }
    return 0;
}
GUEST
$CC -g -O1 -fno-inline -pthread -o guest guest.c || bail 'cannot compile'

# works FROM CALLS N: from there work(n) is called so often, with n adding up to N?
works() {
    is "$(edge "$1" work)" "$2 $(($2 * none + $3 * each))" "$1${4:+ ($4)}"
}

# all OPTIONS: what is so in every run of the program
all() {
    one=$(edge one work | cut -d' ' -f2) two=$(edge two work | cut -d' ' -f2)
    each=$((two - one)) none=$((2 * one - two))
    works deepest 1 10 "$1"
    works jumper 1 5 "$1"
    works handled 2 40 "$1"
    works raiser 2 14 "$1"
    works leaves 1 20 "$1"
    works left 1 9 "$1"
    works on_segv 1 4 "$1"
    works faults 1 6 "$1"
    works body 3 600 "$1"
    works step 10 150 "$1"
    works coroutines 5 15 "$1"
    is "$(edge jumper deeper | cut -d' ' -f1) $(edge deeper deepest | cut -d' ' -f1)" '1 1' "calls that a longjmp leaves ($1)"
    ok "cost what they did until then ($1)" test "$(edge deeper deepest | cut -d' ' -f2)" -lt "$(edge jumper deeper | cut -d' ' -f2)"
    is "$(edge main jumper | cut -d' ' -f1) $(edge main raiser | cut -d' ' -f1) $(edge main left | cut -d' ' -f1) $(edge main faults | cut -d' ' -f1) $(edge main coroutines | cut -d' ' -f1)" \
        '1 2 1 1 1' "who goes on behind is who did before ($1)"
    is "$(edge coroutine step) $(inclusive step)" "$(inclusive step) $(edge coroutine step)" "steps of coroutines are theirs ($1)"
    is "$(edge coroutine swapcontext | cut -d' ' -f1) $(edge resume swapcontext | cut -d' ' -f1) $(inclusive coroutine | cut -d' ' -f1)" '10 10 2' "switches ($1)"
    ok "and not those of who resumes them ($1)" test "$(edge resume swapcontext | cut -d' ' -f2)" -lt $((150 * each + 10 * none))
    is "$(edge start_thread body | cut -d' ' -f1)" 3 "threads ($1)"
    is "$(edge main odd | cut -d' ' -f2)" "$(inclusive odd | cut -d' ' -f2)" "mutual recursion is not counted twice ($1)"
    is "$(edge odd even | cut -d' ' -f1) $(edge even odd | cut -d' ' -f1)" '5 5' "and each call of it is one ($1)"
    is "$(nodes)" "$(summary)" "all contexts add up ($1)"
}

run --calls=paths
all default
LD_BIND_NOW=1
export LD_BIND_NOW
run --calls=paths
all 'bound at the start'
unset LD_BIND_NOW
run --calls=paths --aslr=yes --block-max=2
all 'other addresses, short blocks'
$CC -g -O1 -fno-inline -pthread -static -o guest guest.c || bail 'cannot link'
run --calls=paths --branch-sim=yes
all 'static, branches'

# ---- processes ----

$CC -g -O1 -fno-inline -pthread -o guest guest.c || bail 'cannot compile'
"$QUERN" run -q --sim=./engine --calls=paths --out-file=profile.%p -- ./guest fork 2>log
for f in profile.*; do
    mv "$f" profile
    is "$(nodes)" "$(summary)" 'of each of two processes'
    is "$(edge main jumper | cut -d' ' -f1)" 1 'the child has what came before'
    edge in_child work | cut -d' ' -f1 >>children
    edge forks work | cut -d' ' -f1 >>parents
done
is "$(sort children | tr '\n' ' ')$(sort parents | tr '\n' ' ')" '0 1 0 1 ' 'and what is its own'
rm -f profile.*
"$QUERN" run -q --sim=./engine --calls=paths --trace-children=yes --out-file=profile -- ./guest exec 2>log
is "$(nodes)" "$(summary)" 'after exec'
is "$(edge main work | cut -d' ' -f1) $(edge main jumper)" '1 0 0' 'only the new program counts'

# ---- tail calls that are bound lazily: what the dynamic linker jumps to has been called by who jumped to its stub ----

cat >guest.c <<'GUEST'
#include <unistd.h>
int main(void) { return tailer() + tailer() + tailer() < 0; }
GUEST
sed -i '1a__attribute__((noinline, noclone)) int tailer(void) { return getppid(); }' guest.c
$CC -g -O2 -Wl,-z,lazy -o guest guest.c || bail 'cannot compile'
for options in --calls=yes --calls=paths; do
    run $options
    is "$(edge tailer getppid | cut -d' ' -f1) $(edge main tailer | cut -d' ' -f1) $(inclusive getppid | cut -d' ' -f1)" '3 3 3' "a tail call, bound when it is first made ($options)"
done

# ---- coroutines that switch by themselves, as boost's do; vfork and what is made with it ----

cat >guest.c <<'GUEST'
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NI __attribute__((noinline, noclone))
volatile int sink;
NI void work(int n) { for (int i = 0; i < n; i++) sink = i; }
NI void one(void) { work(1); }
NI void two(void) { work(2); }
/* All that a call keeps goes onto the stack, whose pointer goes to *save; then the same from another one.  Returns, or jumps. */
void switch_ret(void **save, void *to);
void switch_jump(void **save, void *to);
void switch_xchg(void **save, void *to); /* in its short form, which only rax has */
#define PUSH "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
#define POP "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
#define KEEP PUSH "mov %rsp, (%rdi)\n mov %rsi, %rsp\n" POP
__asm__(".text\n .globl switch_ret, switch_jump\n .type switch_ret, @function\n switch_ret:\n" KEEP "ret\n .size switch_ret, . - switch_ret\n"
        ".type switch_jump, @function\n switch_jump:\n" KEEP "pop %r8\n jmp *%r8\n .size switch_jump, . - switch_jump\n"
        ".globl switch_xchg\n .type switch_xchg, @function\n switch_xchg:\n" PUSH "mov %rsi, %rax\n xchg %rax, %rsp\n mov %rax, (%rdi)\n" POP
        "ret\n .size switch_xchg, . - switch_xchg\n");
static void *main_sp, *co_sp[3];
static char stacks[3][65536] __attribute__((aligned(16)));
NI void step(int n) { work(n); }
NI void first(void) { for (;;) { step(10); switch_ret(&co_sp[0], main_sp); } }
NI void second(void) { for (;;) { step(20); switch_jump(&co_sp[1], main_sp); } }
NI void third(void) { for (;;) { step(30); switch_xchg(&co_sp[2], main_sp); } }
NI void resume_first(void) { switch_ret(&main_sp, co_sp[0]); }
NI void resume_second(void) { switch_jump(&main_sp, co_sp[1]); }
NI void resume_third(void) { switch_xchg(&main_sp, co_sp[2]); }
NI void make(int k, void (*body)(void)) {
    void **sp = (void **)(stacks[k] + sizeof stacks[k]) - 2;
    *sp = (void *)body;
    co_sp[k] = memset(sp - 6, 0, 6 * sizeof *sp);
}
NI void coroutines(void) {
    make(0, first); make(1, second); make(2, third);
    for (int i = 0; i < 7; i++) { resume_first(); work(3); resume_second(); resume_third(); }
}
NI void in_child(void) { work(50); }
NI void vforks(void) { int s; pid_t p = vfork(); if (!p) { in_child(); _exit(0); } waitpid(p, &s, 0); work(8); }
NI void spawns(char *self) {
    char *v[] = { self, "again", NULL }; pid_t p; int s;
    if (!posix_spawn(&p, self, NULL, NULL, v, NULL)) waitpid(p, &s, 0);
    work(9);
}
int main(int argc, char **argv) {
    if (argc > 1) { work(11); return 0; }
    one(); two(); coroutines(); vforks(); spawns(argv[0]); work(6);
    return 0;
}
GUEST
$CC -g -O1 -fno-inline -fno-optimize-sibling-calls -o guest guest.c || bail 'cannot compile'
for options in --calls=yes --calls=paths '--calls=yes --no-filter --block-max=2' '--calls=paths --branch-sim=yes --aslr=yes'; do
    # shellcheck disable=SC2086
    run $options
    one=$(edge one work | cut -d' ' -f2) two=$(edge two work | cut -d' ' -f2)
    each=$((two - one)) none=$((2 * one - two))
    works step 21 420 "$options"
    works coroutines 7 21 "$options"
    is "$(for c in first second third; do edge $c step | cut -d' ' -f1; done | tr '\n' ' ')" '7 7 7 ' "each coroutine makes its steps ($options)"
    is "$(for c in first second third; do inclusive $c | cut -d' ' -f1; done | tr '\n' ' ')" '1 1 1 ' "and is one call ($options)"
    is "$(for c in first second third; do edge coroutines resume_$c | cut -d' ' -f1; done | tr '\n' ' ')$(edge main coroutines | cut -d' ' -f1)" '7 7 7 1' \
        "who resumes them goes on behind ($options)"
    ok "and does not pay for their steps ($options)" test "$(edge main coroutines | cut -d' ' -f2)" -lt $((7 * (none + 3 * each) + 140 * each))
    works vforks 1 8 "$options"
    works spawns 1 9 "$options"
    works main 1 6 "$options"
    is "$(edge main vforks | cut -d' ' -f1) $(edge main spawns | cut -d' ' -f1)" '1 1' "vfork and posix_spawn come back to who called ($options)"
    case $options in *paths*) is "$(nodes)" "$(summary)" "all contexts add up ($options)" ;; esac
done

# ---- exceptions, functions chosen at run time ----

cat >guest.cc <<'GUEST'
#define NI __attribute__((noinline, noclone))
volatile int sink;
struct guard { ~guard() { sink = 3; } };
NI void work(int n) { for (int i = 0; i < n; i++) sink = i; }
NI void thrower(int n) { guard g; work(10); if (n) thrower(n - 1); else throw 1; }
NI void catcher() { try { thrower(3); } catch (int) { work(7); } work(2); }
NI void one() { work(1); }
NI void two() { work(2); }
extern "C" { int chosen_here(int); int chosen_here(int n) { work(n); return n; } int (*choose())(int); }
extern "C" int (*choose())(int) { return chosen_here; }
extern "C" int ifunc(int) __attribute__((ifunc("choose")));
int main() { one(); two(); catcher(); for (int i = 0; i < 3; i++) ifunc(5); work(4); }
GUEST
if ${CXX:-g++} -g -O1 -fno-inline -o guest guest.cc 2>log; then
    run --calls=paths
    one=$(edge 'one()' 'work(int)' | cut -d' ' -f2) two=$(edge 'two()' 'work(int)' | cut -d' ' -f2)
    each=$((two - one)) none=$((2 * one - two))
    is "$(edge 'thrower(int)' 'work(int)') $(edge 'thrower(int)' 'thrower(int)' | cut -d' ' -f1)" "4 $((4 * none + 40 * each)) 3" 'functions that an exception leaves'
    is "$(edge 'catcher()' 'work(int)')" "2 $((2 * none + 9 * each))" 'who catches it goes on'
    is "$(edge main 'catcher()' | cut -d' ' -f1) $(edge main 'work(int)')" "1 1 $((none + 4 * each))" 'and returns'
    is "$(edge main chosen_here | cut -d' ' -f1) $(edge chosen_here 'work(int)')" "3 3 $((3 * none + 15 * each))" 'a function that is chosen when it is linked'
    is "$(nodes)" "$(summary)" 'all contexts add up'
else
    absent 'there is no C++ compiler' 5
fi

# ---- counted in parts ----

cat >guest.S <<'GUEST'
#include "ask.h"
        .globl  _start
function _start
        call    f
        ask     STOP
        call    f
        ask     START
        call    f
        quit
        end     _start
function f
        nop
        call    g
        ret
        end     f
function g
        ask     STOP
        nop
        ask     START
        ret
        end     g
GUEST
assemble
run --calls=paths --toggle=f
is "$(nodes)" "$(summary)" 'START, STOP and toggle: all contexts add up'
run --calls=paths
is "$(nodes)" "$(summary)" 'START and STOP: all contexts add up'
run --calls=paths --instr-at-start=no
is "$(nodes)" "$(summary)" 'from START on'
done_testing
