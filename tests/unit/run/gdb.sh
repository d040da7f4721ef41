#!/bin/sh
# Can gdb attach to a program under quern, and does build-aux/gdb/quern.gdb say where in the program it is?  Do debuggers that
# themselves run under quern see the program that they start, and is it said that this is not counted?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

command -v gdb >/dev/null || absent_all 'gdb is not installed' 6
[ -x "$QUERN" ] || bail "there is no $QUERN"

cat >spin.c <<'END'
#include <unistd.h>
volatile unsigned long turns;
__attribute__((noinline)) void spin(void) { while (turns < 1ul << 60) turns += turns % 7 + 1; }
int spin_twice(void) { return 2; }
int main(void) { if (write(1, "!", 1) == 1) spin(); return 0; }
END
$CC -O1 -g -no-pie -static -o spin spin.c || bail 'spin.c cannot be compiled'

# attach OPTIONS...: what gdb says, in ./said; the program is ended.
attach() {
    mkfifo ready
    "$QUERN" run -q --out-file=profile "$@" -- ./spin >ready 2>log &
    quern=$!
    head -c 1 ready >/dev/null
    read -r guest others <"/proc/$quern/task/$quern/children"
    cpu_limited 60 gdb -nx -batch -p "$guest" -ex "symbol-file ${QUERN%/*}/quern-engine" -ex "source $top_srcdir/build-aux/gdb/quern.gdb" \
        -ex 'add-symbol-file ./spin' -ex quern-where -ex 'info symbol $quern_guest' -ex 'quern-pc 0x1000' -ex detach >said 2>&1
    kill -TERM "$guest"
    wait $quern
    status=$?
    rm -f ready
}

# quern.gdb calls a function of the engine.  gdb 13 cannot call any function where the processor has AMX: its buffer of registers is too small.
calls=$(gdb -nx -batch -ex 'break main' -ex run -ex 'print ((int (*)(void))spin_twice)()' ./spin 2>&1 | grep -c '^\$1 = 2$')
# It may have stopped where there is no copy of an instruction: once more, then.
for option in --cache-sim=yes --instr-at-start=no; do
    for try in 1 2 3; do
        attach $option
        grep -q 'in the engine\|^0x[0-9a-f]* is no copy' said && ! grep -q '^spin' said || break
    done
    if grep -q 'ptrace: Operation not permitted' said; then
        skip "$option: gdb may not attach here" 3
        continue
    fi
    if [ "$calls" = 0 ]; then
        is $status 143 "it goes on, and ends when it is told to, $option"
        skip "$option: this gdb cannot call a function on this processor" 2
        continue
    fi
    is $status 143 "it goes on, and ends when it is told to, $option"
    ok "the program's function, $option" grep -q '^spin' said || diag "$(cat said)"
    ok "an address outside, $option" grep -q '0x1000 is no copy' said || diag "$(cat said)"
done

# debug COMMAND...: stops in spin, looks at the pc and a variable, kills it
debug() { "$@" gdb -nx -batch -ex 'break spin' -ex run -ex 'print/x $rip' -ex 'print turns' -ex kill ./spin 2>log.gdb | grep '^\$\|^Breakpoint'; }
wanted=$(debug)
case $wanted in *'$2 = 0'*)
    for children in yes no; do
        is "$(debug "$QUERN" run --trace-children=$children --instr-at-start=no --log-file=log.%p --out-file=profile)" "$wanted" \
            "gdb under quern stops in the program, --trace-children=$children"
    done
    ok 'that it is not counted is said' grep -q 'is debugged by a program under quern and runs untraced' log.[0-9]* ;;
*) skip 'gdb may not start a program here' 3 ;;
esac

# calls COMMAND...: names of the system calls that strace sees
calls() { "$@" strace -o strace.out ./spin no >/dev/null 2>&1; echo "$?"; sed -n 's/(.*//p' strace.out; }
if command -v strace >/dev/null && strace -o strace.out true 2>/dev/null; then
    printf 'int main(void) { return 7; }\n' | $CC -o spin -x c - || bail 'no program for strace'
    wanted=$(calls)
    is "$(calls "$QUERN" run -q --trace-children=yes --out-file=profile.%p)" "$wanted" 'strace under quern sees the calls of the program'
else
    skip 'strace is not installed, or may not trace here'
fi
done_testing
