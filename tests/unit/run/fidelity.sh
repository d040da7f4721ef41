#!/bin/sh
# Do programs that look closely see what they see natively?  Each of tests/fidelity prints what it found; natively and under
# quern that is the same, and so is the status.  (What Valgrind 3.19 lacks is among them: 80-bit long double, FP exception flags,
# rounding modes, AVX-512, memory mapped twice, a store into its own block, read() into code, signal 64, odd clone flags, brk
# beyond 8 MB.)
#
# QN_MISTAKES=no: sanitized programs make none, where each block costs much (make tiny).
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -x "$QUERN" ] || bail "there is no $QUERN"
ulimit -c 0
unset ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS

# build NAME FLAGS...: tests/fidelity/NAME.c -> ./NAME
build() {
    name=$1
    shift
    $CC -O1 -g -o "$SCRATCH/$name" "$top_srcdir/tests/fidelity/$name.c" "$@" -lm -pthread || bail "$name cannot be compiled"
}

# under OPTIONS... -- PROGRAM...: its output and status
under() {
    cpu_limited "${QN_LIMIT:-100}" "$QUERN" run -q --log-file="$SCRATCH/log" --out-file="$SCRATCH/profile.%p" "$@" 2>&1
    echo "status $?"
}

natively() {
    cpu_limited "${QN_LIMIT:-100}" "$@" 2>&1
    echo "status $?"
}

# same NAME TEXT OPTIONS...    $flags: the compiler's
flags=
same() {
    program=$1 text=$2
    shift 2
    build "$program" $flags
    wanted=$(cd "$SCRATCH" && natively "./$program")
    case $wanted in *'status 77') skip "$text: ${wanted%%?status 77}"; return ;; esac
    is "$(cd "$SCRATCH" && under "$@" -- "./$program")" "$wanted" "$text"
}

same long_double '80-bit long double'
same fp_flags 'exception flags of the FPU, and signals of those that are unmasked'
same rounding 'rounding modes'
same avx512 'AVX-512, and its state in a signal frame'
same frames 'x87 and vector state that a handler changes in its frame, and damaged frames'
same traps 'each kind of fault: address, error code, trap number; loads of segment registers'
same traps 'the same uninstrumented' --instr-at-start=no
same opcodes 'each opcode of each map: undefined, faults, or its length'
same steps 'a program that sets the trap flag'
same steps 'the same with checked predictors, cut by intervals' --branch-sim=yes --check=yes --interval=7
same steps 'the same observed, and with calls' --analysis=values --calls=yes
same code_changes 'memory mapped twice, a store into its own block, read() into code'
same patched 'code that is patched through /proc/PID/mem and by debuggers' --trace-children=yes
$CC -O1 -g -shared -fPIC -DLIBRARY -o "$SCRATCH/nested.so" "$top_srcdir/tests/fidelity/exec_stack.c" || bail "nested.so cannot be compiled"
same exec_stack 'code on stacks and in memory that no call has named executable'
flags=-DNESTED
same exec_stack 'the same, the stack executable from the beginning'
flags=
same memory_limits 'limits of its memory that a program sets'
same memory_limits 'the same, the programs followed' --trace-children=yes
same addresses 'addresses that a program chooses'
flags='-static -no-pie'
same addresses 'the same, linked at fixed ones'
flags=
# Where processors are short, a debugger must not meet the engine's own signals.
for i in 1 2 3 4 5 6 7 8; do
    (cd "$SCRATCH" && under --trace-children=yes -- ./patched >"patched.$i") &
done
wait
is "$(cd "$SCRATCH" && for i in 1 2 3 4 5 6 7 8; do cat "patched.$i"; done | sort | uniq -c | awk '{ print $1 % 8 }' | sort -u)" 0 'the same, eight at a time'
is "$(sort "$SCRATCH/patched.1")" "$(cd "$SCRATCH" && natively ./patched | sort)" '... and as natively'
same pointers 'pointers to nothing, signals without a stack'
same pointers 'the same, the programs followed' --trace-children=yes
same vectors "pointers in structures, and requests with pointers"
same syscalls 'each system call with each pointer bad' --trace-children=yes
same init 'the first process of a namespace'
same attach 'memory that moves, or is attached, without an address; code in shared memory'
same io_uring 'io_uring: reads into code, handlers and masks while it waits'
[ "${QN_CORPUS:-}" != tiny ] || flags="$flags -DQN_TINY"
same carry 'flags that a handler sees, and where it is called'
same death_signal 'the signal of a parent that dies' --trace-children=yes
same signal64 'all signals, 64 among them'
same clone_flags 'clone with odd flags'
same clone_flags 'the same with profiles of the children' --trace-children=yes
same brk 'brk beyond 8 MB'
same truncated 'code in a file that becomes shorter'
same terabytes 'terabytes of address space'
same strings 'string instructions that stop at a fault'
same strings 'the same with predictors, counted as Cachegrind does' --branch-sim=yes --counting=cachegrind
same fpu_ip "the FPU's instruction pointer"
same fpu_ip 'the same uninstrumented' --instr-at-start=no
same state_faults "x87 and extended state that cannot be stored"
same state_faults "the same where programs are shown less of the state" --cpu=-avx
same locked 'memory that is locked (mlockall)'
same exec_at 'programs named by descriptors'
same exec_at 'the same, the programs followed' --trace-children=yes
is "$(cat "$SCRATCH"/profile.* | grep -c '^cmd: child 1 2$')" 7 '... all have profiles but the one in memory'
same scripts 'first lines of scripts, programs without arguments'
same scripts 'the same, the programs followed' --trace-children=yes
same proc 'what is in /proc'
same proc 'what is in /proc of another process under quern, too' --trace-children=yes
same seccomp 'filters of system calls'
same seccomp 'filters that hold in a program that is followed' --trace-children=yes
same vsyscall 'the vsyscall page'
same pthreads 'every primitive of pthreads; fork from threads'
same many '1,000 threads, storms of posix_spawn, a reservation of 64 GiB'
same waits 'beside threads that compute: waits that nothing ends, programs that are executed'
same waits 'the same, the programs followed' --trace-children=yes
same process_signals 'signals that come about when a process forks, or executes a program, with a fault, or while they are blocked'
same process_signals 'the same, the programs followed' --trace-children=yes

