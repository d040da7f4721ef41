#!/bin/sh
# quern run --analysis, --sample: is exactly what each instruction did observed, by hand; are windows as many as asked for, at places that
# are equally likely, the same for the same seed; and does the program do what it does without?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || bail 'libquern-engine.a is not built: make'
for module in values conflicts; do
    "$QUERN" sim build --AN=$module -o $module || bail "cannot build $module"
done

# observe MODULE OPTIONS...: ./profile and ./rows of ./guest, "ADDRESS WHAT VALUE OTHER COUNT OF"
observe() {
    sim=$1
    shift
    rm -f profile*
    "$QUERN" run --sim=./"$sim" --out-file=profile "$@" -- ./guest 2>log
    status=$?
    [ -f profile.findings.csv ] || : >profile.findings.csv
    awk -F, 'NR > 1 { print $2, $6, $8, $9 ? $9 : "-", $10, $11 }' profile.findings.csv >rows
    return $status
}

# observed: how many instructions were
observed() { sed -n 's/.*AN: .* \([0-9]*\) instructions observed.*/\1/p' log; }

# at SYMBOL: the findings of the instruction there, without the address
at() {
    address=0x$(nm guest | awk -v name="$1" '$3 == name { print $1 }' | sed 's/^0*//')
    awk -v address="$address" '$1 == address { $1 = ""; print substr($0, 2) }' rows | sed "s/0x$(nm guest | awk '$3 == "cell" { print $1 }' | sed 's/^0*//')/cell/"
}

assemble() { $CC -nostdlib -static -no-pie -g -o guest guest.S || bail 'cannot assemble'; }

# ---- what instructions do, by hand: 1000 times round a loop; rbx counts 0 to 999 ----

cat >guest.S <<'END_OF_GUEST'
        .globl  _start, constant, counted, fifty, loaded, bytes, partial, high, pushed, popped, string, compared, called, indirect, kernel, away, cond
_start: xor     %ebx, %ebx
        lea     cell(%rip), %rbp
again:
constant: mov   $7, %eax
counted: mov    %rbx, %rdx
fifty:  and     $1, %edx
        movq    $42, 8(%rbp)
loaded: cmpl    $5, 8(%rbp)
bytes:  mov     8(%rbp), %ecx
partial: mov    $3, %cl
high:   mov     $9, %ch
pushed: push    %rax
popped: pop     %rsi
        lea     64(%rbp), %rdi
        mov     $4, %ecx
        xor     %eax, %eax
string: rep stosq
compared: cmpq  $0, 88(%rbp)
away:   mov     4104(%rbp), %rax
        call    f
called: mov     $f, %eax
indirect: call  *%rax
        inc     %rbx
cond:   cmp     $1000, %rbx
        jne     again
        mov     $39, %eax
kernel: syscall
        mov     $60, %eax
        xor     %edi, %edi
        syscall
f:      ret
        .bss
        .balign 4096
cell:   .skip   8192
END_OF_GUEST
assemble
"$QUERN" run -q --cache-sim=no --out-file=plain ./guest
# Two in front, 22 in the loop with two returns and the 3 more steps of stosq, 5 behind it.
is "$(tail -n 1 plain)" "summary: $((2 + 1000 * (22 + 2 + 3) + 5))" 'the program, by itself'
observe values
is "$?" 0 'values: it runs'
is "$(grep -v '^#0x' profile | tail -n 1)" "$(tail -n 1 plain)" 'every instruction is observed'
is "$(at constant)" 'rax 0x7 - 1000 1000' 'a constant'
is "$(at counted | head -n 1)" 'rdx 0x0 - 0 1000' 'a counter: no value is frequent'
is "$(at fifty)" 'rdx 0x0 - 500 1000
rdx 0x1 - 500 1000' 'half and half'
is "$(at loaded)" 'load 0x2a - 1000 1000' 'what writes no register: what it loads'
is "$(at bytes)" 'rcx 0x2a - 1000 1000' 'a load: the register'
is "$(at partial)" 'rcx 0x3 - 1000 1000' 'cl: eight bits'
is "$(at high)" 'rcx 0x9 - 1000 1000' 'ch: the eight bits above'
is "$(at pushed)" '' 'push writes rsp, which is no result'
is "$(at popped)" 'rsi 0x7 - 1000 1000' 'pop: not rsp'
is "$(at string)" '' 'rep stosq: nor are rdi and rcx'
is "$(at kernel)" '' 'a system call has no result'

cp guest 'a,"b'
"$QUERN" run --sim=./values --out-file=profile -- './a,"b' 2>log
is "$(sed -n 2p profile.findings.csv | sed 's,[^"]*/,,; s/x.*//')" '"a,""b",0' 'a name with a comma and a quote stands in quotes'

