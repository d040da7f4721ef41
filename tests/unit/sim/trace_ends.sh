#!/bin/sh
# Does a trace hold what the program did until whatever ended it, and does a replay notice what is missing or damaged?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -f "$top_builddir/libquern-engine.a" ] || skip_all 'libquern-engine.a is not built: make'
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
"$QUERN" trace --compress=none -o plain ./small || bail 'cannot trace'
ok 'a whole one that is not compressed' "$QUERN" replay plain
ok 'cut off: refused' cut_off plain
ok 'a bit turned round: refused' flip plain "$seed"
cat plain whole >both
ok 'something behind the end: refused' refused both
{ printf QNTRACE1; tail -c +9 plain; } >older
ok 'one of an older version, which had no end: refused' refused older

# What is wrong is told with its place.
says() { wanted="quern: replay: $1"; "$QUERN" replay "${1%%:*}" >/dev/null 2>err; is "$(cat err)" "$wanted" "says: $1"; }
index=$(od -An -tu8 -j $(($(wc -c <whole) - 16)) -N 8 whole | tr -d ' ')
head -c "$index" whole >noend
says "noend: byte $index: cut off: got the end of the file, wanted the next part or the index; \`quern trace --recover FILE\` ends it here"
head -c 30 whole >inhead
says 'inhead: byte 8: cut off: got 22 bytes, wanted the 48 of a part'"'"'s head'
head -c 70 whole >inpart
says "inpart: byte 70: cut off: got 14 bytes of a part, wanted $(od -An -tu4 -j 20 -N 4 whole | tr -d ' ')"
is "$("$QUERN" trace --info noend 2>&1 >/dev/null)" \
    "quern: trace: noend: byte $index: cut off: got the end of the file, wanted the next part or the index; --recover gives it an end" 'as trace --info says'

# SIGKILL of quern trace: whole parts lie beside the output, and may be given an end.
mkdir killed
mkfifo pid2
"$QUERN" trace -o killed/trace ./endless >pid2 2>err2 &
tracer=$!
exec 8<pid2
read -r guest <&8
# until a part with so many instructions is whole
recorded() { "$QUERN" trace --info "$(find killed -name '.trace.*')" 2>/dev/null | sed -n 's/.* instructions \([0-9]*\),.*/\1/p'; }
until n=$(recorded) && [ "${n:-0}" -gt 1000000 ]; do kill -0 "$guest" || break; done
kill -KILL $tracer
wait $tracer 2>/dev/null
cat <&8 >/dev/null # until the program is gone, too
exec 8<&-
left=$(find killed -name '.trace.*')
refused "$left" >why
ok 'what SIGKILL of quern trace leaves has no end: refused' test $? = 0
ok 'until it is given one' "$QUERN" trace --recover "$left"
ok 'then it is read' "$QUERN" replay "$left"
n=$(refs "$left")
ok "up to there (${n:-0} references)" test "${n:-0}" -gt 200000
cp "$left" again
ok 'a second time changes nothing' sh -c '"$0" trace --recover again && cmp again "$1"' "$QUERN" "$left"

# ---- what trace --info says of a file that is not whole ----

# kind FILE: what is wrong with it, said by --info on stderr with status 1; --recover changes nothing that is damaged.
kind() {
    "$QUERN" trace --info "$1" >out 2>err
    status=$?
    "$QUERN" replay "$1" >replayed 2>&1
    said=$(sed -n "s/^quern: trace: $1: byte [0-9]*: \\(cut off\\|damaged\\): .*/\\1/p" err)
    [ "$(sed 's/^quern: trace: //; s/;.*//' err)" = "$(sed -n 's/;.*//; s/^quern: replay: //p' replayed)" ] || echo "replay says $(tail -n 1 replayed), --info $(cat err)"
    grep -qE 'cut off|damaged|whole' out && echo 'on stdout'
    cp "$1" kept
    "$QUERN" trace --recover "$1" 2>err || cmp -s "$1" kept || echo 'changed'
    "$QUERN" trace --info "$1" >out 2>err
    echo "$status $said $?"
}
size=$(wc -c <whole)
for cut in 1 15 16 17 40 $((size / 2)) $((size - 20)) $((size - 60)); do
    head -c $((size - cut)) whole >part
    kind part
done >kinds
is "$(sort kinds | uniq -c | sed 's/^ *//')" '8 1 cut off 0' 'trace --info: cut off is said of what is cut off, and --recover ends it'
for at in 9 30 56 70 $((size / 3)) $((size / 2)) $((size - 40)) $((size - 16)) $((size - 9)) $((size - 1)); do
    cp whole bit
    byte=$(od -An -tu1 -j "$at" -N 1 whole)
    # shellcheck disable=SC2059 # an octal escape
    printf "\\$(printf %o $((byte ^ 16)))" | dd of=bit bs=1 seek="$at" conv=notrunc 2>/dev/null
    kind bit
done >kinds
is "$(sort kinds | uniq -c | sed 's/^ *//')" '10 1 damaged 1' 'damaged of a bit that is turned round, and --recover leaves it'
{ cat whole; echo more; } >longer
is "$(kind longer)" '1 damaged 1' 'and of what has more behind its end'
mkfifo pipe
is "$("$QUERN" trace --info pipe 2>&1)" 'quern: trace: pipe: got no "QNTRACE3", wanted what quern trace records' 'a FIFO is not waited for'

ok 'what is no trace is not changed' sh -c '! "$0" trace --recover short.c 2>err && grep -q "^quern: trace: short.c: " err' "$QUERN"
: >empty
ok 'an empty file is no trace' refused empty
# All arguments reach the program.
# shellcheck disable=SC2046
is "$("$QUERN" trace -o many.trace sh -c 'echo $#' sh $(seq 5000) 2>&1)" 5000 'a program with 5,000 arguments'
done_testing
