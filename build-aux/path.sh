#!/bin/sh
# path.sh - which source files does a data reference pass, from its execution to the annotated line?
#
#   sh build-aux/path.sh BUILD     `make path`: numbers of files; with SHOW=1 also their names.  Needs gdb and nm
#
# The program stops itself before its last loop, of loads.  gdb attaches to its process, which is the engine's, to the collector and to the
# collector's reader of debug information, sets a breakpoint on each function, and lets them go on.  annotate follows.
set -u
build=$(cd "$1" && pwd) || exit 2
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

cat >loop.c <<'END'
#include <signal.h>
volatile int array[4096];
int main(void)
{
    raise(SIGSTOP);
    for (int i = 0; i < 4096; i++)
        (void)array[i];
    return 0;
}
END
${CC:-cc} -g -O1 -o loop loop.c || exit 1

# reached NAME PROGRAM GDB-WORDS...: the files, in NAME.txt
reached() {
    name=$1 program=$2
    shift 2
    nm "$program" | sed -n 's/^[0-9a-f]* [tT] //p' >"$name.nm"
    gdb -batch -nx -ex "python out='$name.txt'; symbols='$name.nm'" -x "$top/build-aux/path.py" "$@" >"$name.log" 2>&1
}

has_tracer() { grep -q '^TracerPid:.*[1-9]' "/proc/$1/status"; }
is_stopped() { engine=$(pgrep -P $collector -x loop) && grep -q '^State:.*T (stopped)' "/proc/$engine/status"; }
await() { until "$@"; do sleep 0.1; done; }

"$build/quern" run -q --out-file=profile -- ./loop &
collector=$!
await is_stopped
for process in $collector $(pgrep -P $collector -x quern); do
    reached collector.$process "$build/quern" -p "$process" &
    await has_tracer "$process"
done
reached engine "$build/quern-engine" -ex "symbol-file $build/quern-engine" -p "$engine" &
await has_tracer "$engine"
kill -CONT "$engine"
wait
sort -u collector.*.txt >collector.txt
reached annotate "$build/quern" --args "$build/quern" annotate profile
for name in engine collector annotate; do printf '%-10s %3d files\n' $name "$(wc -l <$name.txt)"; done
cat engine.txt collector.txt annotate.txt | sort -u | wc -l | sed 's/^/together   /; s/$/ files/'
[ -z "${SHOW-}" ] || cat engine.txt collector.txt annotate.txt