observe values --sim-opt=results=0,addresses=1
is "$(at bytes | sed 's/cell/0/')" "addr 0x$(printf %x $((0x$(nm guest | awk '$3 == "cell" { print $1 }') + 8))) - 1000 1000" 'an address'
observe values --sim-opt=results=0,targets=1,callers=1
f=0x$(nm guest | awk '$3 == "f" { print $1 }' | sed 's/^0*//')
is "$(at indirect)" "target $f - 1000 1000" 'where an indirect call goes'
is "$(at f | sort | awk '{ print $1, $4, $5 }')" 'caller 1000 2000
caller 1000 2000
target 1000 2000
target 1000 2000' 'a function: who called it, and where it returns'

observe conflicts
is "$(at bytes | awk '{ print $1, $4, $5 }')" 'bytes 1000 1000' 'a load behind a store to its bytes'
is "$(at bytes | awk '{ print $3 }')" "0x$(objdump -d guest --no-show-raw-insn | awk '/movq +\$0x2a/ { sub(":", "", $1); print $1 }')" \
    '... which is named' || diag "$(at bytes)"
is "$(at popped | awk '{ print $1, $4, $5 }')" 'bytes 1000 1000' 'pop behind push'
is "$(at compared | awk '{ print $1, $4, $5 }')" 'bytes 1000 1000' 'the last word that rep stosq wrote'
is "$(at away | awk '{ print $1, $4, $5 }')" '4k 1000 1000' '4 KiB behind a store'

# ---- samples: how many, and where ----

cat >guest.S <<'END_OF_GUEST'
        .globl  _start, outer, inner, last, leaf
stub:   endbr64
        jmp     *where(%rip)
_start: mov     $300000, %ecx
outer:  mov     $3, %eax
        nop; nop; nop; nop; nop
        call    stub
inner:  dec     %eax
        jnz     inner
last:   cmp     $1, %ecx
        je      1f
        nop; nop; nop
1:      dec     %ecx
        jnz     outer
        mov     $60, %eax
        xor     %edi, %edi
        syscall
leaf:   .rept 40; nop; .endr
        ret
        .data
where:  .quad   leaf
END_OF_GUEST
assemble
"$QUERN" run -q --cache-sim=no --dump-instr=yes --out-file=plain ./guest
instructions=$(sed -n 's/^summary: //p' plain)

# near GOT WANTED STANDARD-DEVIATION: within four of them
near() { awk -v got="$1" -v wanted="$2" -v sd="$3" 'BEGIN { d = got - wanted; exit !(d < 4 * sd && d > -4 * sd) }' || { echo "$1, wanted about $2"; return 1; }; }

# Each time round, the loop passes four anchors: the ways between them have 9, 43, 2 and 9 instructions, 63 together.
ways=1200000
# windows N M BYWINDOW: instructions of one, root mean square.  Of a Poisson process the variance of the number of windows is their mean.
windows() {
    observe values --sample="$1/$2"
    [ "$(sed -n 's/^summary: //p' profile)" = "$(observed)" ] || { grep summary profile; return 1; }
    near "$(observed)" "$(awk -v i="$instructions" -v n="$1" -v m="$2" 'BEGIN { print i * n / m }')" \
        "$(awk -v w="$ways" -v m="$2" -v each="$3" 'BEGIN { print each * sqrt(w / m) }')"
}
ok '4 of 8192' windows 4 8192 63
is "$(($(observed) % 63))" 0 'windows of four ways: once round the loop'
ok '1 of 10000' windows 1 10000 22.4
ok '128 of 50000' windows 128 50000 2016
is "$(grep -c '^desc: Sample: *128 of 50000 instructions$' profile)" 1 'the profile says so'
is "$(sed -n 's/^desc: Instrumented: *//p' profile)" 'parts of the run' '... and that it is not all'
ok '3 of 100' windows 3 100 49.9
ok '2 of 3' windows 2 3 46.6

# times_seen SYMBOL: how often the instruction there was observed
times_seen() { awk -v address="#0x$(nm guest | awk -v name="$1" '$3 == name { print $1 }' | sed 's/^0*//')" '$1 == address { print $3 }' profile; }

# Every way is as likely to be observed as another: chi square with three degrees of freedom is below 22.6 with a probability of
# 0.99995.  The third way is inner without the second and the fourth, which pass there, too.
even() {
    observe values --dump-instr=yes "$@"
    awk -v first="$(times_seen outer)" -v second="$(times_seen leaf)" -v fourth="$(times_seen last)" -v inner="$(times_seen inner)" 'BEGIN {
            n = split(first " " second " " inner - second - fourth " " fourth, seen)
            for (i = 1; i <= n; i++) sum += seen[i]
            for (i = 1; i <= n; i++) chi += (seen[i] - sum / 4) ^ 2 / (sum / 4)
            printf "%d %d %d %d, chi square %.1f\n", seen[1], seen[2], seen[3], seen[4], chi
            exit !(n == 4 && sum > 2000 && chi < 22.6)
        }'
}
ok 'one way is as likely to be observed as another, 1 of 500' even --sample=1/500
ok '... with another seed' even --sample=1/500 --seed=7
ok '... 1 of 50, drawn one by one' even --sample=1/50

