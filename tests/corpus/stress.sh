#!/bin/sh
# Do the stressors of stress-ng that lean on what breaks binary translators pass under quern, if they pass natively?
#
#   sh tests/corpus/stress.sh                   each once
#   QN_REPEAT=10 sh tests/corpus/stress.sh      ten times each: `make soak`
#   sh tests/corpus/stress.sh clone sigrt       these only
#
# Natively it has to pass as often: mutex did not in 12 of 100 runs (it counts its threads before they are there).
#
# Passes: stress-ng says so by its status, which is 0, and what it verifies itself (--verify) holds.  One that does not pass natively
# (no permission, no such device, not in this version) is skipped with what it said.  Run as another user than root if you
# are afraid for your machine: some of them exhaust what they may have.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

signals='alarm bad-altstack itimer kill longjmp sigabrt sigchld sigfd sigfpe sigio signal signest sigpending sigpipe sigq sigrt
    sigsegv sigsuspend sigtrap timer timerfd'
memory='brk icache madvise memfd mmapaddr mmapfixed mmapmany mprotect mremap munmap remap stack stackmmap userfaultfd vm-rw vm-segv'
processes='clone context daemon exit-group fork futex membarrier mutex pthread seccomp session switch vfork vforkmany zombie'
cpu='far-branch fp fp-error funccall funcret misaligned opcode priv-instr regs syncload vdso vecfp vecmath vecshuf vecwide
    x86cpuid cpu'
calls='enosys sysbadaddr syscall usersyscall io-uring'

seconds=5              # given to stress-ng, which ends a stressor that has not done its operations by then
limit=${QN_LIMIT:-120} # seconds; for what hangs

# stress COMMAND... : stress-ng under it, in a directory of its own.
stress() (
    mkdir -p "$SCRATCH/in" && cd "$SCRATCH/in" || return
    timeout -k 5 "$limit" "$@" stress-ng --$stressor 1 --$stressor-ops 4 -t $seconds --verify --no-rand-seed >"$SCRATCH/said" 2>&1
)

said() { diag "$(grep -vE 'dispatching|defaulting|setting to|successful run|^==' "$SCRATCH/said" | cut -c 1-160 | head -n 12)"; }

one() {
    stressor=$1
    natively=yes
    for turn in $(seq "${QN_REPEAT:-1}"); do
        stress env && continue
        natively=no
        break
    done
    if [ $natively = no ]; then
        skip "$stressor does not always pass natively: $(grep -E 'fail|error|nrecognized|nknown|skipped' "$SCRATCH/said" | head -n 1 | cut -c 1-100)"
        return
    fi
    if grep -q 'skipped' "$SCRATCH/said"; then
        skip "$stressor: $(grep -m 1 -E 'skipp' "$SCRATCH/said" | cut -c 1-120)"
        return
    fi
    failures=0
    for turn in $(seq "${QN_REPEAT:-1}"); do
        stress "$QUERN" run -q --out-file=/dev/null -- && continue
        status=$?
        failures=$((failures + 1))
        diag "$stressor, run $turn: status $status"
        said
    done
    tap_point $((failures > 0)) "$stressor"
}

command -v stress-ng >/dev/null || skip_all 'stress-ng is not installed'
[ $# -gt 0 ] || set -- $signals $memory $processes $cpu $calls
for stressor in "$@"; do
    one "$stressor"
done
done_testing
