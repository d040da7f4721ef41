#!/bin/sh
# watch.sh - end a test that makes no progress.  driver.sh starts it beside each test.
#
#   watch.sh PID OUTPUT WHY      PID leads the test's session; OUTPUT is where its TAP goes
#
# How long a test takes says nothing: the machine may be slow, or busy with other things.  A test hangs if for TEST_STALL seconds
# it has written nothing, none of its processes has used processor time, and none could run or waits for a disk; it goes round in
# circles if it has used TEST_CPU seconds of processor time since it last wrote a line.  Then the reason goes to the file WHY, and
# the test's processes get SIGTERM, and SIGKILL five seconds later.
#
# The test's processes are its session, and whatever these have started.  What a process has used that nobody waited for is not
# seen when it is gone, so TEST_CPU is a limit from below.
set -u

stall=${TEST_STALL:-300}
limit=${TEST_CPU:-3600}
look=${TEST_LOOK:-5} # seconds between two looks
leader=$1
output=$2
why=$3
driver=$PPID
unset SCRATCH # the driver looks for what the test leaves behind by it
ticks=$(getconf CLK_TCK)

# "TICKS AWAKE PID...": what the test's processes have used, whether one of them can run, and which they are.
members() {
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v leader="$leader" '
        { pid = $1; sub(/^.*\) /, ""); state[pid] = $1; parent[pid] = $2; session[pid] = $4; used[pid] = $12 + $13 + $14 + $15 }
        END {
            for (pid in state) if (state[pid] != "Z" && (session[pid] == leader || pid == leader)) is[pid] = 1
            do {
                found = 0
                for (pid in state) if (!(pid in is) && state[pid] != "Z" && parent[pid] in is) found = is[pid] = 1
            } while (found)
            for (pid in is) { sum += used[pid]; awake += state[pid] ~ /[RD]/; pids = pids " " pid }
            print sum + 0, awake + 0 pids
        }'
}

# end REASON
end() {
    trap '' TERM # the driver wants to end this when the leader of the test has gone, and waits until the others have, too
    echo "$1" >"$why"
    signal=TERM looks=0
    while [ $looks -lt 100 ]; do # a process may start another while those of the list are being killed
        # shellcheck disable=SC2046 # words
        set -- $(members)
        shift 2
        [ $# -gt 0 ] || break
        kill -$signal "$@" 2>/dev/null
        if [ $signal = TERM ]; then sleep 5; else sleep 0.1; fi
        signal=KILL looks=$((looks + 1))
    done
    exit
}

length=0 before=0 used=0 idle=0
while sleep "$look"; do
    # shellcheck disable=SC2046 # words
    set -- $(members)
    [ $# -gt 2 ] || exit 0 # the test has ended
    kill -0 "$driver" 2>/dev/null || end 'its driver has ended'
    now=$(wc -c <"$output")
    if [ "$now" -ne "$length" ] || [ "$1" -ne "$before" ] || [ "$2" -gt 0 ]; then idle=0; else idle=$((idle + look)); fi
    if [ "$now" -ne "$length" ]; then used=0; elif [ "$1" -gt "$before" ]; then used=$((used + $1 - before)); fi
    length=$now before=$1
    [ "$idle" -lt "$stall" ] || end "stopped after $idle seconds without a line and without using the processor"
    [ $((used / ticks)) -lt "$limit" ] || end "stopped after $((used / ticks)) seconds of processor time without a line"
done