observe values --sample=7/7
is "$(observed)" "$instructions" 'all of all'

observe values --sample=4/8192
cp profile.findings.csv first
observe values --sample=4/8192
ok 'the same seed: the same' cmp -s first profile.findings.csv
observe values --sample=4/8192 --seed=2
no() { ! "$@"; }
ok 'another one: others' no cmp -s first profile.findings.csv

# ---- cycles that do not branch backwards ----

# cycle EACH TITLE: guest.S from standard input is a loop of one way of EACH instructions, 300,000 times
cycle() {
    cat >guest.S
    assemble
    "$QUERN" run -q --cache-sim=no --out-file=plain ./guest
    instructions=$(sed -n 's/^summary: //p' plain) ways=300000
    ok "$2" windows 4 8192 $((4 * $1))
    is "$(($(observed) % (4 * $1)))" 0 '... four times round'
}
cycle 6 'closed by a return that matches no call' <<'END_OF_GUEST'
        .globl  _start
way:    dec     %ebx
        jz      out
        jmp     head
_start: mov     $300000, %ebx
head:   lea     way(%rip), %rax
        push    %rax
        ret
out:    mov     $60, %eax
        xor     %edi, %edi
        syscall
END_OF_GUEST
cycle 5 'closed by a conditional branch that is not taken' <<'END_OF_GUEST'
        .globl  _start
_start: mov     $300000, %ebx
        jmp     body
check:  dec     %ebx
        jz      out
body:   nop
        nop
        jmp     check
out:    mov     $60, %eax
        xor     %edi, %edi
        syscall
END_OF_GUEST
cycle 5 'closed by a system call, with flags that are live' <<'END_OF_GUEST'
        .globl  _start
_start: mov     $300000, %ebx
        jmp     more
calls:  mov     $39, %eax
        syscall
more:   dec     %ebx
        jz      out
        jmp     calls
out:    mov     $60, %eax
        xor     %edi, %edi
        syscall
END_OF_GUEST

# ---- parts of the run ----

cat >guest.S <<'END_OF_GUEST'
        .globl  _start
        .macro  function name
        .globl  \name
        .type   \name, @function
\name:
        .endm
        function _start
        mov     $100, %ebx
1:      call    f
        call    g
        dec     %ebx
        jnz     1b
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .size   _start, . - _start
        function f
        nop
        ret
        .size   f, . - f
        function g
        call    f
        ret
        .size   g, . - g
END_OF_GUEST
assemble
observe values --toggle=g
is "$(observed)" 400 '--toggle=g: g and the f inside it'
observe values --toggle=f --sample=2/2
is "$(observed)" 400 '--toggle=f: both'

# ---- programs that check themselves ----

sound() { # MODULE SAMPLE
    for program in "$top_builddir"/tests/guest/*; do
        [ -x "$program" ] && [ -f "$program" ] || continue
        "$program"
        native=$?
        "$QUERN" run -q --sim=./"$1" --sample="$2" --out-file=out "$program"
        is=$?
        [ "$is" = "$native" ] || { echo "${program##*/}: $is, natively $native"; return 1; }
    done
}
ok 'guest programs, 4 of 8192' sound values 4/8192
ok 'guest programs, 5 of 50' sound conflicts 5/50

# ---- a module for this run; what cannot be ----

"$QUERN" run -q --analysis=values --out-file=profile -- /bin/true
is "$?" 0 '--analysis builds a simulator for the run'
is "$(sed -n 's/^desc: Modules:.* AN=\([a-z]*\).*/\1/p' profile)" values '... with the module'
is "$("$QUERN" run --analysis=none-such /bin/true 2>&1 | grep -c none-such)" 1 'a module that is not there is named'

# refused OPTIONS...: status 2, one line
refused() {
    "$QUERN" run "$@" -- ./guest >out 2>&1
    [ $? -eq 2 ] && [ "$(wc -l <out)" -eq 1 ] || { cat out; return 1; }
}
ok 'more than all' refused --sim=./values --sample=5/4
ok 'none of some' refused --sim=./values --sample=0/4
ok 'of none' refused --sim=./values --sample=4/0
ok 'no number' refused --sim=./values --sample=few
ok 'a simulator without such a module' refused --sample=4/1000
ok 'intervals as well' refused --sim=./values --interval=100
ok 'with --check' refused --analysis=values --check

# ---- a handler sees the program's own flags, also where a countdown was in between ----

