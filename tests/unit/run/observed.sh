#!/bin/sh
# Does an analysis that observes instructions a block at a time (emit/observe.c) see the same instructions with the same values, in the same
# order, as one for which each instruction is executed by itself (--no-filter)?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

guests=$top_builddir/tests/guest
[ -x "$guests/sort" ] || skip_all 'the guest programs are not built: make guests'

# All that is told of an instruction, in the order of the program: sums by instruction, and one of all.
cat >told.c <<'END'
#define ANALYSIS "told"
#define ANALYSIS_OBSERVES 1
#include "sim/module.h"
#include "sim/analysis/sites.h"
struct mine { struct site site; uint64_t n, result, flow, access, value; };
static struct sites sites;
static uint64_t all;
static void analysis_init(const struct sim_config *c)
{
    (void)c;
    sites_init(&sites, sizeof(struct mine));
}
static void mix(uint64_t *sum, uint64_t v)
{
    *sum = (*sum ^ v) * 0x9e3779b97f4a7c15ull;
    *sum ^= *sum >> 29;
}
static void analysis_insn(const struct sim_insn *i)
{
    struct mine *m = (struct mine *)sites_find(&sites, i->pc, 0);
    m->n++;
    mix(&m->result, i->reg);
    if (i->reg != SIM_NO_REG)
        mix(&m->result, i->result);
    mix(&m->flow, i->next + i->flow * 7u + i->indirect * 100u + i->first * 1000u);
    mix(&m->access, i->accesses);
    for (unsigned k = 0; k < i->accesses; k++) {
        mix(&m->access, i->access[k].addr);
        mix(&m->access, i->access[k].size * 8u + i->access[k].kind);
        mix(&m->value, i->access[k].value);
    }
    mix(&all, i->pc);
}
static void find(const struct mine *m, const char *what, uint64_t value)
{
    struct sim_finding f = {.pc = m->site.pc, .value = value, .count = m->n, .of = m->n};
    for (unsigned k = 0; what[k]; k++)
        f.what[k] = what[k];
    sim_find(&f);
}
static void analysis_finish(void)
{
    for (uint32_t i = 0; i < sites.count; i++) {
        const struct mine *m = (const struct mine *)sites_at(&sites, i);
        find(m, "result", m->result);
        find(m, "flow", m->flow);
        find(m, "access", m->access);
        find(m, "value", m->value);
    }
    sim_print("AN: %lx", all);
}
END
"$QUERN" sim build --AN=told.c -o told || bail 'cannot build'

run() { # NAME OPTIONS COMMAND...
    name=$1
    shift
    rm -f "$name".*
    "$QUERN" run --out-file="$name.profile" --log-file="$name.log" "$@" >"$name.out" 2>&1 </dev/null
    sed 's/^[-=]*[0-9]*[-=][-=] *//' "$name.log" | grep '^AN' >"$name.said"
    sort "$name.profile.findings.csv" >"$name.found"
}
alike() { # OPTIONS COMMAND...
    run block "$@"
    run alone --no-filter "$@"
    for what in profile said found out; do cmp block.$what alone.$what || return; done
    [ "$(wc -l <block.found)" -gt 3 ]
}
dispatches() { # OPTIONS: how often code was entered
    "$QUERN" run --stats=yes --out-file=/dev/null --analysis=values --sample=all "$@" -- "$guests/sort" 2>&1 >/dev/null |
        sed -n 's/.*dispatcher: \([0-9]*\) entries.*/\1/p'
}
# With tiny tables (make tiny) hardly a block stays that could lead to another.
if [ "${QN_CORPUS:-}" = tiny ]; then limit=1; else limit=1000; fi
ok 'blocks lead from one to the next: the dispatcher is entered for few of them' \
    awk -v limit=$limit -v entries="$(dispatches)" -v insns="$("$QUERN" run --cache-sim=no --out-file=p "$guests/sort" 2>/dev/null; sed -n 's/^summary: *//p' p)" \
    'BEGIN { exit !(entries && insns > limit * entries) }'

for program in sort strings rep masked matmul flow calls stack segment segcall life bits conflict atomics narrow mmx x87 straddle recursion; do
    [ -x "$guests/$program" ] || bail "no guest program $program"
    ok "$program: all that is told" alike --sim=./told --sample=all -- "$guests/$program"
