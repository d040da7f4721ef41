#!/bin/sh
# Does a trace hold what the program did until whatever ended it, and does a replay notice what is missing or damaged?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
case $QUERN in /*) ;; *) QUERN=$PWD/$QUERN ;; esac
cd "$SCRATCH" || bail "no $SCRATCH"
mkdir tmp
TMPDIR=$SCRATCH/tmp
export TMPDIR

# Says when it has computed something, and goes on until it is killed.
cat >endless.c <<'END'
#include <stdio.h>
#include <unistd.h>
static volatile long sum;
int main(void)
{
    long i;

    for (i = 0; i < 100000; i++)
        sum += i;
    printf("%d\n", (int)getpid());
    fflush(stdout);
    for (;;)
        sum += i++;
}
END
cat >children.c <<'END'
#include <sys/wait.h>
#include <unistd.h>
static volatile long a[4096];
static void work(long n)
{
    long i;

    for (i = 0; i < n; i++)
        a[i % 4096] += i;
}
int main(int argc, char **argv)
{
    int i;

    for (i = 1; i < 5; i++) {
        if (argc > 1 && !fork()) {
            work(200000);
            _exit(0);
        }
        work(100000);
    }
    while (wait(NULL) > 0)
        continue;
    return 0;
}
END
$CC -O1 -o endless endless.c && $CC -O1 -o children children.c || bail 'cannot compile'

refs() { "$QUERN" replay "$1" 2>>err | sed -n 's/^D *refs: *\([0-9,]*\) .*/\1/p' | tr -d ,; }

# ended SIGNAL WHO: the trace is whole, has the loop before the line at least, and nothing is left
ended() {
    rm -f trace pid err
    mkfifo pid
    env --default-signal=INT "$QUERN" trace -o trace ./endless >pid &
    tracer=$!
    read -r guest <pid
    [ "$2" = quern ] && kill -s "$1" $tracer || kill -s "$1" "$guest"
    wait $tracer
    status=$?
    [ $status -gt 128 ] || { echo "status $status"; return 1; }
    n=$(refs trace)
    [ "${n:-0}" -gt 200000 ] || { echo "references: ${n:-none}"; cat err; return 1; }
    [ -z "$(ls -A tmp; ls -A | grep '^\.')" ] || { echo 'left behind:'; ls -A tmp .; return 1; }
}
for signal in INT TERM HUP; do
    ok "SIG$signal to quern trace: a whole trace until then" ended $signal quern
done
ok 'SIGKILL of the program' ended KILL program
ok 'SIGTERM of the program' ended TERM program

# Children record nothing: the parent's references are those that it has alone, but for fork and wait themselves.
"$QUERN" trace -o alone ./children || bail 'cannot trace'
"$QUERN" trace -o parent ./children fork || bail 'cannot trace'
alone=$(refs alone) parent=$(refs parent)
ok "what forked children do is not in the trace ($alone, $parent)" test "$((parent - alone))" -lt 3000

# ---- damage ----

# refused FILE: status 1, one line with the file's name, and no summary
refused() {
    "$QUERN" replay "$1" >out 2>err
    status=$?
    [ $status = 1 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "^quern: replay: $1:" err && return
    echo "status $status: $(cat err)"
    return 1
}
# cut FILE: each of the first and last bytes, and some between
cut_off() {
    size=$(wc -c <"$1") bad=0
    for n in $(seq 0 24) $(seq 100 9973 "$size") $(seq $((size - 30)) $((size - 1))); do
        head -c "$n" "$1" >short
        refused short >why || { echo "$n of $size bytes: $(cat why)"; bad=1; }
    done
    return $bad
}
# flip FILE SEED: bits at random places
flip() {
    size=$(wc -c <"$1") bad=0
    for at in $(awk -v n="$size" -v seed="$2" 'BEGIN { srand(seed); for (i = 0; i < 60; i++) print int(rand() * n) }'); do
        cp "$1" flipped
        byte=$(od -An -tu1 -j "$at" -N 1 "$1" | tr -d ' ')
        bit=$((1 << at % 8))
        byte=$(((byte & bit) ? byte - bit : byte + bit))
        # shellcheck disable=SC2059
        printf "\\$(printf %03o $byte)" | dd of=flipped bs=1 seek="$at" conv=notrunc status=none
        refused flipped >why || { echo "bit $((at % 8)) of byte $at: $(cat why)"; bad=1; }
    done
    return $bad
}
cat >short.c <<'END'
int main(void) { return 0; }
END
$CC -O1 -o small short.c || bail 'cannot compile'
"$QUERN" trace -o whole ./small || bail 'cannot trace'
ok 'a whole one is read' "$QUERN" replay whole
seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
diag "seed $seed"
ok 'cut off at any place: refused' cut_off whole
ok 'a bit turned round: refused' flip whole "$seed"
if command -v zstd >/dev/null && zstd -q -d <whole >plain 2>/dev/null; then
    ok 'a whole one that is not compressed' "$QUERN" replay plain
    ok 'cut off: refused' cut_off plain
    ok 'a bit turned round: refused' flip plain "$seed"
    cat plain whole >both
    ok 'something behind the end: refused' refused both
    { printf QNTRACE1; tail -c +9 plain; } >older
    ok 'one of an older version, which had no end: refused' refused older
else
    skip 'no zstd, or built without libzstd' 5
fi
if [ -f plain ]; then
    head -c -25 plain >raw
    head -c 4096 /dev/zero >>raw
    ok 'what quern trace leaves in TMPDIR when it is killed has no end: refused' refused raw
    ok 'until it is given one' "$QUERN" trace --recover raw
    ok 'then it is what it would have been' cmp raw plain
    ok 'what is no trace is not changed' sh -c '! "$0" trace --recover short.c 2>err && grep -q "^quern: trace: short.c: " err' "$QUERN"
else
    skip 'no zstd, or built without libzstd' 4
fi
: >empty
ok 'an empty file is no trace' refused empty
done_testing