# A small limit of the stack is for the program; quern itself has what it needs elsewhere.
small_stack() {
    (ulimit -s "$1" && cd "$SCRATCH" && shift && "$@" -- /bin/sh -c 'ulimit -s; echo $(echo $((6 * 7))); exit 3'; echo "status $?") 2>&1
}
for limit in 64 128 1024; do
    is "$(small_stack $limit "$QUERN" run -q --trace-children=yes --out-file=profile.%p)" "$limit
42
status 3" "a stack of $limit KiB"
done
# A program that limits its own stack keeps what Linux gave it; one that is started with next to none dies.
own_limit() { (cd "$SCRATCH" && "$@" /bin/sh -c "ulimit -s $limit; /bin/sh -c 'exit 3'; echo \$?" 2>/dev/null; echo "status $?"); }
for limit in 1 8 64; do
    is "$(own_limit "$QUERN" run -q --out-file=profile.%p)" "$(own_limit env)" "a program that limits its stack to $limit KiB"
done

# The limit of descriptors: the engine's own lie above it where there is room, below the hard limit.
many_files() {
    build files
    wanted=$(cd "$SCRATCH" && ulimit -S -n "$1" && shift && natively ./files "$@")
    got=$(cd "$SCRATCH" && ulimit -S -n "$1" && shift && under --trace-children=yes -- ./files "$@")
    is "$got" "$wanted" "a limit of $1 descriptors, and others that the program sets${2:+: more}"
}
many_files 1024
many_files 64 next
many_files 20 next

# A program that has given up its rights may not reach quern itself.
closed_folder() {
    if [ "$(id -u)" != 0 ]; then
        skip "a program without rights: only root can give up any"
        return
    fi
    (umask 077 && mkdir -p "$SCRATCH/closed" && cp "$QUERN" "${QUERN%/*}/quern-engine" "$SCRATCH/closed") || bail "quern cannot be copied"
    chmod 755 "$SCRATCH/closed/quern-engine"
    build files
    wanted=$(cd "$SCRATCH" && ulimit -S -n 64 && natively ./files next)
    got=$(cd "$SCRATCH" && ulimit -S -n 64 && QUERN="$SCRATCH/closed/quern" && under --trace-children=yes -- ./files next)
    is "$got" "$wanted" "a program executes another after it has given up its rights, where quern lies in a folder that it may not search"
}
closed_folder
tight() { (ulimit -n 64 && cd "$SCRATCH" && under -- ./files last one); }
is "$(tight)" 'at first: 56 of 64, 53 free, up to 55, then EMFILE; 1 -1 -1
status 0' 'where the hard limit leaves no room there are 8 descriptors less, and the limit says so'

# What the sanitizers say has addresses; what counts is the kind of mistake, the place and the status.
essence() { sed -n 's/^SUMMARY: //p; s/.*\(runtime error: .*\)/\1/p; /^status/p; /^[01] [01]$/p' | sed 's/^[A-Za-z]*Sanitizer: [0-9]* byte.*/leaked/'; }

# sanitized KIND MISTAKE...
sanitized() {
    kind=$1
    shift
    if ! $CC -O1 -g -fsanitize="$kind" -o "$SCRATCH/sanitized" "$top_srcdir/tests/fidelity/sanitized.c" -pthread 2>/dev/null; then
        skip "$kind: $CC cannot build it"
        return
    fi
    [ "${QN_MISTAKES:-yes}" = yes ] || set --
    for mistake in nothing "$@"; do
        wanted=$(cd "$SCRATCH" && natively ./sanitized "$mistake" | essence)
        is "$(cd "$SCRATCH" && under -- ./sanitized "$mistake" | essence)" "$wanted" "-fsanitize=$kind: $mistake"
    done
}

sanitized address beyond freed leak
sanitized undefined overflow
sanitized thread race
done_testing