done
for analysis in values conflicts; do
    ok "sort: $analysis" alike --analysis=$analysis --sample=all -- "$guests/sort"
    ok "recursion: $analysis of a sample" alike --analysis=$analysis --sample=50/1000 -- "$guests/recursion"
done
ok 'all options of values' alike --analysis=values --sim-opt=addresses=1 --sim-opt=targets=1 --sim-opt=callers=1 --sample=all -- "$guests/calls"
ok 'a sample: all that is told' alike --sim=./told --sample=20/200 -- "$guests/sort"

# Faults in the middle of a block, a handler that goes on behind, code that changes.
cat >faults.S <<'END'
        .globl  _start
_start: mov     $13, %eax               # rt_sigaction(SIGSEGV)
        mov     $11, %edi
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        mov     $20, %r12d
1:      lea     data(%rip), %rbx
        mov     %r12, (%rbx)
        addl    $5, 8(%rbx)
        xor     %ecx, %ecx
        mov     (%rbx), %r8
        mov     (%rcx), %rax            # SIGSEGV, in the middle
        mov     8(%rbx), %r9
        push    %r9
        pop     %r10
        mov     %r12b, change+1(%rip)   # the next instruction's number
change: mov     $7, %al
        mov     %al, 16(%rbx)
        dec     %r12d
        jnz     1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
handler:
        mov     168(%rdx), %rax         # rip: three bytes on
        add     $3, %rax
        mov     %rax, 168(%rdx)
        ret
restorer:
        mov     $15, %eax
        syscall
        .data
        .align  8
action: .quad   handler, 0x04000004, restorer, 0
data:   .skip   64
END
$CC -nostdlib -static -no-pie -g -Wl,--omagic -o faults faults.S || bail 'cannot assemble'
run block --sim=./told --sample=all -- ./faults
run alone --no-filter --sim=./told --sample=all -- ./faults
"$QUERN" run --cache-sim=no --dump-instr=yes --out-file=plain.profile ./faults 2>/dev/null
counts_of() { sed '1,/^events/d' "$1"; }
ok 'faults, handlers, code that changes: all that is told' cmp block.found alone.found
is "$(cat block.said)" "$(cat alone.said)" '... in the same order'
is "$(counts_of block.profile)" "$(counts_of plain.profile)" '... and counted as in a run without an analysis'
is "$(sed -n 's/^summary: *//p' block.profile)" 390 '... each counted that was completed'

# Signals from elsewhere, between blocks and in them: nothing is told twice, and nothing is lost.
cat >ticks.c <<'END'
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
static volatile sig_atomic_t ticks;
static void plain(int sig) { (void)sig; ticks++; }
static void looks(int sig, siginfo_t *info, void *context) { (void)sig, (void)info, (void)context; ticks++; }
int main(int argc, char **argv)
{
    struct sigaction act = {.sa_handler = plain};
    struct itimerval every = {{0, 1000}, {0, 1000}};
    volatile unsigned sum = 0;
    (void)argv;
    if (argc > 2)
        return 0;
    if (argc > 1) {
        act.sa_sigaction = looks;
        act.sa_flags = SA_SIGINFO;
    }
    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    for (unsigned i = 0; ticks < 200; i++)
        sum += i % 3 ? i : 1;
    return 0;
}
END
$CC -O1 -o ticks ticks.c || bail 'cannot compile'
# Steps of repeated string instructions are counted and not told.
untold() { awk -F, -v counted="$(sed -n 's/^summary: *//p' "$1.profile")" '/,result,/ { n += $(NF - 3) } END { print counted - n }' "$1.found"; }
run block --sim=./told --sample=all -- ./ticks '' none
strings=$(untold block)
for how in '' siginfo; do
    run block --sim=./told --sample=all -- ./ticks $how
    run alone --no-filter --sim=./told --sample=all -- ./ticks $how
    is "$(untold block)" "$strings" "signals${how:+, siginfo}: as many are told as are counted"
    is "$(untold alone)" "$strings" '... where each is told by itself, too'
done
done_testing