cat >flags.c <<'END_OF_PROGRAM'
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <ucontext.h>

#define ZF 0x40

extern char head[];
static volatile unsigned seen, wrong;

/* At the head of the loop whoever branched back had found zero. */
static void look(int sig, siginfo_t *info, void *context)
{
    const greg_t *reg = ((ucontext_t *)context)->uc_mcontext.gregs;

    (void)sig, (void)info;
    if (reg[REG_RIP] == (greg_t)head) {
        seen++;
        wrong += !(reg[REG_EFL] & ZF);
    }
}

int main(void)
{
    struct sigaction act = {.sa_sigaction = look, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval often = {{0, 500}, {0, 500}};

    sigaction(SIGALRM, &act, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (seen < 20)
        __asm__ volatile(".globl head\n"
                         "mov $200000, %%ecx\n"
                         "head: add $1, %%rax\n" /* writes all flags, so that none is live here */
                         "dec %%ecx\n jz 1f\n"
                         "xor %%edx, %%edx\n jz head\n"
                         "1:" ::: "rax", "rcx", "rdx", "cc");
    printf("%u wrong\n", wrong);
    return 0;
}
END_OF_PROGRAM
$CC -O1 -o guest flags.c || bail 'cannot compile'
is "$("$QUERN" run -q --sim=./values --out-file=profile --sample=1/4000000000 ./guest)" '0 wrong' 'flags that nobody needs are still what they are natively, for a handler'

# In code that may change the countdown comes behind the look at whether it has, which leaves other flags than the program's.
cat >guest.S <<'END_OF_GUEST'
        .globl  _start
_start: mov     $300000, %ecx
        xor     %ebx, %ebx
        or      $1, %edx
        jmp     head
        .section changing, "awx", @progbits
head:   setz    %al
        movzbl  %al, %eax
        add     %rax, %rbx
        or      $1, %edx
        loop    head
        jmp     out
        .text
out:    xor     %edi, %edi
        test    %rbx, %rbx
        setnz   %dil
        mov     $60, %eax
        syscall
END_OF_GUEST
assemble 2>log
"$QUERN" run -q --sim=./values --out-file=profile --sample=1/100 ./guest
is "$?" 0 'a sample that begins at the entry of such code: its flags are the program'"'"'s'

# ---- annotate --values ----

"$QUERN" run -q --sim=./values --out-file=profile -- "$top_builddir/tests/guest/loops"
"$QUERN" annotate --asm --values profile >text 2>&1
is "$?" 0 'annotate shows them'
ok '... behind instructions' grep -q '[0-9a-f]:  mov .*  r[a-z0-9]*:(100.00% 0x' text
mv profile.findings.csv away
"$QUERN" annotate --values profile >text 2>&1
is "$? $(wc -l <text)" '1 1' 'without the table: one line'
damaged() { # SED WHAT
    sed "$1" away >profile.findings.csv
    "$QUERN" annotate --values profile >text 2>&1
    [ $? -eq 1 ] && [ "$(wc -l <text)" -eq 1 ] && grep -q "profile.findings.csv:$2" text || { cat text; return 1; }
}
ok 'a column is missing' damaged '1s/,count,/,counts,/' '1: a column is missing'
ok 'a number is none' damaged '3s/,0x/,x/' '3: malformed number'
ok 'a number is too large' damaged '3s/,0x/,0x10000000000000000/' '3: malformed number'
ok 'a row is cut' damaged '2s/,.*//' '2: malformed row'
ok 'it is empty' damaged '1,$d' ' empty'

# An analysis that observes no instructions leaves counts by instruction only if they are asked for.
for analysis in 3c sets latency culprits mattson sizes sharing interval; do
    "$QUERN" run -q --analysis=$analysis --out-file=lines -- "$top_builddir/tests/guest/loops" >/dev/null
    "$QUERN" run -q --analysis=$analysis --dump-instr=yes --out-file=insns -- "$top_builddir/tests/guest/loops" >/dev/null
    "$QUERN" annotate --asm lines >text 2>&1
    is "$? $(cat text)" '1 quern annotate: error: lines: no counts of instructions, got counts by line, wanted a profile of `quern run --dump-instr=yes`' \
        "$analysis: no instructions, which one line says"
    ok '... or with --dump-instr=yes' "$QUERN" annotate --asm insns
    is "$(grep -v '^#\|^cmd' lines)" "$(grep -v '^#\|^cmd' insns)" '... and the same counts by line'
done
"$QUERN" run -q --analysis=latency --dump-instr=yes --out-file=insns -- "$top_builddir/tests/guest/loops" >/dev/null
"$QUERN" annotate --asm --values insns >text 2>&1
ok 'the level that serves each load, behind instructions' grep -q '[0-9a-f]:  .*(100.00% D)' text
done_testing
